import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { useLanguage } from "@/ui/contest";
import { plain, SIGN } from "@/ui/numbers";
import { Chart } from "./Chart";
import styles from "./charts.module.css";

const WIDTH = 240;
const HEIGHT = 96;
const FOOT = 16;
const HEAD = 14;

interface HistogramProps {
  name: string;
  values: readonly number[];
  scale: Scale;
  file: string;
}

/** Histogram: the number of values in each bin. */
export function Histogram({ name, values, scale, file }: HistogramProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const bins = useMemo(() => binsOf(values, scale), [values, scale]);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const wide = WIDTH / bins.length;
  const captionOf = useSaid(scale);
  const last = bins.at(-1);
  // A bin of one count is that count, in the middle of its column; others lie between two ends.
  const isSingle = scale === "whole" && (last?.to ?? 0) === bins.length;
  const ends = isSingle ? [bins[0]?.from, last?.from] : [bins[0]?.from, last?.to];
  return (
    <Chart
      name={name}
      file={`${file}-${name}`}
      finding={useFinding(name, bins, values.length, captionOf)}
      size={[WIDTH, HEIGHT]}
      look={styles.histogram}
      columns={scale === "percent" ? [t`From, %`, t`To, %`, t`Files`] : [t`From`, t`To`, t`Files`]}
      rows={bins.map(({ from, to, count }) => [from, isSingle ? from : to, count])}
      labels={bins.map((bin) => `${captionOf(bin, bin)}: ${bin.count}`)}
    >
      {(at) => (
        <>
          {bins.map(({ from, count }, place) => {
            const high = (count / most) * (HEIGHT - FOOT - HEAD);
            return (
              <g key={from} data-on={place === at ? "" : undefined}>
                <rect x={place * wide + 1} y={HEIGHT - FOOT - high} width={wide - 2} height={high} />
                {count > 0 && (
                  <text x={(place + 0.5) * wide} y={HEIGHT - FOOT - high - 3}>
                    {count}
                  </text>
                )}
              </g>
            );
          })}
          <path d={`M0 ${HEIGHT - FOOT}H${WIDTH}`} />
          <text x={2} y={HEIGHT - 3} className={styles.first}>
            {plain(ends[0] ?? 0, language)}
          </text>
          <text x={WIDTH - 2} y={HEIGHT - 3} className={styles.last}>
            {plain(ends[1] ?? 0, language)}
          </text>
        </>
      )}
    </Chart>
  );
}

/** Return a function that formats the range of values from a first to a last bin. */
function useSaid(scale: Scale): (first: Bin, last: Bin) => string {
  const language = useLanguage();
  return (first, last) => {
    const [from, to] = [first.from, scale === "whole" ? last.to - 1 : last.to];
    const range = from === to ? plain(from, language) : `${plain(from, language)}–${plain(to, language)}`;
    return scale === "percent" ? range + SIGN.percent : range;
  };
}

/** Return the finding: the bin with most values; if two columns are equally high, the range of all values. */
function useFinding(
  name: string,
  bins: readonly Bin[],
  files: number,
  captionOf: (first: Bin, last: Bin) => string,
): string {
  const { t } = useLingui();
  const top = fullest(bins);
  if (top) return t`${name}: ${top.count} of ${files} files at ${captionOf(top, top)}`;
  const filled = bins.filter(({ count }) => count > 0);
  const [first, last] = [filled[0], filled.at(-1)];
  if (!first || !last) return name;
  return t`${name}: ${files} files at ${captionOf(first, last)}`;
}

interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Scale of values: per cents from 0 to 100, shares from 0 to 1, counts from 0 to the greatest. */
export type Scale = "percent" | "share" | "whole";

const BINS = 10;
const WHOLES = { percent: 100, share: 1 } as const;

/**
 * Ten bins from 0 to the whole, or to the next round end where a value lies beyond; a border belongs to the upper bin.
 * Few different counts have a bin each.
 */
export function binsOf(values: readonly number[], scale: Scale = "percent"): Bin[] {
  const most = Math.max(0, ...values);
  const isCount = scale === "whole";
  const count = isCount ? Math.min(BINS, most + 1) : BINS;
  const last = isCount
    ? Math.ceil((most + 1) / count) * count
    : Math.max(1, Math.ceil(most / WHOLES[scale])) * WHOLES[scale];
  const edge = (at: number) => (at * last) / count;
  const bins = Array.from({ length: count }, (_, at) => ({ from: edge(at), to: edge(at + 1), count: 0 }));
  for (const value of values) {
    const bin = bins.findLast(({ from }) => value >= from) ?? bins[0];
    if (bin) bin.count += 1;
  }
  return bins;
}

/** Return the bin with more values than any other; null if two share the maximum. */
export function fullest(bins: readonly Bin[]): Bin | null {
  const most = Math.max(0, ...bins.map(({ count }) => count));
  const highest = bins.filter(({ count }) => count === most);
  return (highest.length === 1 && highest[0]) || null;
}
