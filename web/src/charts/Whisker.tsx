import { useLingui } from "@lingui/react/macro";
import { scaleLinear } from "d3-scale";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from "react";
import { type Mark, useLanguage } from "@/ui/contest";
import { inUnit, PLACES, type Unit } from "@/ui/numbers";
import { DOWN, type Figure, SaveChart, stackOf, useWalk } from "./Chart";
import styles from "./charts.module.css";

const WIDTH = 240;
const HEIGHT = 24;
const PAD = 16;
const TICK = 5;
const RADIUS = 4;
/** Numbers above the axis stand at least so far from the marked one's. */
const APART = 28;
const TICKS = { percent: 4, share: 2, points: 4 } as const;

interface Measured {
  /** Values of one row: one or several. */
  values: readonly (number | null)[];
  interval?: readonly number[] | null;
}

interface WhiskerProps extends Measured {
  ruler: Ruler;
}

/**
 * A row's values as dots. A single one has its 95 % interval and is filled only if the whole interval is beyond the
 * mark; of several values each position has its own shape.
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

/** Symbol of a value by its position: ring, filled dot or diamond; a single one is a ring, filled when beyond. */
function Dot({ shape, beyond = false, x, y }: { shape: number; beyond?: boolean; x: number; y: number }) {
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

function Shapes({ names }: { names: readonly string[] }) {
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

/** Return a function that describes a row: its values, its interval, and the mark's name and value. */
function useMeasured(ruler: Ruler): (measures: Measured) => string {
  const { t } = useLingui();
  const language = useLanguage();
  const { mark, names, unit, places } = ruler;
  const figure = (value: number | null) => inUnit(value, unit, language, { places });
  return ({ values, interval }) => {
    const own = values.map((value, at) => (names ? `${names[at]} ${figure(value)}` : figure(value)));
    const [from, to] = interval ?? [];
    return [
      ...own,
      ...(from !== undefined && to !== undefined ? [t`95 % interval from ${figure(from)} to ${figure(to)}`] : []),
      ...(mark ? [t`${mark.name} at ${inUnit(mark.at, unit, language, { short: true })}`] : []),
    ].join(", ");
  };
}

/** Axis above a column of whiskers: its numbers, with the mark's among them. */
export function WhiskerAxis({ ruler }: { ruler: Ruler }) {
  const language = useLanguage();
  const { axis, mark, unit } = ruler;
  const x = axis.copy().range([PAD, WIDTH - PAD]);
  const ticks = axis.ticks(TICKS[unit]).filter((tick) => !mark || Math.abs(x(tick) - x(mark.at)) >= APART);
  const figure = (value: number) => inUnit(value, unit, language, { short: true });
  return (
    <svg className={styles.whisker} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" data-chart="axis">
      {ticks.map((tick) => (
        <text key={tick} className={styles.tick} x={x(tick)} y={HEIGHT - 6}>
          {figure(tick)}
        </text>
      ))}
      {mark && (
        <text className={styles.barrierText} x={x(mark.at)} y={HEIGHT - 6}>
          {figure(mark.at)}
        </text>
      )}
    </svg>
  );
}

export interface MeasuredRow extends Measured {
  name: string;
}

interface WhiskerTableProps extends Pick<Figure, "name" | "file" | "columns"> {
  finding: string;
  rows: readonly MeasuredRow[];
  ruler: Ruler;
  /** True if the rows have no focusable content: then the table itself is walked. */
  walked: boolean;
  keeps?: boolean;
  look?: string | undefined;
  /** The table; each row with a whisker has its number in `data-row`. */
  children: (at: number | null) => ReactNode;
}

/** Table with a whisker in each row, so no second table is needed: ↑ and ↓ walk its rows; it is saved as one chart. */
export function WhiskerTable({
  name,
  file,
  columns,
  finding,
  rows,
  ruler,
  walked,
  keeps = true,
  look,
  children,
}: WhiskerTableProps) {
  const table = useRef<HTMLElement>(null);
  const say = useMeasured(ruler);
  const hasIntervals = rows.some(({ interval }) => interval);
  const { at, setAt, walk } = useWalk(rows.length, DOWN);
  const on = at === null ? undefined : rows[at];
  const picture = () => {
    // Cards have the axis in each row, the picture once.
    const charts = [...(table.current?.querySelectorAll<SVGSVGElement>("svg[data-chart]") ?? [])].filter(
      ({ dataset }, at) => at === 0 || dataset.chart === "row",
    );
    const named = charts.map((chart) => ({
      name: (chart.dataset.chart === "row" && rows[rowOf(chart)]?.name) || "",
      chart,
    }));
    return charts.length > 0 ? stackOf(named, finding) : null;
  };
  return (
    <>
      <p className={styles.finding}>{finding}</p>
      {ruler.names && <Shapes names={ruler.names} />}
      <section
        ref={table}
        className={`${styles.walked} ${look ?? ""}`}
        aria-label={name}
        {...(walked && { tabIndex: 0 })}
        onKeyDown={(event: KeyboardEvent) => event.target === event.currentTarget && walked && walk(event)}
        onFocus={({ target, currentTarget }: FocusEvent) => {
          if (target !== currentTarget) setAt(rowOf(target));
        }}
        onBlur={({ relatedTarget, currentTarget }: FocusEvent) => {
          if (!currentTarget.contains(relatedTarget)) setAt(null);
        }}
      >
        {children(at)}
      </section>
      <div className={styles.tools}>
        {keeps && (
          <SaveChart
            of={{
              name,
              file,
              columns,
              rows: rows.map((row) => [
                row.name,
                ...row.values,
                ...(row.interval ?? (hasIntervals ? [null, null] : [])),
              ]),
            }}
            picture={picture}
          />
        )}
        <p className={styles.told} role="status">
          {on && `${on.name}: ${say(on)}`}
        </p>
      </div>
    </>
  );
}

/** Return the number of the row that contains the element; NaN for the axis above the rows. */
function rowOf(element: Element): number {
  return Number(element.closest<HTMLElement>("[data-row]")?.dataset.row ?? Number.NaN);
}

/**
 * Return the shortest axis with round ends that includes every value and the mark. With one value alone, or
 * equal ones, it extends by a tenth on either side, as otherwise it would have no length.
 */
export function axisOf(values: readonly number[], mark?: number) {
  const all = mark === undefined ? values : [...values, mark];
  const [from, to] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 0];
  const beside = Math.abs(from) / 10;
  const domain = from < to ? [from, to] : beside > 0 ? [from - beside, to + beside] : [0, 1];
  return scaleLinear().domain(domain).nice(5);
}

export type Axis = ReturnType<typeof axisOf>;

/** Scale of a column of small charts. */
export interface Ruler {
  axis: Axis;
  unit: Unit;
  /** Decimals of displayed values. */
  places: number;
  mark: Mark | null;
  names?: readonly string[];
}

/** Return the scale of values: for shares an axis with 0 and 1, otherwise the shortest that includes all values. */
export function rulerOf(
  values: readonly number[],
  unit: Unit,
  mark: Mark | null,
  { names, places = PLACES[unit] }: { names?: readonly string[] | undefined; places?: number } = {},
): Ruler {
  const axis = unit === "share" ? axisOf([0, 1, ...values], mark?.at) : axisOf(values, mark?.at);
  return { axis, unit, places, mark, ...(names && { names }) };
}
