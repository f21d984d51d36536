import fc from "fast-check";
import { expect, it } from "vitest";
import { advance, begin } from "./commands";
import { toldOf } from "./markup";
import { answering, commenting, reviewOf, toReview } from "./ratings";

const KEYS = ["preliminary", "requests", "final"];

it("sends what was answered and written, and reads it back", () => {
  const answers = fc.dictionary(fc.constantFrom(...KEYS), fc.boolean());
  fc.assert(
    fc.property(answers, fc.string({ unit: "grapheme" }), (said, comment) => {
      const review = { answers: { ...said }, comment };
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
  expect(toldOf(xml)).toEqual([
    { title: "Жалобы & анамнез", texts: ["T < 38 °C 😀"], names: [] },
    { title: "Осмотр", texts: ["SpO2 < 95"], names: ['ЭКГ "покоя"'] },
  ]);
});

it("says of what is no whole XML that it is none", () => {
  for (const broken of ["<a><b></a></b>", "<a>", "</a>", "<a", "a < b", "<a x=1>"]) expect(toldOf(broken)).toBeNull();
  expect(toldOf("")).toEqual([]);
});
