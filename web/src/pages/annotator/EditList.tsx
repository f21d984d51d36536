import { Plural, Trans } from "@lingui/react/macro";
import { contextOf } from "@/text/edits";
import type { Fragment } from "@/text/markup";
import { linkOf, quoteOf } from "@/text/painted";
import styles from "./annotator.module.css";
import { useDesk, useView } from "./desk";

/** All errors in the order of the text. */
export function EditList({ ordered }: { ordered: readonly Fragment[] }) {
  const { essay, judged } = useDesk();
  const { active, activate } = useView();
  const faulty = new Set(judged?.faults.map(({ where }) => placeOf(where.field)));
  const { fragments } = useDesk();
  return (
    <section aria-labelledby="edits" className={styles.panel}>
      <h2 id="edits">
        <Plural value={ordered.length} one="# error" other="# errors" />
      </h2>
      {ordered.length === 0 && (
        <p className={styles.help}>
          <Trans>Choose words and press Enter. If there is no error in the text, hand it in as it is.</Trans>
        </p>
      )}
      <ol className={styles.edits}>
        {ordered.map((each) => (
          <li key={each.id}>
            <button
              type="button"
              className={styles.link}
              aria-current={each.id === active?.id ? "true" : undefined}
              onClick={() => activate(each.id)}
            >
              <q>{quoteOf(essay.text, each) || "…"}</q> → <b>{each.correction || "∅"}</b>
            </button>{" "}
            <small>
              {each.code || <Trans>no type yet</Trans>} {linkOf(each.tag)}{" "}
              {contextOf(each) !== null && <Trans>context</Trans>}
              {faulty.has(fragments.indexOf(each)) && (
                <span className={styles.fault}>
                  <Trans>to be put right</Trans>
                </span>
              )}
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The place of an error among those that were sent, from the field that a fault names; none where it names no error. */
export function placeOf(field: unknown): number {
  return Number(/^edits\[(\d+)\]/.exec(String(field))?.[1] ?? Number.NaN);
}
