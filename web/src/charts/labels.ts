const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text that is no longer than so many characters as a person counts them; what is cut off is told by "…". */
export function short(text: string, most: number): string {
  const all = [...SEGMENTER.segment(text)];
  if (all.length <= most) return text;
  return `${all
    .slice(0, Math.max(0, most - 1))
    .map(({ segment }) => segment)
    .join("")
    .trimEnd()}…`;
}
