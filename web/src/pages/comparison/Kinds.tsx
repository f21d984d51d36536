import { Trans, useLingui } from "@lingui/react/macro";
import type { Ref } from "react";
import { KINDS, type Kind, type Row, SIGNS, toneOf } from "@/text/pairs";
import styles from "./comparison.module.css";

interface KindsProps {
  rows: readonly Row[];
  /** Empty: all are shown. */
  chosen: ReadonlySet<Kind>;
  choose: (said: string | undefined) => void;
  ref: Ref<HTMLDivElement>;
}

/** How many of each kind there are; a press shows that kind alone, further presses others with it. */
export function Kinds({ rows, chosen, choose, ref }: KindsProps) {
  const { t } = useLingui();
  const turn = (kind: Kind) => {
    const next = KINDS.filter((each) => chosen.has(each) !== (each === kind));
    choose(next.length === 0 ? undefined : next.join(","));
  };
  const here = KINDS.filter((kind) => chosen.has(kind) || rows.some((row) => row.kind === kind));
  if (rows.length === 0) return null;
  return (
    <div ref={ref} className={styles.chips} role="toolbar" aria-label={t`Kinds of agreement`}>
      {here.map((kind) => (
        <button
          key={kind}
          type="button"
          data-family={toneOf(kind)}
          aria-pressed={chosen.has(kind)}
          onClick={() => turn(kind)}
        >
          <span aria-hidden="true" className={styles.sign}>
            {SIGNS[kind]}
          </span>{" "}
          <KindName of={kind} /> <b>{rows.filter((row) => row.kind === kind).length}</b>
        </button>
      ))}
      {chosen.size > 0 && (
        <button type="button" onClick={() => choose(undefined)}>
          <Trans>Show all kinds</Trans>
        </button>
      )}
    </div>
  );
}

export function KindName({ of }: { of: Kind }) {
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
