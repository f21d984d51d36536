/** A half-open part of a text, in code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The least span around this one whose borders cut no character that a person sees as one. */
export function widenToGraphemes(text: string, { start, end }: Span): Span {
  const segments = SEGMENTER.segment(text);
  const first = segments.containing(start);
  const last = end > 0 ? segments.containing(end - 1) : undefined;
  return {
    start: first ? first.index : start,
    end: last && end > start ? last.index + last.segment.length : end,
  };
}

export function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}
