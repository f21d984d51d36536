import fc from "fast-check";
import { expect, it } from "vitest";
import { advance, begin } from "./commands";
import { answersOf, cardsOf, isRated, rating, type SentCards, toggled, toRatings } from "./ratings";

const CONTENT: SentCards = {
  meta: { subject: "hist" },
  text: "😀 Пётр правил",
  selections: [],
  questions: 5,
  cards: [
    { fragment: "7", startSelection: 2, endSelection: 6, type: "И.факт", explanation: "не он" },
    { fragment: "2", startSelection: 0, endSelection: 0, type: "И.упрощ", explanation: "просто" },
  ],
};

it("shows cards in the order in which they came, at their places in code units", () => {
  const cards = cardsOf(CONTENT, { ratings: { 2: [true, false, true, false, true] } });
  expect(cards.map(({ id, start, end }) => [id, CONTENT.text.slice(start, end)])).toEqual([
    ["7", "Пётр"],
    ["2", ""],
  ]);
  expect(cards.map(isRated)).toEqual([false, true]);
});

it("counts what was not answered yet as a no from the first answer on", () => {
  const [card] = cardsOf(CONTENT, null);
  expect(card && toggled(card, 3, 5)).toEqual([false, false, false, true, false]);
});

it("sends what was answered, and nothing of what was not", () => {
  const answers = fc.array(fc.boolean(), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("7", "2"), answers), (ratings) => {
      let history = begin(cardsOf(CONTENT, null));
      for (const card of history.fragments) {
        const said = ratings[String(card.id)];
        if (said) history = advance(history, { do: rating(card, said) });
      }
      expect(toRatings(history.fragments)).toEqual({ ratings: { ...ratings } });
      expect(cardsOf(CONTENT, toRatings(history.fragments))).toEqual(history.fragments);
      for (const card of history.fragments) expect(answersOf(card)).toEqual(ratings[String(card.id)] ?? []);
    }),
  );
});
