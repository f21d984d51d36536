import { useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { binsOf } from "./bins";
import styles from "./charts.module.css";
import { SaveChart } from "./SaveChart";

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

/** How many values lie where; arrow keys walk the columns and each is told. */
export function Histogram({ name, values, file }: HistogramProps) {
  const { t } = useLingui();
  const svg = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const bins = useMemo(() => binsOf(values), [values]);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const wide = WIDTH / bins.length;
  const bin = at === null ? undefined : bins[at];
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    setAt((now) => Math.max(0, Math.min(bins.length - 1, (now ?? (step > 0 ? -1 : bins.length)) + step)));
  };
  const all = bins.filter(({ count }) => count > 0).map(({ from, to, count }) => `${from}–${to}: ${count}`);
  return (
    <figure className={styles.figure}>
      <figcaption>
        <span>{name}</span>
        <SaveChart of={svg} name={name} file={`${file}-${name}`} />
      </figcaption>
      <svg
        ref={svg}
        className={styles.histogram}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk it
        tabIndex={0}
        aria-label={t`${name}, files by value: ${all.join(", ")}`}
        onKeyDown={walk}
        onBlur={() => setAt(null)}
      >
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
      </svg>
      <p className={styles.told} role="status">
        {bin && `${bin.from}–${bin.to} %: ${bin.count}`}
      </p>
    </figure>
  );
}
