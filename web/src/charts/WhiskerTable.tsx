import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from "react";
import styles from "./charts.module.css";
import { stackOf } from "./pictures";
import { type Kept, SaveChart } from "./SaveChart";
import type { Ruler } from "./scale";
import { type Measured, Shapes, useMeasured } from "./Whisker";
import { DOWN, useWalk } from "./walking";

export interface MeasuredRow extends Measured {
  name: string;
}

interface WhiskerTableProps extends Pick<Kept, "name" | "file" | "columns"> {
  /** What the charts show together, as a sentence. */
  finding: string;
  rows: readonly MeasuredRow[];
  ruler: Ruler;
  /** Whether the rows have nothing that takes the focus: then the table itself is walked. */
  walked: boolean;
  look?: string | undefined;
  /** The table; each row with a whisker has its number in `data-row`. */
  children: (at: number | null) => ReactNode;
}

/** A table with a whisker in each row, which is its own twin: ↑ and ↓ walk its rows, all are kept as one chart. */
export function WhiskerTable({ name, file, columns, finding, rows, ruler, walked, look, children }: WhiskerTableProps) {
  const table = useRef<HTMLElement>(null);
  const say = useMeasured(ruler);
  const hasIntervals = rows.some(({ interval }) => interval);
  const { at, setAt, walk } = useWalk(rows.length, DOWN);
  const on = at === null ? undefined : rows[at];
  const picture = () => {
    const charts = [...(table.current?.querySelectorAll<SVGSVGElement>("svg[data-chart]") ?? [])];
    const named = charts.map((chart) => ({ name: rows[rowOf(chart)]?.name ?? "", chart }));
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
        <SaveChart
          of={{
            name,
            file,
            columns,
            rows: rows.map((row) => [row.name, ...row.values, ...(row.interval ?? (hasIntervals ? [null, null] : []))]),
          }}
          picture={picture}
        />
        <p className={styles.told} role="status">
          {on && `${on.name}: ${say(on)}`}
        </p>
      </div>
    </>
  );
}

/** The number of the row in which something stands; none for the axis above them. */
function rowOf(element: Element): number {
  return Number(element.closest<HTMLElement>("[data-row]")?.dataset.row ?? Number.NaN);
}
