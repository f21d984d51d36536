import { advance, begin, type Entry, type History } from "./commands";
import type { Fragment } from "./markup";

/** Contents of one essay's journal on this device. */
export interface StoredJournal {
  /** The fragments from which the entries start, and the server's revision that they were. */
  readonly base: readonly Fragment[];
  readonly baseRevision: number;
  readonly entries: readonly Entry[];
  /** The revision that the server gave for the first `savedEntries` of them. */
  readonly revision: number;
  readonly savedEntries: number;
  /** Drafts sent since the last answer, each with its number of entries: so a lost answer is recognized. */
  readonly sent: readonly Sent[];
}

/** Newest draft on the server. */
export interface Draft {
  readonly fragments: readonly Fragment[];
  readonly revision: number;
  readonly savedAt: string | null;
}

export interface Sent {
  readonly basedOn: number;
  readonly entries: number;
}

/** Storage of a journal; IndexedDB in the browser. */
export interface Store {
  read(): Promise<StoredJournal | null>;
  /** Starts again from these fragments; the earlier contents are deleted. */
  reset(base: readonly Fragment[], revision: number): Promise<void>;
  append(place: number, entry: Entry): Promise<void>;
  markSent(sent: Sent): Promise<void>;
  /** Records an answer; the drafts sent before are forgotten. */
  markSaved(revision: number, entries: number): Promise<void>;
  clear(): Promise<void>;
}

/** Outcome of sending a draft to the server. */
export type Answer<Judged> =
  | { readonly kind: "saved"; readonly revision: number; readonly at: string; readonly judged: Judged }
  | { readonly kind: "conflict" }
  | { readonly kind: "unreachable" }
  | { readonly kind: "later"; readonly milliseconds: number }
  | { readonly kind: "refused"; readonly reason: unknown };

export interface Server<Judged> {
  save(fragments: readonly Fragment[], basedOn: number, leaving: boolean): Promise<Answer<Judged>>;
  /** The newest draft's fragments. */
  latest(): Promise<Draft>;
}

/** Clock and timers, so that tests can control them. */
export interface Timers {
  now(): number;
  after(milliseconds: number, run: () => void): () => void;
}

export type SaveState =
  | { readonly kind: "saved"; readonly at: string | null }
  | { readonly kind: "saving" }
  | { readonly kind: "waiting" }
  | { readonly kind: "kept"; readonly since: number; readonly changes: number }
  | { readonly kind: "conflict"; readonly theirs: readonly Fragment[]; readonly revision: number }
  | { readonly kind: "refused"; readonly reason: unknown };

export const PAUSE = 1_000;
export const LONGEST = 5_000;
const RETRY = 5_000;

export interface Listeners<Judged> {
  changed(history: History): void;
  state(state: SaveState): void;
  judged(judged: Judged): void;
  /** Reports that the device cannot store the entries (storage full, or switched off). */
  unkept(error: unknown): void;
}

/**
 * One essay's work: every entry goes into the journal first, then the draft goes to the server, based on the revision
 * that it was made from. Nothing waits for the server, and no change in the journal is lost.
 */
export class Journal<Judged> {
  private history: History = begin([]);
  private base: readonly Fragment[] = [];
  private entries: Entry[] = [];
  private sent: readonly Sent[] = [];
  private revision = 0;
  private savedEntries = 0;
  private state: SaveState = { kind: "saved", at: null };
  private appended: Promise<void> = Promise.resolve();
  private saving: Promise<void> | null = null;
  private cancel: (() => void) | null = null;
  private dirtySince: number | null = null;
  private later = 0;
  /** Hold the entries made while the device's store is asked, and the history with them; null otherwise. */
  private early: { history: History; readonly entries: Entry[] } | null = null;

  constructor(
    private readonly store: Store,
    private readonly server: Server<Judged>,
    private readonly timers: Timers,
    private readonly listeners: Listeners<Judged>,
  ) {}

  get now(): History {
    return this.early?.history ?? this.history;
  }

  get unsaved(): number {
    return this.entries.length - this.savedEntries;
  }

  get basedOn(): number {
    return this.revision;
  }

  /** Resumes this device's work on the server's draft; without the server, this device's stored work alone. */
  async open(draft: Draft | null): Promise<void> {
    const drafted = draft?.fragments ?? [];
    this.history = begin(drafted);
    const early = { history: this.history, entries: [] as Entry[] };
    this.early = early;
    try {
      await this.takeUp(draft);
    } finally {
      this.early = null;
      // If the device held other work, the entries made on the draft's fragments no longer apply.
      if (sameFragments(this.history.fragments, drafted)) for (const entry of early.entries) void this.record(entry);
    }
  }

