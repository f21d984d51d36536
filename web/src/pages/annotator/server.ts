import { api, read, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { earlierOf } from "@/text/adoption";
import type { Code } from "@/text/codes";
import { type Entry, editsOf, type SentEdits, type SentTokens, textOfTokens, toEdits } from "@/text/commands";
import type { Answer, Draft, Sent, Server, Store, StoredJournal } from "@/text/journal";
import { type Fragment, fromSent, type SentMarkup, toSent } from "@/text/markup";
import { cardsOf, reviewOf, type SentCards, type SentRatings, toRatings, toReview } from "@/text/ratings";
import type { Kind, Third } from "./desk";

export type Saved = Schemas["SavedBody"];
export type Work = Schemas["WorkBody"];
type Body = SentMarkup | SentRatings | SentEdits;

/** Maximum body size, in bytes, of a request that outlives its page (Fetch's limit, less the share of the rest). */
const OUTLIVING = 60_000;

/** Return the kind of work, derived from the form of its content. */
export function kindOf(work: Work): Kind {
  if (work.assignment.ratings) return "ratings";
  return (work.content as Partial<SentTokens> | null)?.tokens ? "edits" : "markup";
}

/** Return the function that converts an assignment's fragments into the request body for the platform. */
export function writerOf(work: Work, groupOf: (code: string) => string): (fragments: readonly Fragment[]) => Body {
  switch (kindOf(work)) {
    case "ratings":
      return toRatings;
    case "edits":
      return (fragments) => toEdits(fragments, work.content as unknown as SentTokens);
    case "markup":
      return (fragments) => toSent(fragments, essayOf(work), groupOf);
  }
}

/** Return the essay of an open assignment; for a text in tokens, its words joined. */
export function essayOf(work: Work): SentMarkup {
  if (kindOf(work) !== "edits") return work.content as SentMarkup;
  const { text } = textOfTokens(work.content as unknown as SentTokens);
  return { meta: { subject: work.assignment.subject }, selections: [], text };
}

/** Return the newest draft; before the first one, the essay as it was handed out. */
export function draftOf(work: Work): Draft {
  const latest = work.assignment.draft;
  return { fragments: fragmentsOf(work), revision: latest?.revision ?? 0, savedAt: latest?.saved_at ?? null };
}

function fragmentsOf(work: Work): readonly Fragment[] {
  switch (kindOf(work)) {
    case "ratings":
      return cardsOf(work.content as SentCards, (work.draft ?? null) as SentRatings | null);
    case "edits":
      return editsOf(work.content as unknown as SentTokens, (work.draft ?? null) as SentEdits | null);
    case "markup":
      return fromSent((work.draft ?? work.content) as SentMarkup);
  }
}

/** Return the two anonymous markups with the reasons for the third reading; null if there are none. */
export function thirdOf(earlier: Work["earlier"] | Work["decided"]): Third | null {
  const [first, second] = (earlier?.markups ?? []) as SentMarkup[];
  if (!earlier || !first || !second) return null;
  const compared = earlierOf(fromSent(first), fromSent(second), earlier.comparison as Schemas["Comparison"]);
  return { ...compared, reasons: earlier.reasons };
}

/** Return the suggestions on an essay; null if there are none. */
export function suggestedOf(work: Work): readonly Fragment[] | null {
  return work.suggested && kindOf(work) === "markup" ? fromSent(work.suggested as SentMarkup) : null;
}

export function serverOf(assignmentId: string, write: (fragments: readonly Fragment[]) => Body): Server<Saved> {
  return {
    async save(fragments: readonly Fragment[], basedOn: number, leaving: boolean): Promise<Answer<Saved>> {
      // The OpenAPI document describes markup drafts only; ratings and edits are sent the same way.
      const body = write(fragments) as Schemas["MarkupSent"];
      try {
        const { data } = await api.PUT("/v1/assignments/{assignment_id}/draft", {
          params: { path: { assignment_id: assignmentId }, header: { "if-match": `"${basedOn}"` } },
          body,
          keepalive: leaving && new Blob([JSON.stringify(body)]).size < OUTLIVING,
        });
        const draft = data?.assignment.draft;
        if (!data || !draft) return { kind: "unreachable" };
        return { kind: "saved", revision: draft.revision, at: draft.saved_at, judged: data };
      } catch (error) {
        return refused(error);
      }
    },
    async latest() {
      return draftOf(await read("/v1/assignments/{assignment_id}", { assignment_id: assignmentId }));
    },
  };
}

/** Convert an error into an answer; without a sign-in or a network the work continues in the journal alone. */
function refused(error: unknown): Answer<never> {
  if (!(error instanceof ApiError)) return { kind: "unreachable" };
  if (error.code === "revision_conflict" || error.code === "review_changed") return { kind: "conflict" };
  if (error.status === 429) return { kind: "later", milliseconds: error.retryAfterMs ?? 1_000 };
  if (error.passing || error.status === 401) return { kind: "unreachable" };
  return { kind: "refused", reason: error };
}

/** True without a network or a sign-in, or on a server error: then the work stored on this device is used. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 401 || error.status >= 500);
}

type RoundBody = Schemas["RoundBody"];

export function draftOfRound(round: RoundBody): Draft {
  const keys = round.questions.map(({ key }) => key);
  return { fragments: reviewOf(keys, round), revision: round.revision, savedAt: null };
}

/** Return the server that saves a round's review; a late one is refused, never counted for the next round. */
export function roundServer(of: RoundBody): Server<RoundBody> {
  return {
    async save(fragments: readonly Fragment[], basedOn: number, leaving: boolean): Promise<Answer<RoundBody>> {
      try {
        const body = { ...toReview(fragments), revision: basedOn, round: of.round };
        const { data } = await api.PUT("/v1/round/review", { body, keepalive: leaving });
        if (!data) return { kind: "unreachable" };
        return { kind: "saved", revision: data.revision, at: data.server_time, judged: data };
      } catch (error) {
        return refused(error);
      }
    },
    async latest() {
      const round = await read("/v1/round", {});
      if (round.round !== of.round) throw new Error("another round is open");
      return draftOfRound(round);
    },
  };
}

/** Data needed to continue an essay while the platform cannot be reached. */
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
  kept?: Omit<StoredJournal, "entries">;
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

type Requests<T> = (store: (name: string) => IDBObjectStore) => IDBRequest<T> | undefined;

/** Run one transaction; resolve with the result of its last request once it is on disk. */
async function transact<T>(mode: IDBTransactionMode, names: string[], work: Requests<T>): Promise<T | undefined> {
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
    const stored: IDBRequest<Row | undefined> = store("essays").get(essay);
    stored.onsuccess = () => store("essays").put(how(stored.result ?? { essay }));
    return undefined;
  });
}

