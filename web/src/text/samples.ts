import fc from "fast-check";

/** Hard cases for positions: surrogate pairs, joined emoji, combining marks, every line end, odd blanks. */
const HARD = [
  "😀",
  "👨‍👩‍👧‍👦",
  "🇷🇺",
  "e\u0301",
  "и\u0306",
  "\u0301",
  "\r\n",
  "\n",
  "\r",
  "\ufeff",
  "\u00a0",
  "\u200d",
  "\u0085",
  "𝒳",
  "«",
  "»",
  "…",
  ",",
  "-",
  "—",
  "(",
  " ",
  "<b>",
];

/** Texts with hard cases among plain words. */
export const hardText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HARD),
      fc.constantFrom(" ", "кто-то", "Петра", "word", "1812", ". "),
      // Whole characters only: an essay is UTF-8, so it holds no half of a surrogate pair.
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

/** A text with a span of it, which may be empty. */
export const textAndSpan = hardText.chain((text) =>
  fc
    .tuple(fc.nat(text.length), fc.nat(text.length))
    .map(([one, other]) => ({ text, span: { start: Math.min(one, other), end: Math.max(one, other) } })),
);
