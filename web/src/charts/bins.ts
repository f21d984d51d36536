export interface Bin {
  from: number;
  to: number;
  count: number;
}

const LEAST = 100;
const BINS = 10;

/** Ten bins from 0 to 100, or to the next round end where a value lies beyond; a border belongs to the upper bin. */
export function binsOf(values: readonly number[]): Bin[] {
  const width = Math.ceil(Math.max(LEAST, ...values) / LEAST) * (LEAST / BINS);
  const bins = Array.from({ length: BINS }, (_, at) => ({ from: at * width, to: (at + 1) * width, count: 0 }));
  for (const value of values) {
    const bin = bins[Math.min(BINS - 1, Math.max(0, Math.floor(value / width)))];
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
