import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { type Entry, marking, replacement } from "./commands";
import {
  type Answer,
  type Draft,
  Journal,
  LONGEST,
  PAUSE,
  type SaveState,
  type Sent,
  type Server,
  type Store,
  type StoredJournal,
  sameFragments,
  type Timers,
} from "./journal";
import type { Fragment } from "./markup";

function fragment(id: number): Fragment {
  return {
    id,
    start: id,
    end: id + 3,
    code: "И.факт",
    subtype: "",
    comment: "",
    explanation: "",
    correction: "",
    tag: "",
  };
}

/** A device's store that outlives its journals, as IndexedDB outlives the browser's process. */
class Memory implements Store {
  kept: StoredJournal | null = null;
  async read() {
    return this.kept && structuredClone(this.kept);
  }
  async reset(base: readonly Fragment[], revision: number) {
    this.kept = { base, baseRevision: revision, entries: [], revision, savedEntries: 0, sent: [] };
  }
  async append(place: number, entry: Entry) {
    const stored = this.kept as StoredJournal;
    this.kept = { ...stored, entries: [...stored.entries.slice(0, place), entry] };
  }
  async markSent(sent: Sent) {
    const stored = this.kept as StoredJournal;
    this.kept = { ...stored, sent: [...stored.sent, sent] };
  }
  async markSaved(revision: number, entries: number) {
    this.kept = { ...(this.kept as StoredJournal), revision, savedEntries: entries, sent: [] };
  }
  async clear() {
    this.kept = null;
  }
}

/** The server's rule: a draft goes on top of the revision it names; the same again is answered alike. */
class Platform implements Server<string> {
  draft: Draft = { fragments: [], revision: 0, savedAt: null };
  reachable = true;
  /** Takes the draft, and its answer never arrives. */
  answersLost = 0;
  saves = 0;
  later = 0;
  refusing: unknown = null;

  async save(fragments: readonly Fragment[], basedOn: number): Promise<Answer<string>> {
    if (!this.reachable) return { kind: "unreachable" };
    if (this.refusing) return { kind: "refused", reason: this.refusing };
    if (this.later > 0) {
      this.later -= 1;
      return { kind: "later", milliseconds: 700 };
    }
    this.saves += 1;
    const repeated = this.draft.revision === basedOn + 1 && sameFragments(fragments, this.draft.fragments);
    if (!repeated && this.draft.revision !== basedOn) return { kind: "conflict" };
    this.draft = { fragments, revision: basedOn + 1, savedAt: "now" };
    if (this.answersLost > 0) {
      this.answersLost -= 1;
      return { kind: "unreachable" };
    }
    return { kind: "saved", revision: this.draft.revision, at: "now", judged: `grade of ${fragments.length}` };
  }

  async latest() {
    if (!this.reachable) throw new Error("offline");
    return this.draft;
  }
}

class Clock implements Timers {
  time = 0;
  private waiting: { due: number; run: () => void }[] = [];
  now() {
    return this.time;
  }
  after(milliseconds: number, run: () => void) {
    const one = { due: this.time + milliseconds, run };
    this.waiting.push(one);
    return () => {
      this.waiting = this.waiting.filter((timer) => timer !== one);
    };
  }
  async advance(milliseconds: number) {
    const until = this.time + milliseconds;
    for (;;) {
      await settled();
      const next = this.waiting.filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.waiting = this.waiting.filter((timer) => timer !== next);
      this.time = Math.max(this.time, next.due);
      next.run();
    }
    this.time = until;
    await settled();
  }
}