/** Return an essay's journal store in this browser's database; an assignment has one expert, so its id is enough. */
export function storeOf(essay: string): Store {
  const note = (how: (stored: Omit<StoredJournal, "entries">) => Omit<StoredJournal, "entries">) =>
    change(essay, (row) => (row.kept ? { ...row, kept: how(row.kept) } : row));
  return {
    async read() {
      const row = await transact<Row>("readonly", ["essays"], (store) => store("essays").get(essay));
      if (!row?.kept) return null;
      const rows = await transact<{ entry: Entry }[]>("readonly", ["entries"], (store) =>
        store("entries").getAll(allOf(essay)),
      );
      return { ...row.kept, entries: (rows ?? []).map((row) => row.entry) };
    },
    async reset(base: readonly Fragment[], revision: number) {
      await transact("readwrite", ["entries"], (store) => {
        store("entries").delete(allOf(essay));
        return undefined;
      });
      const stored = { base, baseRevision: revision, revision, savedEntries: 0, sent: [] };
      await change(essay, (row) => ({ ...row, kept: stored }));
    },
    async append(place: number, entry: Entry) {
      await transact("readwrite", ["entries"], (store) => store("entries").put({ essay, place, entry }));
    },
    markSent: (sent: Sent) => note((stored) => ({ ...stored, sent: [...stored.sent, sent] })),
    markSaved: (revision: number, savedEntries: number) =>
      note((stored) => ({ ...stored, revision, savedEntries, sent: [] })),
    async clear() {
      await transact("readwrite", ["essays", "entries"], (store) => {
        store("essays").delete(essay);
        store("entries").delete(allOf(essay));
        return undefined;
      });
    },
  };
}

export function remember(essay: string, opened: Taken): Promise<void> {
  return change(essay, (row) => ({ ...row, taken: opened }));
}

export async function recall(essay: string): Promise<Taken | null> {
  const row = await transact<Row>("readonly", ["essays"], (store) => store("essays").get(essay));
  return row?.taken ?? null;
}

const ROUND = "round";

/** Store the round shown last, to continue it while the platform cannot be reached. */
export function rememberRound(round: Schemas["RoundBody"]): Promise<void> {
  return change(ROUND, (row) => ({ ...row, round }));
}

export async function recallRound(): Promise<Schemas["RoundBody"] | null> {
  const row = await transact<Row>("readonly", ["essays"], (store) => store("essays").get(ROUND));
  return row?.round ?? null;
}

/** Return the codes picked on this device for a subject, the latest first. */
export async function picksOf(subject: string): Promise<string[]> {
  const row = await transact<{ picks: string[] }>("readonly", ["picks"], (store) => store("picks").get(subject));
  return row?.picks ?? [];
}

export async function keepPicks(subject: string, picks: readonly string[]): Promise<void> {
  await transact("readwrite", ["picks"], (store) => store("picks").put({ subject, picks: picks.slice(0, MOST_PICKS) }));
}
