/** Patterns of the first and the second code unit of a surrogate pair. */
const [FIRST, SECOND] = [/[\uD800-\uDBFF]/, /[\uDC00-\uDFFF]/] as const;

/** Half-open interval of a text, in code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Return the least span around this one whose borders cut no character that a person sees as one. */
export function widenToGraphemes(text: string, { start, end }: Span): Span {
  const segments = SEGMENTER.segment(text);
  const first = segments.containing(start);
  const last = end > 0 ? segments.containing(end - 1) : undefined;
  return { start: first ? first.index : start, end: last && end > start ? last.index + last.segment.length : end };
}

export function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

/**
 * White space as in the scoring library (Python's `str.isspace`). Unlike JavaScript's `\s` it excludes U+FEFF, and
 * includes U+0085 and the separators U+001C–U+001F.
 */
const SPACE = "\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const RUN = new RegExp(`[^${SPACE}]+`, "gu");
const IS_SPACE = new RegExp(`[${SPACE}]`, "u");
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const OPENING = new Set("«(\"'[");
const CLOSING = new Set("»)\"'],.;:!?…");

/** Return a text's words: runs without white space that have a letter or digit (markup-scoring §3). */
export function words(text: string): Span[] {
  const borders: Span[] = [];
  for (const run of text.matchAll(RUN)) {
    if (LETTER_OR_DIGIT.test(run[0])) borders.push({ start: run.index, end: run.index + run[0].length });
  }
  return borders;
}

/**
 * Return a selection's fragment: from the first selected word's start to the last one's end; null for white space.
 *
 * Punctuation at the ends is excluded unless it was selected itself, so that experts who select a word by a double
 * click, by dragging or by keys get the same fragment; `whole` (Alt) includes it. White space never stands at an end.
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

/** Move a border by a word; return the span unchanged if no word follows or the span would be empty. */
export function nextBorder(text: string, span: Span, side: "start" | "end", direction: -1 | 1): Span {
  const all = words(text).map((span) => core(text, span));
  const borders = all.map((span) => span[side]);
  const here = span[side];
  const to = direction > 0 ? borders.find((border) => border > here) : borders.findLast((border) => border < here);
  if (to === undefined) return span;
  const moved = { ...span, [side]: to };
  return moved.start < moved.end ? moved : span;
}

/** Move a border by one grapheme; return the span unchanged if it would be empty. */
export function nextCharacter(text: string, span: Span, side: "start" | "end", direction: -1 | 1): Span {
  const at = span[side];
  const to =
    direction > 0
      ? widenToGraphemes(text, { start: at, end: Math.min(at + 1, text.length) }).end
      : widenToGraphemes(text, { start: Math.max(at - 1, 0), end: at }).start;
  const moved = { ...span, [side]: to };
  return moved.start < moved.end ? moved : span;
}

/** Return a word without the punctuation around it. */
function core(text: string, word: Span): Span {
  let { start, end } = word;
  while (OPENING.has(text[start] as string)) start += 1;
  while (CLOSING.has(text[end - 1] as string)) end -= 1;
  return { start, end };
}

function isSpaceAt(text: string, at: number): boolean {
  return IS_SPACE.test(text[at] as string);
}

/**
 * Converter of a text's offsets between code points and code units.
 *
 * The contest counts Unicode code points (markup-scoring §1), the browser UTF-16 code units. Inside the site offsets
 * are code units; they are converted where annotations come from the API and where they are sent to it.
 */
export class Offsets {
  /** Offsets of the second halves of surrogate pairs, in code units, ascending. */
  private readonly seconds: readonly number[];
  readonly units: number;

  constructor(text: string) {
    const seconds: number[] = [];
    for (let at = 1; at < text.length; at += 1) {
      if (SECOND.test(text[at] ?? "") && FIRST.test(text[at - 1] ?? "")) seconds.push(at);
    }
    this.seconds = seconds;
    this.units = text.length;
  }

  get codePoints(): number {
    return this.units - this.seconds.length;
  }

  /** Convert an offset into code points; one inside a surrogate pair becomes the pair's start. */
  toCodePoints(unit: number): number {
    return unit - this.countUpTo(unit);
  }

  /** Convert an offset in code points into code units. */
  toUnits(codePoint: number): number {
    let low = 0;
    let high = this.seconds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // The pair whose second half this is has `second - 1 - middle` code points before it.
      if ((this.seconds[middle] as number) - 1 - middle < codePoint) low = middle + 1;
      else high = middle;
    }
    return codePoint + low;
  }

  private countUpTo(unit: number): number {
    let low = 0;
    let high = this.seconds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.seconds[middle] as number) <= unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const LINE = /[^\r\n]*(?:\r\n|\r|\n|$)/gu;

/** Return a text's paragraphs with their line ends: joined they are the text. An empty text is one empty paragraph. */
export function paragraphs(text: string): Span[] {
  const spans: Span[] = [];
  for (const line of text.matchAll(LINE)) {
    if (line[0].length > 0) spans.push({ start: line.index, end: line.index + line[0].length });
  }
  return spans.length > 0 ? spans : [{ start: 0, end: 0 }];
}

/** Return the index of the paragraph that contains an offset; the text's end belongs to the last paragraph. */
export function paragraphAt(all: readonly Span[], at: number): number {
  let low = 0;
  let high = all.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as Span).end <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the sentences that a span touches, as one span. */
export function sentencesAround(text: string, { start, end }: Span): Span {
  let [from, to] = [start, end];
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)) {
    const over = index + segment.length;
    if (index <= start && start < over) from = index;
    if (index < end && end <= over) to = index + segment.trimEnd().length;
  }
  return { start: from, end: Math.max(to, end) };
}

/** Return the spans at a place, the shortest first and then outward; among equally long ones the later start first. */
export function hits<Of extends Span>(spans: readonly Of[], at: number): Of[] {
  return spans
    .filter((span) => span.start <= at && at <= span.end && span.start < span.end)
    .sort((one, other) => one.end - one.start - (other.end - other.start) || other.start - one.start);
}

/** Return the span after the active one in that order; after the outermost comes the shortest again. */
export function outward<Of extends Span>(hitSpans: readonly Of[], active: Of | undefined): Of | undefined {
  const at = active ? hitSpans.indexOf(active) : -1;
  return hitSpans[(at + 1) % Math.max(hitSpans.length, 1)];
}

/**
 * Assign a lane to each span so that overlapping spans never share one: by start, the longer first, each the lowest
 * free lane. Adding a span moves only spans that overlap it, directly or through others. The number of lanes is the
 * greatest number of spans over one place.
 */
export function lanes<Key>(spans: ReadonlyMap<Key, Span>): Map<Key, number> {
  const ordered = [...spans]
    .filter(([, span]) => span.start < span.end)
    .sort(([, one], [, other]) => one.start - other.start || other.end - one.end);
  const ends: number[] = [];
  const depths = new Map<Key, number>();
  for (const [key, span] of ordered) {
    const free = ends.findIndex((end) => end <= span.start);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = span.end;
    depths.set(key, lane);
  }
  return depths;
}
