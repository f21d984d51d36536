import { Trans } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import type { Fragment } from "@/text/markup";
import { nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import { useLanguage } from "@/ui/contest";
import { isPhone } from "@/ui/controls";
import { decimal, placesApart } from "@/ui/numbers";
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
  if (rows.length === 0) {
    return (
      <p>
        {filtered ? (
          <Trans>Nothing is of the kinds that are chosen.</Trans>
        ) : (
          <Trans>Neither of the two has marked anything.</Trans>
        )}
      </p>
    );
  }
  return (
    <table ref={table} className={styles.pairs}>
      <caption>
        <Trans>Pairs, and fragments without one, in the order of the text</Trans>
      </caption>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Kind</Trans>
          </th>
          <th scope="col">X</th>
          <th scope="col">Y</th>
          <th scope="col">
            <Trans>Loss</Trans>
          </th>
          {metric && (
            <th scope="col">
              <Trans>Gained for {metric.name}</Trans>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={nameOf(row)} aria-current={row === active ? "true" : undefined} data-family={toneOf(row.kind)}>
            <th scope="row">
              <button type="button" className={styles.link} onClick={() => pick(row)}>
                <span aria-hidden="true">{SIGNS[row.kind]} </span>
                <KindName of={row.kind} />
              </button>
            </th>
            <td>
              <Quote text={text} of={row.x === null ? undefined : x[row.x]} />
            </td>
            <td>
              <Quote text={text} of={row.y === null ? undefined : y[row.y]} />
            </td>
            <td>{row.loss === null ? "—" : decimal(row.loss, placesApart([row.loss], [0, 2], 2), language, 0)}</td>
            {metric && <td>{gain(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
