import type { Span } from "./graphemes";

/** The sentences that a span touches, as one span. */
export function sentencesAround(text: string, { start, end }: Span): Span {
  let [from, to] = [start, end];
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)) {
    const over = index + segment.length;
    if (index <= start && start < over) from = index;
    if (index < end && end <= over) to = index + segment.trimEnd().length;
  }
  return { start: from, end: Math.max(to, end) };
}
