import { Trans } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import { type Fragment, isWholeText } from "@/text/markup";
import { type Kind, nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import { useLanguage } from "@/ui/cycle";
import styles from "./comparison.module.css";

interface PairsProps {
  text: string;
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  active: Row | null;
  metric: { name: string; of: Schemas["MetricOfPair"] } | null;
  pick: (row: Row) => void;
}

/** Every pair and every fragment without one: the primary view, of which the text is the picture. */
export function Pairs({ text, rows, x, y, active, metric, pick }: PairsProps) {
  const table = useRef<HTMLTableElement>(null);
  const language = useLanguage();
  const number = new Intl.NumberFormat(language === "ru" ? "ru-RU" : "en-GB", { maximumFractionDigits: 2 });
  useEffect(() => {
    if (active) table.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const gain = (row: Row) => {
    const gained = row.x !== null ? metric?.of.gained_x[row.x] : metric?.of.gained_y[row.y ?? 0];
    return gained === null || gained === undefined ? "—" : number.format(gained);
  };
  if (rows.length === 0) {
    return (
      <p>
        <Trans>Neither of the two has marked anything.</Trans>
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
            <td>{row.loss === null ? "—" : number.format(row.loss)}</td>
            {metric && <td>{gain(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Quote({ text, of }: { text: string; of: Fragment | undefined }) {
  if (!of) return "—";
  return (
    <>
      <b>
        {of.code}
        {of.subtype && `/${of.subtype}`}
      </b>{" "}
      {isWholeText(of) ? <Trans>the whole text</Trans> : <q>{text.slice(of.start, of.end)}</q>}
      {of.correction && ` → ${of.correction}`}
    </>
  );
}

function KindName({ of }: { of: Kind }) {
  switch (of) {
    case "same":
      return <Trans>the same</Trans>;
    case "place":
      return <Trans>another place</Trans>;
    case "code":
      return <Trans>another code</Trans>;
    case "subtype":
      return <Trans>another subtype or comment</Trans>;
    case "correction":
      return <Trans>another correction</Trans>;
    case "only-x":
      return <Trans>only X</Trans>;
    case "only-y":
      return <Trans>only Y</Trans>;
  }
}
