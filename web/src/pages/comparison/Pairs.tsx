import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import type { Fragment } from "@/text/markup";
import { nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import { useLanguage } from "@/ui/contest";
import { isPhone } from "@/ui/controls";
import { decimal, placesApart } from "@/ui/numbers";
import { Table } from "@/ui/Table";
import styles from "./comparison.module.css";
import { KindName } from "./Kinds";
import { Quote } from "./Quote";

interface PairsProps {
  text: string;
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  active: Row | null;
  /** Whether a choice of kinds leaves some out. */
  filtered: boolean;
  metric: { name: string; of: Schemas["MetricOfPair"] } | null;
  pick: (row: Row) => void;
}

/** Every pair and every fragment without one: the primary view, of which the text is the picture. */
export function Pairs({ text, rows, x, y, active, filtered, metric, pick }: PairsProps) {
  const table = useRef<HTMLTableElement>(null);
  const { t } = useLingui();
  const language = useLanguage();
  useEffect(() => {
    // On a phone the details lie over the page, and it is the words above them that are looked at.
    if (active && !isPhone()) table.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const gain = (row: Row) => {
    const gained = [
      row.x === null ? undefined : metric?.of.gained_x[row.x],
      row.y === null ? undefined : metric?.of.gained_y[row.y],
    ].filter((each) => each !== null && each !== undefined);
    return gained.length === 0 ? "—" : gained.map((each) => decimal(each, 2, language, 0)).join(" + ");
  };
  return (
    <Table
      tableProps={{ ref: table, className: styles.pairs }}
      caption={t`Pairs, and fragments without one, in the order of the text`}
      empty={filtered ? t`Nothing is of the kinds that are chosen.` : t`Neither of the two has marked anything.`}
      rows={rows}
      rowKey={nameOf}
      rowProps={(row) => ({ "aria-current": row === active || undefined, "data-family": toneOf(row.kind) })}
      columns={[
        {
          header: t`Kind`,
          cell: (row) => (
            <button type="button" className={styles.link} onClick={() => pick(row)}>
              <span aria-hidden="true">{SIGNS[row.kind]} </span>
              <KindName of={row.kind} />
            </button>
          ),
        },
        { header: "X", cell: (row) => <Quote text={text} of={row.x === null ? undefined : x[row.x]} /> },
        { header: "Y", cell: (row) => <Quote text={text} of={row.y === null ? undefined : y[row.y]} /> },
        {
          header: t`Loss`,
          cell: ({ loss }) => (loss === null ? "—" : decimal(loss, placesApart([loss], [0, 2], 2), language, 0)),
        },
        metric && { header: t`Gained for ${metric.name}`, cell: gain },
      ]}
    />
  );
}