  private async takeUp(draft: Draft | null): Promise<void> {
    const stored = await this.store.read();
    if (stored === null) {
      if (draft) await this.start(draft.fragments, draft.revision);
      this.tell({ kind: "saved", at: draft?.savedAt ?? null });
      return;
    }
    this.take(stored);
    if (draft === null) {
      this.tell(this.unsaved > 0 ? this.keptState() : { kind: "saved", at: null });
    } else if (draft.revision === stored.revision) {
      this.tell(this.unsaved > 0 ? { kind: "waiting" } : { kind: "saved", at: draft.savedAt });
      if (this.unsaved > 0) this.schedule(0);
    } else {
      await this.reconcile(draft);
    }
  }

  /** Does, undoes or redoes; resolves when the journal has it. */
  record(entry: Entry): Promise<void> {
    if (this.early) {
      this.early.entries.push(entry);
      this.early.history = advance(this.early.history, entry);
      this.listeners.changed(this.early.history);
      return Promise.resolve();
    }
    const before = this.history;
    this.history = advance(before, entry);
    if (this.history === before) return Promise.resolve();
    const place = this.entries.length;
    this.entries.push(entry);
    this.listeners.changed(this.history);
    this.appended = this.appended
      .then(() => this.store.append(place, entry))
      .catch((error: unknown) => this.listeners.unkept(error));
    if (this.state.kind !== "conflict" && this.state.kind !== "refused") {
      if (this.state.kind === "kept") this.tell(this.keptState());
      else if (this.state.kind !== "saving") this.tell({ kind: "waiting" });
      this.schedule(PAUSE);
    }
    return this.appended;
  }

  /** Sends the unsent entries now. Resolves when the server has all of them, or cannot take them. */
  async flush(leaving = false): Promise<SaveState> {
    this.unschedule();
    do {
      await this.push(leaving);
      if (this.state.kind === "waiting" && this.later > this.timers.now()) await this.wait();
    } while (this.unsaved > 0 && this.state.kind === "waiting");
    return this.state;
  }

  /** Sends again when the connection is back. */
  retry(): void {
    if (this.state.kind === "kept") this.schedule(0);
  }

  /** Ends a conflict: `mine` goes on top of the other draft, `theirs` replaces it as one step that can be undone. */
  async settle(choice: "mine" | "theirs", replace: (theirs: readonly Fragment[]) => Entry): Promise<void> {
    if (this.state.kind !== "conflict") return;
    const { theirs, revision } = this.state;
    await this.accept(revision, this.savedEntries);
    this.tell({ kind: "waiting" });
    if (choice === "theirs") await this.record(replace(theirs));
    else this.schedule(0);
  }

  /** Stops saving: the work is handed in, or another tab has it. */
  close(): void {
    this.unschedule();
  }

  /** Takes a newer revision of the last saved draft, in which nothing has changed. */
  async moved(revision: number): Promise<void> {
    if (revision > this.revision) await this.accept(revision, this.savedEntries);
  }

  async forget(): Promise<void> {
    this.close();
    await this.appended;
    await this.store.clear();
  }

  private async start(fragments: readonly Fragment[], revision: number): Promise<void> {
    await this.store.reset(fragments, revision);
    this.base = fragments;
    this.history = begin(fragments);
    this.entries = [];
    this.sent = [];
    this.revision = revision;
    this.savedEntries = 0;
    this.listeners.changed(this.history);
  }

  private take(stored: StoredJournal): void {
    this.base = stored.base;
    this.entries = [...stored.entries];
    this.sent = stored.sent;
    this.history = stored.entries.reduce(advance, begin(stored.base));
    this.revision = stored.revision;
    this.savedEntries = stored.savedEntries;
    this.listeners.changed(this.history);
  }

  /** Handles a server's draft that is not the one of the last answer to this device. */
  private async reconcile(draft: Draft): Promise<void> {
    const own = this.ownAmong(draft);
    if (own) {
      await this.accept(draft.revision, own.entries);
      this.tell(this.unsaved > 0 ? { kind: "waiting" } : { kind: "saved", at: draft.savedAt });
      if (this.unsaved > 0) this.schedule(0);
    } else if (this.unsaved === 0) {
      await this.start(draft.fragments, draft.revision);
      this.tell({ kind: "saved", at: draft.savedAt });
    } else {
      this.tell({ kind: "conflict", theirs: draft.fragments, revision: draft.revision });
    }
  }

