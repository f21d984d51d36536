import { type Command, change } from "./commands";
import { type Fragment, fromSent, type SentFragment, type SentMarkup } from "./markup";

/** Explanations to rate as the platform hands them out: the essay, and of each explanation its fragment. */
export interface SentCards extends SentMarkup {
  cards: (Omit<SentFragment, "id"> & { fragment: string })[];
  /** How many questions, each to be answered with yes or no. */
  questions: number;
}

export interface SentRatings {
  ratings: Record<string, boolean[]>;
}

/**
 * Cards as fragments, so that journal, undoing and saving are the annotator's. What a rater says of an explanation is
 * its fragment's comment: a sign for each question, `+` or `-`; empty before it is rated.
 */
export function cardsOf(content: SentCards, draft: SentRatings | null): Fragment[] {
  const cards = content.cards.map(({ fragment, ...rest }) => ({ ...rest, id: fragment }));
  return fromSent({ ...content, selections: cards }).map((each) => ({
    ...each,
    comment: (draft?.ratings[String(each.id)] ?? []).map((yes) => (yes ? "+" : "-")).join(""),
  }));
}

export function toRatings(cards: readonly Fragment[]): SentRatings {
  const rated = cards.filter(isRated).map((each) => [String(each.id), answersOf(each)] as const);
  return { ratings: Object.fromEntries(rated) };
}

export function isRated(card: Fragment): boolean {
  return card.comment !== "";
}

export function answersOf(card: Fragment): boolean[] {
  return Array.from(card.comment, (sign) => sign === "+");
}

/** One step: these answers to a card. Several of one card in a row are one step. */
export function rating(card: Fragment, answers: readonly boolean[]): Command {
  const comment = answers.map((yes) => (yes ? "+" : "-")).join("");
  return change(card, { comment }, "rate", `rate ${card.id}`);
}

/** Another answer to one question; what was not answered yet is a no. */
export function toggled(card: Fragment, question: number, questions: number): boolean[] {
  const known = answersOf(card);
  return Array.from({ length: questions }, (_, place) =>
    place === question ? !known[place] : (known[place] ?? false),
  );
}
