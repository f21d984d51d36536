import { useLingui } from "@lingui/react/macro";
import { type Command, change } from "./commands";
import { type Fragment, fromSent, type SentFragment, type SentMarkup } from "./markup";

/** Explanations to rate as the platform hands them out: the essay, and of each explanation its fragment. */
export interface SentCards extends SentMarkup {
  cards: (Omit<SentFragment, "id"> & { fragment: string })[];
  questions: number;
}

export interface SentRatings {
  ratings: Record<string, boolean[]>;
}

/**
 * Return cards as fragments, so that journal, undoing and saving are the annotator's. The rating of an explanation is
 * its fragment's comment: a sign for each question, `+` or `-`; empty before it is rated.
 */
export function cardsOf(content: SentCards, draft: SentRatings | null): Fragment[] {
  const cards = content.cards.map(({ fragment, ...rest }) => ({ ...rest, id: fragment }));
  return fromSent({ ...content, selections: cards }).map((fragment) => ({
    ...fragment,
    comment: (draft?.ratings[String(fragment.id)] ?? []).map((yes) => (yes ? "+" : "-")).join(""),
  }));
}

export function toRatings(cards: readonly Fragment[]): SentRatings {
  const rated = cards.filter(isRated).map((card) => [String(card.id), answersOf(card)] as const);
  return { ratings: Object.fromEntries(rated) };
}

export function isRated(card: Fragment): boolean {
  return card.comment !== "";
}

export function answersOf(card: Fragment): boolean[] {
  return Array.from(card.comment, (sign) => sign === "+");
}

/** Return the step that answers a card's questions. Several of one card in a row are one step. */
export function rating(card: Fragment, answers: readonly boolean[]): Command {
  const comment = answers.map((yes) => (yes ? "+" : "-")).join("");
  return change(card, { comment }, "rate", `rate ${card.id}`);
}

/** Return the answers with the one to a question reversed; unanswered questions count as no. */
export function toggled(card: Fragment, question: number, questions: number): boolean[] {
  const answers = answersOf(card);
  return Array.from({ length: questions }, (_, place) =>
    place === question ? !answers[place] : (answers[place] ?? false),
  );
}

/** The questions of the regulation about an explanation (R-App1, M7), in its order; each is answered yes or no. */
export function useQuestions(): readonly string[] {
  const { t } = useLingui();
  return [
    t`The essay's author will most likely understand it`,
    t`It explains rightly what the error is`,
    t`It leaves no ground for an appeal`,
    t`It speaks about the text, and about this very fragment`,
    t`It teaches: it helps to avoid such errors`,
  ];
}

/** Review of a program's work: yes or no by the questions' keys, and a comment. */
interface SentReview {
  readonly answers: Readonly<Record<string, boolean>>;
  readonly comment: string;
}

const NOTHING = { start: 0, end: 0, subtype: "", comment: "", explanation: "", correction: "", tag: "" };
/** Id of the comment's fragment, a number; ids of questions are their keys, which are words. */
const COMMENT = 0;

/**
 * Return a review as fragments, so that journal, undoing and saving are the annotator's: one for each question, whose
 * comment is `+` or `-` (empty before it is answered), and one whose explanation is the comment on the whole work.
 */
export function reviewOf(keys: readonly string[], { answers, comment }: SentReview): Fragment[] {
  const cards = keys.map((key) => ({ ...NOTHING, id: key, code: key, comment: signOf(answers[key]) }));
  return [...cards, { ...NOTHING, id: COMMENT, code: "", explanation: comment }];
}

export function toReview(fragments: readonly Fragment[]): SentReview {
  const rated = fragments.filter(({ id, comment }) => id !== COMMENT && comment !== "");
  return {
    answers: Object.fromEntries(rated.map(({ code, comment }) => [code, comment === "+"])),
    comment: fragments.find(({ id }) => id === COMMENT)?.explanation ?? "",
  };
}

/** Return the step that answers a question with yes or no; null if that is its answer already. */
export function answering(fragments: readonly Fragment[], key: string, yes: boolean): Command | null {
  const card = fragments.find(({ id }) => id === key);
  return card && card.comment !== signOf(yes) ? change(card, { comment: signOf(yes) }, "answer") : null;
}

/** Return the step that changes the comment; steps in a row are one. */
export function commenting(fragments: readonly Fragment[], comment: string): Command | null {
  const card = fragments.find(({ id }) => id === COMMENT);
  return card ? change(card, { explanation: comment }, "write", "comment") : null;
}

function signOf(answer: boolean | undefined): string {
  return answer === undefined ? "" : answer ? "+" : "-";
}
