import { Trans } from "@lingui/react/macro";
import { type ReactNode, useId, useRef, useState } from "react";
import { Table } from "@/ui/Table";
import styles from "./charts.module.css";
import { pictureOf } from "./pictures";
import { type Kept, SaveChart } from "./SaveChart";
import { ALONG, useWalk } from "./walking";

interface ChartProps extends Kept {
  /** What the chart shows, as a sentence. */
  finding: string;
  size: readonly [width: number, height: number];
  look: string | undefined;
  /** What is told of each point; there is one a row. */
  told: readonly string[];
  /** The rows as people read them, where that differs from what programs do. */
  shown?: readonly (readonly ReactNode[])[];
  children: (at: number | null) => ReactNode;
}

/** A chart with its finding above it: walked by ← and →, with the same as a table behind a button, kept as a file. */
export function Chart({ finding, size, look, told, shown, children, ...kept }: ChartProps) {
  const svg = useRef<SVGSVGElement>(null);
  const [asTable, setAsTable] = useState(false);
  const { at, setAt, walk } = useWalk(kept.rows.length, ALONG);
  const table = useId();
  return (
    <figure className={styles.figure}>
      <figcaption>{finding}</figcaption>
      <svg
        ref={svg}
        className={look}
        viewBox={`0 0 ${size.join(" ")}`}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk it
        tabIndex={0}
        aria-label={finding}
        onKeyDown={walk}
        onBlur={() => setAt(null)}
      >
        {children(at)}
      </svg>
      <p className={styles.told} role="status">
        {at !== null && told[at]}
      </p>
      <div className={styles.tools}>
        <button type="button" aria-expanded={asTable} aria-controls={table} onClick={() => setAsTable(!asTable)}>
          <Trans>The same as a table</Trans>
          <span className="sr-only"> · {kept.name}</span>
        </button>
        <SaveChart of={kept} picture={() => svg.current && pictureOf(svg.current, finding)} />
      </div>
      <div id={table} hidden={!asTable}>
        {asTable && <Twin name={kept.name} columns={kept.columns} rows={shown ?? kept.rows} />}
      </div>
    </figure>
  );
}

function Twin({ name, columns, rows }: Pick<Kept, "name" | "columns"> & { rows: readonly (readonly ReactNode[])[] }) {
  return (
    <Table
      caption={<span className="sr-only">{name}</span>}
      rows={rows}
      rowKey={(_, at) => at}
      rowHeader={-1}
      columns={columns.map((column, place) => ({ header: column, cell: (row: readonly ReactNode[]) => row[place] }))}
    />
  );
}
