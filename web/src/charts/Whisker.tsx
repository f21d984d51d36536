import { useLingui } from "@lingui/react/macro";
import { useLanguage } from "@/ui/contest";
import { inUnit } from "@/ui/numbers";
import styles from "./charts.module.css";
import type { Ruler } from "./scale";

const WIDTH = 240;
const HEIGHT = 24;
const PAD = 16;
const TICK = 5;
const RADIUS = 4;
/** Numbers above the axis stand at least so far from the marked one's. */
const APART = 28;
const TICKS = { percent: 4, share: 2, points: 4 } as const;

export interface Measured {
  /** One value, or several of one row. */
  values: readonly (number | null)[];
  interval?: readonly number[] | null;
}

interface WhiskerProps extends Measured {
  ruler: Ruler;
}

/**
 * A row's values as dots, a single one with its 95 % interval, filled only where the whole interval lies beyond the
 * mark; where there are several, each place has a shape of its own.
 */
export function Whisker({ ruler, values, interval = null }: WhiskerProps) {
  const say = useMeasured(ruler);
  const x = ruler.axis.copy().range([PAD, WIDTH - PAD]);
  const middle = HEIGHT / 2;
  const [from, to] = interval ?? [];
  const { mark } = ruler;
  return (
    <svg
      className={styles.whisker}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={say({ values, interval })}
      data-chart="row"
    >
      {mark && <line className={styles.barrier} x1={x(mark.at)} x2={x(mark.at)} y1={0} y2={HEIGHT} />}
      {from !== undefined && to !== undefined && (
        <path
          className={styles.interval}
          d={`M${x(from)} ${middle - TICK}v${2 * TICK}M${x(from)} ${middle}H${x(to)}M${x(to)} ${middle - TICK}v${2 * TICK}`}
        />
      )}
      {values.map(
        (value, place) =>
          value !== null && (
            <Dot
              // biome-ignore lint/suspicious/noArrayIndexKey: a row's values never change their order
              key={place}
              shape={values.length > 1 ? place : SINGLE}
              beyond={mark !== null && (from ?? Number.NEGATIVE_INFINITY) >= mark.at}
              x={x(value)}
              y={middle}
            />
          ),
      )}
    </svg>
  );
}

const SINGLE = -1;

interface DotProps {
  /** The place of the value among its row's. */
  shape: number;
  beyond?: boolean;
  x: number;
  y: number;
}

/** The mark of one value: a ring, a filled dot, a diamond by its place; of a single one a ring, filled when beyond. */
function Dot({ shape, beyond = false, x, y }: DotProps) {
  if (shape === 2) {
    return (
      <path
        className={styles.beyond}
        d={`M${x} ${y - RADIUS - 1}l${RADIUS + 1} ${RADIUS + 1}l${-RADIUS - 1} ${RADIUS + 1}l${-RADIUS - 1} ${-RADIUS - 1}z`}
      />
    );
  }
  return <circle className={shape === 1 || beyond ? styles.beyond : styles.dot} cx={x} cy={y} r={RADIUS} />;
}

/** Which shape is which of a row's values. */
export function Shapes({ names }: { names: readonly string[] }) {
  return (
    <ul className={styles.shapes}>
      {names.map((name, place) => (
        <li key={name}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <Dot shape={place} x={8} y={8} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

/** A row as a sentence: its values, and where the interval and the mark are. */
export function useMeasured(ruler: Ruler): (of: Measured) => string {
  const { t } = useLingui();
  const language = useLanguage();
  const { mark, names, unit, places } = ruler;
  const said = (value: number | null) => inUnit(value, unit, language, { places });
  return ({ values, interval }) => {
    const own = values.map((value, at) => (names ? `${names[at]} ${said(value)}` : said(value)));
    const [from, to] = interval ?? [];
    return [
      ...own,
      ...(from !== undefined && to !== undefined ? [t`95 % interval from ${said(from)} to ${said(to)}`] : []),
      ...(mark ? [t`${mark.name} at ${inUnit(mark.at, unit, language, { short: true })}`] : []),
    ].join(", ");
  };
}

/** The numbers above a column of whiskers, the marked one among them. */
export function WhiskerAxis({ ruler }: { ruler: Ruler }) {
  const language = useLanguage();
  const { axis, mark, unit } = ruler;
  const x = axis.copy().range([PAD, WIDTH - PAD]);
  const ticks = axis.ticks(TICKS[unit]).filter((tick) => !mark || Math.abs(x(tick) - x(mark.at)) >= APART);
  const said = (value: number) => inUnit(value, unit, language, { short: true });
  return (
    <svg className={styles.whisker} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" data-chart="axis">
      {ticks.map((tick) => (
        <text key={tick} className={styles.tick} x={x(tick)} y={HEIGHT - 6}>
          {said(tick)}
        </text>
      ))}
      {mark && (
        <text className={styles.barrierText} x={x(mark.at)} y={HEIGHT - 6}>
          {said(mark.at)}
        </text>
      )}
    </svg>
  );
}
