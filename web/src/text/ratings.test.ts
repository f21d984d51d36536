import fc from "fast-check";
import { expect, it } from "vitest";
import { advance, begin } from "./commands";
import { sectionsOf } from "./markup";
import {
  answering,
  answersOf,
  cardsOf,
  commenting,
  isRated,
  rating,
  reviewOf,
  type SentCards,
  toggled,
  toRatings,
  toReview,
} from "./ratings";

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
        const answers = ratings[String(card.id)];
        if (answers) history = advance(history, { do: rating(card, answers) });
      }
      expect(toRatings(history.fragments)).toEqual({ ratings: { ...ratings } });
      expect(cardsOf(CONTENT, toRatings(history.fragments))).toEqual(history.fragments);
      for (const card of history.fragments) expect(answersOf(card)).toEqual(ratings[String(card.id)] ?? []);
    }),
  );
});

const KEYS = ["preliminary", "requests", "final"];

it("sends what was answered and written, and reads it back", () => {
  const answers = fc.dictionary(fc.constantFrom(...KEYS), fc.boolean());
  fc.assert(
    fc.property(answers, fc.string({ unit: "grapheme" }), (answers, comment) => {
      const review = { answers: { ...answers }, comment };
      expect(toReview(reviewOf(KEYS, review))).toEqual(review);
    }),
  );
});

it("answers one question in one step that can be undone, and changes nothing where nothing changes", () => {
  let history = begin(reviewOf(KEYS, { answers: { final: true }, comment: "" }));
  expect(answering(history.fragments, "final", true)).toBeNull();
  for (const command of [answering(history.fragments, "final", false), commenting(history.fragments, "е\u0301 😀")]) {
    if (command) history = advance(history, { do: command });
  }
  expect(toReview(history.fragments)).toEqual({ answers: { final: false }, comment: "е\u0301 😀" });
  history = advance(advance(history, { undo: true }), { undo: true });
  expect(toReview(history.fragments)).toEqual({ answers: { final: true }, comment: "" });
});

it("tells a clinical document by its sections, entities and character data among them", () => {
  const xml = `\uFEFF<?xml version="1.0"?><!-- x --><Document version='v3F'>
    <section><title>Жалобы &amp; анамнез</title><text>T &lt; 38 &#176;C &#x1F600;</text></section>
    <section><title>Осмотр</title><text><![CDATA[SpO2 < 95]]></text><code code="A05" displayName="ЭКГ &quot;покоя&quot;"/></section>
  </Document>`;
  expect(sectionsOf(xml)).toEqual([
    { title: "Жалобы & анамнез", texts: ["T < 38 °C 😀"], names: [] },
    { title: "Осмотр", texts: ["SpO2 < 95"], names: ['ЭКГ "покоя"'] },
  ]);
});

it("says of what is no whole XML that it is none", () => {
  for (const broken of ["<a><b></a></b>", "<a>", "</a>", "<a", "a < b", "<a x=1>"])
    expect(sectionsOf(broken)).toBeNull();
  expect(sectionsOf("")).toEqual([]);
});
