import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import { sideOf } from "@/text/adoption";
import { type Kind, nameOf, quoteOf, type Row, SIGNS, toneOf } from "@/text/drawn";
import { type Fragment, isWholeText } from "@/text/markup";
import { useMessage } from "@/ui/contest";
import { PageSection } from "@/ui/Page";
import styles from "./annotator.module.css";
import type { Third } from "./desk";
import { TwoTexts } from "./Earlier";
import { kindOf, thirdOf, type Work } from "./server";

/** Differences between the third expert's markup and one's own; nothing before the rules allow showing them. */
export function Decided({ work }: { work: Work }) {
  const { decided } = work;
  const isMarkup = kindOf(work) === "markup";
  const two = useMemo(() => (isMarkup ? thirdOf(decided) : null), [isMarkup, decided]);
  return two && <Compared two={two} text={(work.content as { text: string }).text} />;
}

function Compared({ two, text }: { two: Third; text: string }) {
  const { t } = useLingui();
  const [active, choose] = useState<Row | null>(null);
  const differing = two.rows.filter(({ kind }) => kind !== "same");
  const agreed = two.rows.length - differing.length;
  return (
    <PageSection
      id="decided"
      title={
        <Plural
          value={differing.length}
          _0="The third expert decided as you did"
          one="The third expert decided otherwise in # place"
          other="The third expert decided otherwise in # places"
        />
      }
      className={styles.reasons}
    >
      <p className={styles.help}>
        {t`Why a third expert was called:`} {two.reasons.map(useMessage()).join("; ")}.{" "}
        <Plural value={agreed} one="You agree in # place." other="You agree in # places." />
      </p>
      <ul className={styles.decided}>
        {differing.map((row) => (
          <li key={nameOf(row)} data-family={toneOf(row.kind)} aria-current={row === active ? "true" : undefined}>
            <button type="button" className={styles.place} onClick={() => choose(row)}>
              <span aria-hidden="true">{SIGNS[row.kind]} </span>
              <How kind={row.kind} third={sideOf(two, row, "x")} own={sideOf(two, row, "y")} text={text} />
            </button>
          </li>
        ))}
      </ul>
      <details>
        <summary>{t`The two markups beside each other`}</summary>
        <TwoTexts
          text={text}
          texts={two}
          active={active}
          pick={choose}
          first={t`Third expert`}
          second={t`Your markup`}
        />
      </details>
    </PageSection>
  );
}

interface HowProps {
  kind: Kind;
  third: Fragment | undefined;
  own: Fragment | undefined;
  text: string;
}

/** Difference between the third expert's fragment and one's own, in words. */
function How({ kind, third, own, text }: HowProps) {
  const captionOf = (fragment: Fragment) => (
    <>
      <b>
        {fragment.code}
        {fragment.subtype && `/${fragment.subtype}`}
      </b>{" "}
      <q>{isWholeText(fragment) ? <Trans>the whole text</Trans> : quoteOf(text, fragment)}</q>
    </>
  );
  if (third && !own) return <Trans>only the third expert: {captionOf(third)}</Trans>;
  if (own && !third) return <Trans>only you: {captionOf(own)}</Trans>;
  if (!third || !own) return null;
  if (kind === "correction") {
    return (
      <Trans>
        {captionOf(own)}: you corrected it to “{own.correction}”, the third expert to “{third.correction}”
      </Trans>
    );
  }
  return (
    <Trans>
      you: {captionOf(own)}, the third expert: {captionOf(third)}
    </Trans>
  );
}
