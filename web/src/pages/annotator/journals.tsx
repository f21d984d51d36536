import { Trans } from "@lingui/react/macro";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { api } from "@/api/client";
import { currentSession, onSession } from "@/auth/session";
import { countUses } from "@/text/codes";
import { begin, type Command, type History, replacement } from "@/text/commands";
import { type Draft, Journal, type SaveState, type Server, type Timers } from "@/text/journal";
import type { Fragment } from "@/text/markup";
import { inLanguage, useLanguage } from "@/ui/contest";
import { useUnsaved } from "@/ui/keys";
import type { Assignment, Desk, Judged, Working } from "./desk";
import {
  draftOf,
  essayOf,
  keepPicks,
  kindOf,
  picksOf,
  type Saved,
  serverOf,
  storeOf,
  suggestedOf,
  type Taken,
  thirdOf,
  writerOf,
} from "./server";

const TIMERS: Timers = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

interface JournalOptions<Judged> {
  /** Storage key of the work on this device, different for each person's work. */
  readonly id: string;
  readonly server: () => Server<Judged>;
  readonly draft: () => Draft;
  /** True if the platform answered when the page was opened; otherwise only the journal is available. */
  readonly online: boolean;
  /** True if this tab may change the work. */
  readonly isOpen: boolean;
  readonly judged: (saved: Judged) => void;
  readonly failed: (error: unknown) => void;
}

/** Edited work, stored on this device at once and saved on the platform a moment later. */
interface Journaled extends Pick<Working, "save" | "undoable" | "redoable"> {
  readonly fragments: readonly Fragment[];
  readonly next: { readonly undo: Command | undefined; readonly redo: Command | undefined };
  readonly run: (command: Command) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly saveNow: () => Promise<SaveState>;
  readonly settle: (choice: "mine" | "theirs") => void;
  /** Journal of the work, while this tab may change it. */
  readonly journal: { readonly current: Pick<Journal<unknown>, "basedOn" | "forget" | "moved"> | null };
}

/** Keep a journal while the page is open: store, save, undo, and resume after a reload. */
export function useJournal<Judged>(options: JournalOptions<Judged>): Journaled {
  const { id, online, isOpen } = options;
  const [history, setHistory] = useState<History>(() => begin(options.draft().fragments));
  const [save, setSave] = useState<SaveState>(() => ({ kind: "saved", at: options.draft().savedAt }));
  const journal = useRef<Journal<Judged> | null>(null);
  const latest = useRef(options);
  latest.current = options;

  // Runs before the page is painted as editable, so that the journal exists at the first key press.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a journal is begun once for a piece of work, and goes on from there
  useLayoutEffect(() => {
    if (!isOpen) return;
    const failed = (error: unknown) => latest.current.failed(error);
    const next = new Journal<Judged>(storeOf(id), options.server(), TIMERS, {
      changed: setHistory,
      state: setSave,
      judged: (saved) => latest.current.judged(saved),
      unkept: failed,
    });
    journal.current = next;
    next.open(online ? options.draft() : null).catch(failed);
    const back = () => next.retry();
    const hidden = () => {
      if (document.hidden && next.unsaved > 0) void next.flush(true);
    };
    window.addEventListener("online", back);
    const forget = onSession(() => {
      if (currentSession().state === "in") back();
    });
    document.addEventListener("visibilitychange", hidden);
    return () => {
      next.close();
      journal.current = null;
      window.removeEventListener("online", back);
      forget();
      document.removeEventListener("visibilitychange", hidden);
    };
  }, [id, isOpen]);

  useUnsaved(isOpen && save.kind !== "saved");
  return {
    fragments: history.fragments,
    undoable: history.past.length > 0,
    redoable: history.future.length > 0,
    next: useMemo(() => ({ undo: history.past.at(-1), redo: history.future[0] }), [history]),
    save,
    run: useCallback((command: Command) => void journal.current?.record({ do: command }), []),
    undo: useCallback(() => void journal.current?.record({ undo: true }), []),
    redo: useCallback(() => void journal.current?.record({ redo: true }), []),
    saveNow: useCallback(async () => (await journal.current?.flush()) ?? { kind: "saved", at: null }, []),
    settle: useCallback((choice) => {
      const opened = journal.current;
      void opened?.settle(choice, (theirs) => ({ do: replacement(opened.now.fragments, theirs, "import") }));
    }, []),
    journal,
  };
}

/** Return why the work is read-only: it is over, another tab has it, or the platform refused it; null if editable. */
export function closedBy(open: boolean, locked: boolean, save: SaveState): Working["closed"] {
  if (!open) return "over";
  if (!locked) return "elsewhere";
  return save.kind === "refused" ? "refused" : null;
}

/**
 * A service worker stores the page's own files on this device, so that an essay can be opened again without a network.
 * Only pages on which people annotate register it.
 */

const WORKER = "/worker.js";
const ASSETS = "/assets/";

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL: (address: string) => unknown };
}

let begun = false;

export function keepPage(): void {
  if (begun || !("serviceWorker" in navigator)) return;
  begun = true;
  // A browser that cannot store the page works as before.
  void register().catch(() => undefined);
}