async function settled() {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

let store: Memory;
let platform: Platform;
let clock: Clock;
let states: SaveState[];
let judged: string[];

function device(on = store): Journal<string> {
  return new Journal(on, platform, clock, {
    changed: () => undefined,
    state: (state) => states.push(state),
    judged: (judgement) => judged.push(judgement),
    unkept: (error) => {
      throw error;
    },
  });
}

async function opened(on = store, withServer = true): Promise<Journal<string>> {
  const journal = device(on);
  await journal.open(withServer ? platform.draft : null);
  return journal;
}

function mark(journal: Journal<string>, id: number) {
  return journal.record({ do: marking(journal.now.fragments, fragment(id)) });
}

function ids(fragments: readonly Fragment[]) {
  return fragments.map((fragment) => fragment.id);
}

function last() {
  return states.at(-1) as SaveState;
}

beforeEach(() => {
  store = new Memory();
  platform = new Platform();
  clock = new Clock();
  states = [];
  judged = [];
});

describe("opening", () => {
  test("keeps and sends what is done while the device is still asked", async () => {
    const journal = device();
    const opening = journal.open(platform.draft);
    await mark(journal, 1);
    await mark(journal, 2);
    expect(ids(journal.now.fragments)).toEqual([1, 2]);
    await opening;
    await clock.advance(PAUSE);
    expect(ids(journal.now.fragments)).toEqual([1, 2]);
    expect(ids(platform.draft.fragments)).toEqual([1, 2]);
    expect(store.kept?.entries).toHaveLength(2);
  });

  test("keeps it where the device's store fails", async () => {
    const broken = new Memory();
    broken.read = () => Promise.reject(new Error("no store"));
    const journal = device(broken);
    const opening = journal.open(platform.draft);
    const marked = mark(journal, 1);
    broken.kept = { base: [], baseRevision: 0, entries: [], revision: 0, savedEntries: 0, sent: [] };
    await expect(opening).rejects.toThrow("no store");
    await marked;
    expect(ids(journal.now.fragments)).toEqual([1]);
  });

  test("goes on with what this device kept, which what was done meanwhile does not fit", async () => {
    await mark(await opened(), 7);
    const journal = device();
    const opening = journal.open(platform.draft);
    await mark(journal, 1);
    await opening;
    expect(ids(journal.now.fragments)).toEqual([7]);
  });
});

describe("saving", () => {
  test("waits for a pause of one second, and then sends everything once", async () => {
    const journal = await opened();
    await mark(journal, 1);
    await clock.advance(PAUSE - 1);
    await mark(journal, 2);
    await clock.advance(PAUSE - 1);
    expect(platform.saves).toBe(0);
    await clock.advance(1);
    expect([platform.saves, ids(platform.draft.fragments)]).toEqual([1, [1, 2]]);
    expect(last()).toEqual({ kind: "saved", at: "now" });
    expect(judged).toEqual(["grade of 2"]);
  });

  test("does not wait longer than five seconds while somebody works on", async () => {
    const journal = await opened();
    for (let id = 1; clock.time < LONGEST; id += 1) {
      await mark(journal, id);
      await clock.advance(500);
    }
    expect(platform.saves).toBe(1);
  });

  test("at once on request, and to the end", async () => {
    const journal = await opened();
    await mark(journal, 1);
    await journal.flush();
    expect(ids(platform.draft.fragments)).toEqual([1]);
    expect(last().kind).toBe("saved");
  });

  test("comes back when the server asks to wait", async () => {
    const journal = await opened();
    platform.later = 1;
    await mark(journal, 1);
    await clock.advance(PAUSE);
    expect(last().kind).toBe("waiting");
    await clock.advance(700);
    expect(last().kind).toBe("saved");
  });

  test("stops when the server refuses, and says why", async () => {
    const journal = await opened();
    platform.refusing = "ended";
    await mark(journal, 1);
    await clock.advance(PAUSE);
    expect(last()).toEqual({ kind: "refused", reason: "ended" });
    await mark(journal, 2);
    await clock.advance(60_000);
    expect(platform.saves).toBe(0);
    expect(store.kept?.entries).toHaveLength(2);
  });
});

describe("without a connection", () => {
  test("keeps everything, counts it, and sends it when the connection is back", async () => {
    const journal = await opened();
    platform.reachable = false;
    for (let id = 1; id <= 10; id += 1) await mark(journal, id);
    await clock.advance(PAUSE);
    expect(last()).toEqual({ kind: "kept", since: PAUSE, changes: 10 });
    platform.reachable = true;
    journal.retry();
    await clock.advance(0);
    expect(last().kind).toBe("saved");
    expect(platform.draft.fragments).toHaveLength(10);
  });

  test("what was done is there when the browser was killed and comes back offline, with its undo", async () => {
    const journal = await opened();
    platform.reachable = false;
    for (let id = 1; id <= 10; id += 1) await mark(journal, id);
    const again = await opened(store, false);
    expect(ids(again.now.fragments)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(last()).toMatchObject({ kind: "kept", changes: 10 });
    await again.record({ undo: true });
    expect(again.now.fragments).toHaveLength(9);
    platform.reachable = true;
    const online = await opened();
    await clock.advance(0);
    expect(online.now.fragments).toHaveLength(9);
    expect(platform.draft.fragments).toHaveLength(9);
  });
});

describe("another device's draft", () => {
  const theirs = [fragment(50)];

  test("is taken where nothing waits here", async () => {
    const journal = await opened();
    await mark(journal, 1);
    await journal.flush();
    platform.draft = { fragments: theirs, revision: 2, savedAt: "later" };
    const again = await opened();
    expect(ids(again.now.fragments)).toEqual([50]);
    expect(last().kind).toBe("saved");
  });

  test.each([
    ["mine", [1], 8],
    ["theirs", [50], 8],
  ] as const)("and work here are both kept until one is chosen: %s", async (choice, expected, revision) => {
    const journal = await opened();
    platform.draft = { fragments: theirs, revision: 7, savedAt: "later" };
    await mark(journal, 1);
    await clock.advance(PAUSE);
    expect(last()).toEqual({ kind: "conflict", theirs, revision: 7 });
    expect(ids(journal.now.fragments)).toEqual([1]);
    await journal.settle(choice, (outcome) => ({ do: replacement(journal.now.fragments, outcome, "import") }));
    await journal.flush();
    expect([ids(platform.draft.fragments), platform.draft.revision]).toEqual([expected, revision]);
    await journal.record({ undo: true });
    expect(ids(journal.now.fragments)).toEqual(choice === "theirs" ? [1] : []);
  });
});

test("whatever the connection does, what was done last is what the server has in the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("mark", "undo", "redo", "wait", "off", "on", "lose", "kill"), { maxLength: 40 }),
      async (events) => {
        store = new Memory();
        platform = new Platform();
        clock = new Clock();
        states = [];
        let journal = await opened();
        let id = 0;
        for (const event of events) {
          if (event === "mark") {
            id += 1;
            void mark(journal, id);
          }
          if (event === "undo") void journal.record({ undo: true });
          if (event === "redo") void journal.record({ redo: true });
          if (event === "wait") await clock.advance(1_500);
          if (event === "off") platform.reachable = false;
          if (event === "on") platform.reachable = true;
          if (event === "lose") platform.answersLost = 1;
          if (event === "kill") {
            await settled();
            journal.close();
            const before = ids(journal.now.fragments);
            journal = await opened(store, platform.reachable);
            expect(ids(journal.now.fragments)).toEqual(before);
          }
        }
        platform.reachable = true;
        platform.answersLost = 0;
        journal.retry();
        await clock.advance(60_000);
        // Opened offline and never since: the next opening asks the server.
        journal.close();
        journal = await opened();
        await clock.advance(60_000);
        expect(last().kind).toBe("saved");
        expect(ids(platform.draft.fragments)).toEqual(ids(journal.now.fragments));
        expect(states.some((state) => state.kind === "conflict")).toBe(false);
      },
    ),
  );
});

test("what was handed in is kept no longer", async () => {
  const journal = await opened();
  await mark(journal, 1);
  await journal.flush();
  await journal.forget();
  expect(store.kept).toBeNull();
});

test("a newer revision of what was saved is no conflict: work goes on on top of it", async () => {
  const journal = await opened();
  await mark(journal, 1);
  await journal.flush();
  platform.draft = { ...platform.draft, revision: platform.draft.revision + 1 };
  await mark(journal, 2);
  await clock.advance(20_000);
  expect(states.some(({ kind }) => kind === "conflict")).toBe(false);
  expect(platform.draft).toMatchObject({ revision: 3, fragments: [{ id: 1 }, { id: 2 }] });
  platform.draft = { ...platform.draft, revision: 4 };
  await journal.moved(4);
  const before = platform.saves;
  await mark(journal, 3);
  await journal.flush();
  expect([platform.draft.revision, platform.saves - before]).toEqual([5, 1]);
});
