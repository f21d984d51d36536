import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { type Bin, binsOf, fullest } from "./bins";
import { Chart } from "./Chart";
import styles from "./charts.module.css";

const WIDTH = 240;
const HEIGHT = 96;
const FOOT = 16;
const HEAD = 14;

interface HistogramProps {
  name: string;
  values: readonly number[];
  /** What files that are made of it are called. */
  file: string;
}

/** How many values lie where. */
export function Histogram({ name, values, file }: HistogramProps) {
  const { t } = useLingui();
  const bins = useMemo(() => binsOf(values), [values]);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const wide = WIDTH / bins.length;
  return (
    <Chart
      name={name}
      file={`${file}-${name}`}
      finding={useFinding(name, bins, values.length)}
      size={[WIDTH, HEIGHT]}
      look={styles.histogram}
      columns={[t`From, %`, t`To, %`, t`Files`]}
      rows={bins.map(({ from, to, count }) => [from, to, count])}
      told={bins.map(({ from, to, count }) => `${from}–${to} %: ${count}`)}
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
            0
          </text>
          <text x={WIDTH - 2} y={HEIGHT - 3} className={styles.last}>
            {bins.at(-1)?.to}
          </text>
        </>
      )}
    </Chart>
  );
}

/** Where most values lie; where two columns are equally high, from where to where all lie. */
function useFinding(name: string, bins: readonly Bin[], files: number): string {
  const { t } = useLingui();
  const top = fullest(bins);
  const filled = top ? [top] : bins.filter(({ count }) => count > 0);
  const [from, to] = [filled[0]?.from ?? 0, filled.at(-1)?.to ?? 0];
  const count = top?.count;
  if (top) return t`${name}: ${count} of ${files} files at ${from}–${to} %`;
  return t`${name}: ${files} files between ${from} and ${to} %`;
}
