import { type Span, widenToGraphemes } from "./graphemes";

/**
 * White space as the scoring library knows it (Python's `str.isspace`), not as JavaScript's `\s` does: U+FEFF is none,
 * U+0085 and the separators U+001C–U+001F are.
 */
const SPACE = "\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const RUN = new RegExp(`[^${SPACE}]+`, "gu");
const IS_SPACE = new RegExp(`[${SPACE}]`, "u");
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const OPENING = new Set("«(\"'[");
const CLOSING = new Set("»)\"'],.;:!?…");

/** The words of a text: runs without white space that hold a letter or digit (markup-scoring §3), in code units. */
export function words(text: string): Span[] {
  const found: Span[] = [];
  for (const run of text.matchAll(RUN)) {
    if (LETTER_OR_DIGIT.test(run[0])) found.push({ start: run.index, end: run.index + run[0].length });
  }
  return found;
}

/**
 * The fragment that a selection means: from the first selected word's start to the last one's end.
 *
 * Punctuation that only this widening took along falls off again, so that experts who select a word by a double click,
 * by dragging or by keys get the same fragment; what was selected stays, and everything stays with `whole` (Alt). White
 * space never stands at a fragment's border. Null where nothing but white space is selected.
 */
export function snap(text: string, selected: Span, whole = false): Span | null {
  let { start, end } = selected;
  while (start < end && isSpaceAt(text, start)) start += 1;
  while (end > start && isSpaceAt(text, end - 1)) end -= 1;
  if (start >= end) return null;
  let from = start;
  let to = end;
  while (from > 0 && !isSpaceAt(text, from - 1)) from -= 1;
  while (to < text.length && !isSpaceAt(text, to)) to += 1;
  if (!whole && LETTER_OR_DIGIT.test(text.slice(from, to))) {
    while (from < start && OPENING.has(text[from] as string)) from += 1;
    while (to > end && CLOSING.has(text[to - 1] as string)) to -= 1;
  }
  return widenToGraphemes(text, { start: from, end: to });
}

/** Where a border goes when it is moved by a word; it stays where no word follows. */
export function nextBorder(text: string, span: Span, side: "start" | "end", direction: -1 | 1): Span {
  const all = words(text).map((each) => core(text, each));
  const borders = all.map((each) => each[side]);
  const here = span[side];
  const to = direction > 0 ? borders.find((each) => each > here) : borders.findLast((each) => each < here);
  if (to === undefined) return span;
  const moved = { ...span, [side]: to };
  return moved.start < moved.end ? moved : span;
}

/** Moves a border by one character as a person sees characters. */
export function nextCharacter(text: string, span: Span, side: "start" | "end", direction: -1 | 1): Span {
  const at = span[side];
  const to =
    direction > 0
      ? widenToGraphemes(text, { start: at, end: Math.min(at + 1, text.length) }).end
      : widenToGraphemes(text, { start: Math.max(at - 1, 0), end: at }).start;
  const moved = { ...span, [side]: to };
  return moved.start < moved.end ? moved : span;
}

/** A word without the punctuation around it. */
function core(text: string, word: Span): Span {
  let { start, end } = word;
  while (OPENING.has(text[start] as string)) start += 1;
  while (CLOSING.has(text[end - 1] as string)) end -= 1;
  return { start, end };
}

function isSpaceAt(text: string, at: number): boolean {
  return IS_SPACE.test(text[at] as string);
}
