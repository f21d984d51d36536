import type { Schemas } from "@/api/client";
import type { Code } from "@/text/codes";
import type { Entry } from "@/text/commands";
import type { Kept, Sent, Store } from "@/text/journal";
import type { Fragment } from "@/text/markup";

/** What it takes to go on with an essay while the platform cannot be reached. */
export interface Taken {
  readonly work: Schemas["WorkBody"];
  readonly codes: readonly Code[];
  /** Titles of categories by language. */
  readonly titles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Row {
  essay: string;
  taken?: Taken;
  round?: Schemas["RoundBody"];
  kept?: Omit<Kept, "entries">;
}

const [NAME, VERSION] = ["hurdle.annotator", 1];
const MOST_PICKS = 300;
let opening: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("essays", { keyPath: "essay" });
      request.result.createObjectStore("entries", { keyPath: ["essay", "place"] });
      request.result.createObjectStore("picks", { keyPath: "subject" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

type Work<T> = (store: (name: string) => IDBObjectStore) => IDBRequest<T> | undefined;

/** One transaction; resolves when it is on the disk, with what its last request found. */
async function transact<T>(mode: IDBTransactionMode, names: string[], work: Work<T>): Promise<T | undefined> {
  const transaction = (await database()).transaction(names, mode, { durability: "strict" });
  const request = work((name) => transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

function allOf(essay: string): IDBKeyRange {
  return IDBKeyRange.bound([essay, 0], [essay, Number.MAX_SAFE_INTEGER]);
}

async function change(essay: string, how: (row: Row) => Row): Promise<void> {
  await transact<Row>("readwrite", ["essays"], (store) => {
    const found: IDBRequest<Row | undefined> = store("essays").get(essay);
    found.onsuccess = () => store("essays").put(how(found.result ?? { essay }));
    return undefined;
  });
}

/** The journal of one essay in this browser's database. An assignment has one expert, so its id is the person's too. */
export function storeOf(essay: string): Store {
  const note = (how: (kept: Omit<Kept, "entries">) => Omit<Kept, "entries">) =>
    change(essay, (row) => (row.kept ? { ...row, kept: how(row.kept) } : row));
  return {
    async read() {
      const row = await transact<Row>("readonly", ["essays"], (store) => store("essays").get(essay));
      if (!row?.kept) return null;
      const rows = await transact<{ entry: Entry }[]>("readonly", ["entries"], (store) =>
        store("entries").getAll(allOf(essay)),
      );
      return { ...row.kept, entries: (rows ?? []).map((each) => each.entry) };
    },
    async reset(base: readonly Fragment[], revision: number) {
      await transact("readwrite", ["entries"], (store) => {
        store("entries").delete(allOf(essay));
        return undefined;
      });
      const kept = { base, baseRevision: revision, revision, savedEntries: 0, sent: [] };
      await change(essay, (row) => ({ ...row, kept }));
    },
    async append(place: number, entry: Entry) {
      await transact("readwrite", ["entries"], (store) => store("entries").put({ essay, place, entry }));
    },
    markSent: (sent: Sent) => note((kept) => ({ ...kept, sent: [...kept.sent, sent] })),
    markSaved: (revision: number, savedEntries: number) =>
      note((kept) => ({ ...kept, revision, savedEntries, sent: [] })),
    async clear() {
      await transact("readwrite", ["essays", "entries"], (store) => {
        store("essays").delete(essay);
        store("entries").delete(allOf(essay));
        return undefined;
      });
    },
  };
}

export function remember(essay: string, taken: Taken): Promise<void> {
  return change(essay, (row) => ({ ...row, taken }));
}

export async function recall(essay: string): Promise<Taken | null> {
  const row = await transact<Row>("readonly", ["essays"], (store) => store("essays").get(essay));
  return row?.taken ?? null;
}

const ROUND = "round";

/** The round that was shown here last, to go on with while the platform cannot be reached. */
export function rememberRound(round: Schemas["RoundBody"]): Promise<void> {
  return change(ROUND, (row) => ({ ...row, round }));
}

export async function recallRound(): Promise<Schemas["RoundBody"] | null> {
  const row = await transact<Row>("readonly", ["essays"], (store) => store("essays").get(ROUND));
  return row?.round ?? null;
}

/** The codes that were taken here for a subject, the latest first. */
export async function picksOf(subject: string): Promise<string[]> {
  const row = await transact<{ picks: string[] }>("readonly", ["picks"], (store) => store("picks").get(subject));
  return row?.picks ?? [];
}

export async function keepPicks(subject: string, picks: readonly string[]): Promise<void> {
  await transact("readwrite", ["picks"], (store) => store("picks").put({ subject, picks: picks.slice(0, MOST_PICKS) }));
}