  /** Sends once, after a request that is under way. */
  private async push(leaving: boolean): Promise<void> {
    if (this.saving) await this.saving;
    if (this.unsaved === 0 || this.state.kind === "conflict" || this.state.kind === "refused") return;
    this.saving = this.send(leaving).finally(() => {
      this.saving = null;
    });
    await this.saving;
  }

  private wait(): Promise<void> {
    this.unschedule();
    return new Promise((resolve) => {
      this.timers.after(this.later - this.timers.now(), resolve);
    });
  }

  private async send(leaving: boolean): Promise<void> {
    const [entries, fragments, basedOn] = [this.entries.length, this.history.fragments, this.revision];
    if (this.state.kind !== "kept") this.tell({ kind: "saving" });
    this.dirtySince = null;
    // The journal first. On leaving nothing is awaited: the request must go before the page does.
    if (!leaving) await this.appended;
    const sent = { basedOn, entries };
    this.sent = [...this.sent, sent];
    const noted = this.store.markSent(sent).catch((error: unknown) => this.listeners.unkept(error));
    if (!leaving) await noted;
    const answer = await this.server.save(fragments, basedOn, leaving);
    if (answer.kind === "saved") {
      await this.accept(answer.revision, entries);
      this.listeners.judged(answer.judged);
      this.tell(this.unsaved > 0 ? { kind: "waiting" } : { kind: "saved", at: answer.at });
      if (this.unsaved > 0) this.schedule(PAUSE);
    } else if (answer.kind === "later") {
      this.later = this.timers.now() + answer.milliseconds;
      this.tell({ kind: "waiting" });
      this.schedule(answer.milliseconds);
    } else if (answer.kind === "unreachable") {
      this.tell(this.keptState());
      this.schedule(RETRY);
    } else if (answer.kind === "refused") {
      this.tell({ kind: "refused", reason: answer.reason });
    } else {
      await this.meet();
    }
  }

  /** Handles a draft on the server other than the base: perhaps this device's own, whose answer was lost. */
  private async meet(): Promise<void> {
    try {
      const latest = await this.server.latest();
      const own = this.ownAmong(latest);
      if (own) {
        await this.accept(latest.revision, own.entries);
        this.tell({ kind: "waiting" });
        this.schedule(0);
      } else {
        this.tell({ kind: "conflict", theirs: latest.fragments, revision: latest.revision });
      }
    } catch {
      this.tell(this.keptState());
      this.schedule(RETRY);
    }
  }

  /**
   * Return the part of this journal that the server's draft has, if any: a sent draft whose answer was lost, or the one
   * saved last, of which only the revision went on.
   */
  private ownAmong(draft: Draft): Sent | undefined {
    const saved = { basedOn: this.revision, entries: this.savedEntries };
    return [...this.sent, saved].find(
      (sending) => draft.revision > sending.basedOn && sameFragments(this.after(sending.entries), draft.fragments),
    );
  }

  private after(entries: number): readonly Fragment[] {
    return this.entries.slice(0, entries).reduce(advance, begin(this.base)).fragments;
  }

  private async accept(revision: number, entries: number): Promise<void> {
    this.revision = revision;
    this.sent = [];
    this.savedEntries = Math.max(this.savedEntries, entries);
    await this.store.markSaved(revision, this.savedEntries).catch((error: unknown) => this.listeners.unkept(error));
  }

  /** Sends after a pause in which nothing happens, but not later than `LONGEST` after the first change. */
  private schedule(pause: number): void {
    const now = this.timers.now();
    this.dirtySince ??= now;
    if (this.state.kind === "kept" && pause === PAUSE) return; // The next attempt is on its way.
    const due = pause === PAUSE ? Math.min(now + pause, this.dirtySince + LONGEST) : now + pause;
    this.unschedule();
    this.cancel = this.timers.after(Math.max(0, due - now), () => {
      this.cancel = null;
      void this.push(false);
    });
  }

  private unschedule(): void {
    this.cancel?.();
    this.cancel = null;
  }

  private keptState(): SaveState {
    const since = this.state.kind === "kept" ? this.state.since : this.timers.now();
    return { kind: "kept", since, changes: this.unsaved };
  }

  private tell(state: SaveState): void {
    this.state = state;
    this.listeners.state(state);
  }
}

/** True if two drafts are equal but for ids, which tell fragments of one draft apart and may be missing. */
export function sameFragments(one: readonly Fragment[], other: readonly Fragment[]): boolean {
  return (
    one.length === other.length &&
    one.every((fragment, place) => {
      const twin = other[place] as Fragment;
      return (Object.keys(fragment) as (keyof Fragment)[]).every(
        (name) => name === "id" || fragment[name] === twin[name],
      );
    })
  );
}