async function register(): Promise<void> {
  await navigator.serviceWorker.register(trusted(WORKER) as string);
  const { active } = await navigator.serviceWorker.ready;
  const tell = (entries: readonly PerformanceEntry[]) => {
    const files = entries.map(({ name }) => new URL(name)).filter(isOurs);
    if (files.length > 0) active?.postMessage({ keep: files.map(({ pathname }) => pathname) });
  };
  new PerformanceObserver((list) => tell(list.getEntries())).observe({ type: "resource", buffered: true });
}

function isOurs({ origin, pathname }: URL): boolean {
  return origin === location.origin && (pathname.startsWith(ASSETS) || pathname === "/hurdle.svg");
}

/** Return the trusted script URL: the page's policy accepts only this factory, which accepts one address. */
function trusted(address: string): unknown {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (!types) return address;
  const policy = types.createPolicy("hurdle", {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError(`no script is loaded from ${url}`);
      return url;
    },
  });
  return policy.createScriptURL(address);
}

/** Hold the essay's lock: `held` is true if only this tab has it. If another tab takes over, this one is read-only. */
export function useLock(name: string): { held: boolean; asked: boolean; takeOver: () => void } {
  const [state, setState] = useState({ held: false, asked: false });
  const [steal, setSteal] = useState(0);
  const takeOver = useCallback(() => setSteal((times) => times + 1), []);
  useEffect(() => {
    const leaving = new AbortController();
    const granted = () => {
      setState({ held: true, asked: true });
      return new Promise<void>((release) => leaving.signal.addEventListener("abort", () => release()));
    };
    const options = steal > 0 ? { steal: true } : { ifAvailable: true };
    navigator.locks
      .request(name, options, (lock) =>
        lock && !leaving.signal.aborted ? granted() : setState({ held: false, asked: true }),
      )
      // The lock was taken over.
      .catch(() => !leaving.signal.aborted && setState({ held: false, asked: true }));
    return () => leaving.abort();
  }, [name, steal]);
  return { ...state, takeOver };
}

/** Warning that this device cannot store changes. */
export function Unkept() {
  return (
    <p role="alert">
      <Trans>
        This browser does not store changes (its storage is full or disabled). Save often with Ctrl+S and do not close
        this tab before it says “saved”.
      </Trans>
    </p>
  );
}

interface DeskOptions {
  readonly taken: Taken;
  /** True if the platform answered when the page was opened; otherwise only the journal is available. */
  readonly online: boolean;
  /** True if the work can still be changed. */
  readonly open: boolean;
  readonly lock: { readonly held: boolean; readonly takeOver: () => void };
  readonly changed: (assignment: Assignment) => void;
  readonly refresh: () => void;
  readonly failed: (error: unknown) => void;
}

/** Return the desk of one essay: its journal, the platform's last response, and the actions. */
export function useOwnDesk({ taken, online, open, lock, changed, refresh, failed }: DeskOptions): Desk {
  const { work, codes, titles } = taken;
  const language = useLanguage();
  const { assignment_id: id, subject } = work.assignment;
  const [judged, setJudged] = useState<{ now: Judged | null; before: Judged | null }>({
    now: work.judged ?? null,
    before: null,
  });
  const [picks, setPicks] = useState<readonly string[]>([]);
  const latest = useRef({ changed, failed });
  latest.current = { changed, failed };
  const essay = useMemo(() => essayOf(work), [work]);
  const codeOf = useMemo(() => {
    const byName = new Map(codes.map((code) => [code.code.toLowerCase(), code]));
    return (name: string) => byName.get(name.toLowerCase());
  }, [codes]);
  const { journal, ...journaled } = useJournal<Saved>({
    id,
    server: () =>
      serverOf(
        id,
        writerOf(work, (name) => codeOf(name)?.group ?? "error"),
      ),
    draft: () => draftOf(work),
    online,
    isOpen: open && lock.held,
    judged: (saved) => {
      setJudged(({ now }) => ({ now: saved.judged, before: now }));
      latest.current.changed(saved.assignment);
    },
    failed,
  });

  useEffect(() => {
    picksOf(subject).then(setPicks, (error: unknown) => latest.current.failed(error));
  }, [subject]);

  const picked = useCallback(
    (code: string) =>
      setPicks((before) => {
        const after = [code, ...before];
        void keepPicks(subject, after).catch((error: unknown) => latest.current.failed(error));
        return after;
      }),
    [subject],
  );
  return {
    ...journaled,
    assignment: work.assignment,
    kind: kindOf(work),
    closesAt: work.assignment.state === "opened" ? work.assignment.closes_at : null,
    essay,
    third: useMemo(() => thirdOf(work.earlier), [work.earlier]),
    suggested: useMemo(() => suggestedOf(work), [work]),
    codes,
    codeOf,
    titleOf: useCallback((name) => inLanguage(titles[name] ?? { en: name }, language), [titles, language]),
    judged: judged.now,
    before: judged.before,
    closed: closedBy(open, lock.held, journaled.save),
    uses: useMemo(() => countUses(picks), [picks]),
    picked,
    takeOver: lock.takeOver,
    handIn: useCallback(async () => {
      const opened = journal.current;
      if (!opened) return;
      const header = { "if-match": `"${opened.basedOn}"` };
      const { data } = await api.POST("/v1/assignments/{assignment_id}/hand-in", {
        params: { path: { assignment_id: id }, header },
      });
      await opened.forget();
      if (data) latest.current.changed(data.assignment);
      // From now on show the handed-in work, not the work that the page opened with.
      refresh();
    }, [id, journal, refresh]),
    refresh,
  };
}
