import type { Span } from "./graphemes";

const LINE = /[^\r\n]*(?:\r\n|\r|\n|$)/gu;

/** The paragraphs of a text with their line ends: joined they are the text. An empty text is one empty paragraph. */
export function paragraphs(text: string): Span[] {
  const found: Span[] = [];
  for (const line of text.matchAll(LINE)) {
    if (line[0].length > 0) found.push({ start: line.index, end: line.index + line[0].length });
  }
  return found.length > 0 ? found : [{ start: 0, end: 0 }];
}

/** The paragraph that holds a place; a place at the very end belongs to the last one. */
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
