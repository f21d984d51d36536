import { type Command, change } from "./commands";
import type { Fragment } from "./markup";

/** What somebody says of a program's work: yes or no by the questions' keys, and a comment. */
export interface SentReview {
  readonly answers: Readonly<Record<string, boolean>>;
  readonly comment: string;
}

const NOTHING = { start: 0, end: 0, subtype: "", comment: "", explanation: "", correction: "", tag: "" };
/** Questions have their keys, which are words. */
const COMMENT = 0;

/**
 * A review as fragments, so that journal, undoing and saving are the annotator's: one for each question, whose comment
 * is `+` or `-` (empty before it is answered), and one whose explanation is the comment on all of it.
 */
export function reviewOf(keys: readonly string[], { answers, comment }: SentReview): Fragment[] {
  const asked = keys.map((key) => ({ ...NOTHING, id: key, code: key, comment: signOf(answers[key]) }));
  return [...asked, { ...NOTHING, id: COMMENT, code: "", explanation: comment }];
}

export function toReview(fragments: readonly Fragment[]): SentReview {
  const asked = fragments.filter(({ id, comment }) => id !== COMMENT && comment !== "");
  return {
    answers: Object.fromEntries(asked.map(({ code, comment }) => [code, comment === "+"])),
    comment: fragments.find(({ id }) => id === COMMENT)?.explanation ?? "",
  };
}

/** One step: yes or no to a question. */
export function answering(fragments: readonly Fragment[], key: string, yes: boolean): Command | null {
  const of = fragments.find(({ id }) => id === key);
  return of && of.comment !== signOf(yes) ? change(of, { comment: signOf(yes) }, "answer") : null;
}

/** Another comment; typing in a row is one step. */
export function commenting(fragments: readonly Fragment[], comment: string): Command | null {
  const of = fragments.find(({ id }) => id === COMMENT);
  return of ? change(of, { explanation: comment }, "write", "comment") : null;
}

function signOf(answer: boolean | undefined): string {
  return answer === undefined ? "" : answer ? "+" : "-";
}
