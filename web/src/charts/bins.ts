export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** From what to what values go: per cents from 0 to 100, shares from 0 to 1, counts from 0 to the greatest. */
export type Scale = "percent" | "share" | "whole";

const BINS = 10;
const WHOLES = { percent: 100, share: 1 } as const;

/**
 * Ten bins from 0 to the whole, or to the next round end where a value lies beyond; a border belongs to the upper bin.
 * Few different counts have a bin each.
 */
export function binsOf(values: readonly number[], of: Scale = "percent"): Bin[] {
  const most = Math.max(0, ...values);
  const isCount = of === "whole";
  const count = isCount ? Math.min(BINS, most + 1) : BINS;
  const last = isCount ? Math.ceil((most + 1) / count) * count : Math.max(1, Math.ceil(most / WHOLES[of])) * WHOLES[of];
  const edge = (at: number) => (at * last) / count;
  const bins = Array.from({ length: count }, (_, at) => ({ from: edge(at), to: edge(at + 1), count: 0 }));
  for (const value of values) {
    const bin = bins.findLast(({ from }) => value >= from) ?? bins[0];
    if (bin) bin.count += 1;
  }
  return bins;
}

/** The bin with more values than any other; null where two share that. */
export function fullest(bins: readonly Bin[]): Bin | null {
  const most = Math.max(0, ...bins.map(({ count }) => count));
  const found = bins.filter(({ count }) => count === most);
  return (found.length === 1 && found[0]) || null;
}
