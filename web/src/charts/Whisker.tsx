import { useLingui } from "@lingui/react/macro";
import { useLanguage } from "@/ui/cycle";
import { percent } from "@/ui/numbers";
import styles from "./charts.module.css";
import type { Axis } from "./scale";

/** At what relative accuracy, in per cent, the technological barrier is. */
export const BARRIER = 100;
const WIDTH = 240;
const HEIGHT = 24;
const PAD = 16;
const TICK = 5;
const RADIUS = 4;

export interface Measured {
  value: number | null;
  interval: readonly number[] | null;
}

/** A result as a dot with its 95 % interval; filled only where the whole interval lies beyond the barrier. */
export function Whisker({ axis, value, interval }: Measured & { axis: Axis }) {
  const say = useMeasured();
  const x = axis.copy().range([PAD, WIDTH - PAD]);
  const middle = HEIGHT / 2;
  const [from, to] = interval ?? [];
  return (
    <svg
      className={styles.whisker}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={say({ value, interval })}
      data-chart="row"
    >
      <line className={styles.barrier} x1={x(BARRIER)} x2={x(BARRIER)} y1={0} y2={HEIGHT} />
      {from !== undefined && to !== undefined && (
        <path
          className={styles.interval}
          d={`M${x(from)} ${middle - TICK}v${2 * TICK}M${x(from)} ${middle}H${x(to)}M${x(to)} ${middle - TICK}v${2 * TICK}`}
        />
      )}
      {value !== null && (
        <circle
          className={from !== undefined && from >= BARRIER ? styles.beyond : styles.dot}
          cx={x(value)}
          cy={middle}
          r={RADIUS}
        />
      )}
    </svg>
  );
}

/** A result as a sentence: its value, and where its interval and the barrier are. */
export function useMeasured(): (of: Measured) => string {
  const { t } = useLingui();
  const language = useLanguage();
  return ({ value, interval }) => {
    const said = percent(value, language);
    const [from, to] = interval ?? [];
    if (from === undefined || to === undefined) return said;
    return t`${said}, 95 % interval from ${percent(from, language)} to ${percent(to, language)}, barrier at 100`;
  };
}

/** The numbers above a column of whiskers, the barrier named among them. */
export function WhiskerAxis({ axis }: { axis: Axis }) {
  const x = axis.copy().range([PAD, WIDTH - PAD]);
  return (
    <svg className={styles.whisker} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" data-chart="axis">
      {axis.ticks(4).map((tick) => (
        <text key={tick} className={tick === BARRIER ? styles.barrierText : styles.tick} x={x(tick)} y={HEIGHT - 6}>
          {tick}
        </text>
      ))}
    </svg>
  );
}
