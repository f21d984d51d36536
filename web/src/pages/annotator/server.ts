import { api, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { earlierOf } from "@/text/adoption";
import { editsOf, type SentEdits, type SentTokens, textOfTokens, toEdits } from "@/text/edits";
import type { Answer, Draft, Server } from "@/text/journal";
import { type Fragment, fromSent, type SentMarkup, toSent } from "@/text/markup";
import { cardsOf, type SentCards, type SentRatings, toRatings } from "@/text/ratings";
import type { Kind, Third } from "./desk";

export type Saved = Schemas["SavedBody"];
export type Work = Schemas["WorkBody"];
type Body = SentMarkup | SentRatings | SentEdits;

/** A request that outlives its page may carry so many bytes (the Fetch standard's limit, less the rest's share). */
const OUTLIVING = 60_000;

export function pathOf(assignmentId: string) {
  return { params: { path: { assignment_id: assignmentId } } };
}

/** What is asked for, told by the form of what is handed out. */
export function kindOf(work: Work): Kind {
  if (work.assignment.ratings) return "ratings";
  return (work.content as Partial<SentTokens> | null)?.tokens ? "edits" : "markup";
}

/** What of an assignment goes to the platform. */
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

/** The essay of an assignment that is open; of a text in tokens, its words in a row. */
export function essayOf(work: Work): SentMarkup {
  if (kindOf(work) !== "edits") return work.content as SentMarkup;
  const { text } = textOfTokens(work.content as unknown as SentTokens);
  return { meta: { subject: work.assignment.subject }, selections: [], text };
}

/** The newest draft; before the first one it is the essay as it was handed out. */
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

/** What a third expert is shown of the two before; null for everybody else. */
export function thirdOf(earlier: Work["earlier"]): Third | null {
  const [first, second] = (earlier?.markups ?? []) as SentMarkup[];
  if (!earlier || !first || !second) return null;
  const compared = earlierOf(fromSent(first), fromSent(second), earlier.comparison as Schemas["Comparison"]);
  return { ...compared, reasons: earlier.reasons };
}

export function serverOf(assignmentId: string, write: (fragments: readonly Fragment[]) => Body): Server<Saved> {
  return {
    async save(fragments: readonly Fragment[], basedOn: number, leaving: boolean): Promise<Answer<Saved>> {
      // The document knows drafts of markups alone; ratings and edits go the same way.
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
      const { data } = await api.GET("/v1/assignments/{assignment_id}", pathOf(assignmentId));
      return draftOf(data as Work);
    },
  };
}

/** Whoever is not signed in any more, or has no network, goes on with the journal alone. */
export function refused(error: unknown): Answer<never> {
  if (!(error instanceof ApiError)) return { kind: "unreachable" };
  if (error.code === "revision_conflict" || error.code === "review_changed") return { kind: "conflict" };
  if (error.status === 429) return { kind: "later", milliseconds: error.retryAfterMs ?? 1_000 };
  if (error.passing || error.status === 401) return { kind: "unreachable" };
  return { kind: "refused", reason: error };
}

/** No network, or nobody signed in any more: then what this device kept is worked on. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 401 || error.status >= 500);
}
