import fc from "fast-check";
import { expect, it } from "vitest";
import {
  advance,
  begin,
  contextOf,
  DIRECTIONS,
  editsAt,
  editsOf,
  newEdit,
  onSide,
  placeOf,
  type SentEdit,
  type SentTokens,
  textOfTokens,
  toEdits,
  tokensOf,
  withContext,
} from "./commands";
import { isWholeText } from "./markup";

/** Emoji of one and of several code points, combining marks, a token that looks like another, a sentence without any. */
const SENTENCES = ["I 👨‍👩‍👧‍👦 go their .", "", "и\u0301 их 😀 😀 , cafe\u0301 ."];
const CONTENT: SentTokens = { sentences: SENTENCES, tokens: SENTENCES.join(" ").split(" ").filter(Boolean) };
const LAST = CONTENT.tokens.length;

const spans = fc
  .tuple(fc.integer({ min: 0, max: LAST }), fc.integer({ min: 0, max: LAST }))
  .map(([one, other]) => ({ start: Math.min(one, other), end: Math.max(one, other) }));

it("finds each token where it stands, emoji and combining marks among them", () => {
  const { text, spans, sentences } = textOfTokens(CONTENT);
  expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(CONTENT.tokens);
  expect(sentences).toEqual([
    { start: 0, end: 5 },
    { start: 5, end: LAST },
  ]);
});

it("takes every place in tokens to the text and back, insertions too, and none of them for the whole text", () => {
  const of = textOfTokens(CONTENT);
  fc.assert(
    fc.property(spans, (span) => {
      const place = placeOf(of, span);
      expect(tokensOf(of, place)).toEqual(span);
      expect(isWholeText(place)).toBe(false);
    }),
  );
});

it("refuses a text whose sentences are not its tokens, instead of shifting every error", () => {
  expect(() => textOfTokens({ ...CONTENT, tokens: CONTENT.tokens.slice(1) })).toThrow("not of one text");
});

it("sends what was said of each error, and reads it back", () => {
  const context = fc.record({
    detection: fc.boolean(),
    correction: fc.boolean(),
    scope: fc.constantFrom("clause" as const, "sentence" as const),
    direction: fc.constantFrom(...DIRECTIONS),
    left: fc.nat(9),
    right: fc.nat(9),
  });
  const edit = fc.record({
    span: spans,
    correction: fc.string(),
    type: fc.string({ minLength: 1 }),
    context: fc.option(context),
    group: fc.option(fc.string({ minLength: 1 })),
  });
  fc.assert(
    fc.property(fc.array(edit), (said) => {
      const edits = said.map(
        ({ span, context, group, ...rest }): SentEdit => ({
          ...span,
          ...rest,
          context_dependent: context !== null,
          ...(context && { context }),
          ...(group !== null && { group }),
        }),
      );
      expect(toEdits(editsOf(CONTENT, { edits }), CONTENT)).toEqual({ edits });
    }),
  );
});

it("sends an error whose context is begun without one, so that the platform names it", () => {
  let history = begin([]);
  const of = textOfTokens(CONTENT);
  history = advance(history, { do: newEdit(history.fragments, of, { start: 3, end: 4 }, "R:PRON") });
  const [made] = history.fragments;
  if (!made) throw new Error("no error was made");
  expect(made.correction).toBe("their");
  history = advance(history, { do: withContext(made, { detection: true, correction: false, scope: "clause" }) });
  expect(toEdits(history.fragments, CONTENT).edits).toEqual([
    { start: 3, end: 4, correction: "their", type: "R:PRON", context_dependent: true },
  ]);
  const [open] = history.fragments;
  const whole = open && onSide(contextOf(open) ?? {}, "both");
  expect(whole).toMatchObject({ direction: "both", left: 1, right: 1 });
  history = advance(history, { do: withContext(made, whole ?? null) });
  expect(toEdits(history.fragments, CONTENT).edits[0]?.context).toEqual(whole);
  history = advance(history, { undo: true });
  expect(toEdits(history.fragments, CONTENT).edits[0]?.context).toBeUndefined();
});

it("keeps no distance on a side where the context is not", () => {
  expect(onSide({ left: 3, right: 0 }, "right")).toMatchObject({ left: 0, right: 3 });
  expect(onSide({ left: 3, right: 2 }, "left")).toMatchObject({ left: 3, right: 0 });
  expect(onSide({}, "either")).toMatchObject({ left: 1, right: 1 });
});

it("finds the error at a place: one that a token is part of, an insertion at its own place alone", () => {
  const of = textOfTokens(CONTENT);
  const edits = [
    { start: 1, end: 3, correction: "went", type: "V" },
    { start: 3, end: 3, correction: "to", type: "M" },
  ];
  const known = editsOf(CONTENT, { edits });
  const at = (start: number, end: number) => editsAt(known, of, { start, end }).map(({ correction }) => correction);
  expect(at(2, 4)).toEqual(["went"]);
  expect(at(3, 3)).toEqual(["to"]);
  expect(at(3, 4)).toEqual([]);
  expect(at(1, 1)).toEqual([]);
});
