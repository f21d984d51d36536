import { Trans } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import type { Fragment } from "@/text/markup";
import { nameOf, type Row } from "@/text/pairs";
import styles from "./comparison.module.css";
import { Costs } from "./Details";
import { Quote } from "./Quote";

interface NearProps {
  text: string;
  of: Schemas["Comparison"];
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  pick: (row: Row) => void;
}

/** Fragments that overlap and are no pair, with the reason. */
export function Near({ text, of, rows, x, y, pick }: NearProps) {
  if (of.near.length === 0) return null;
  return (
    <details className={styles.near}>
      <summary>
        <Trans>Overlapping, yet no pair: {of.near.length}</Trans>
      </summary>
      <ul>
        {of.near.map((each) => {
          const row = rows.find((found) => found.x === each.x);
          return (
            <li key={each.x}>
              {row && (
                <button type="button" className={styles.link} onClick={() => pick(row)}>
                  {nameOf(row)}
                </button>
              )}{" "}
              <Quote text={text} of={x[each.x]} /> ↔ <Quote text={text} of={y[each.y]} />
              <Costs of={each} matched={false} />
            </li>
          );
        })}
      </ul>
    </details>
  );
}
