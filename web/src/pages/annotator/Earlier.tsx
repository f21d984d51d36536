import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { loadRoom } from "@/i18n/i18n";
import { adoptedFrom, agreement, ownOf, type Side, sideOf } from "@/text/adoption";
import { byAgreement } from "@/text/drawnPairs";
import { isWholeText } from "@/text/markup";
import { quoteOf } from "@/text/painted";
import { type Kind, nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Skeleton } from "@/ui/Page";
import styles from "./annotator.module.css";
import { type Third, useDesk } from "./desk";
import type { Adopting } from "./useThird";

const Texts = lazy(async () => {
  await loadRoom("comparison");
  return { default: (await import("../comparison/Texts")).Texts };
});

/** Why a third reading was asked for, and the two earlier markups beside each other for who wants to see them so. */
export function Reasons({ adopting }: { adopting: Adopting }) {
  const { third, row, choose } = adopting;
  const { essay } = useDesk();
  const language = useLanguage();
  const [beside, setBeside] = useState(false);
  return (
    <section className={styles.reasons} aria-labelledby="reasons">
      <h2 id="reasons">
        <Trans>Why a third reading</Trans>
      </h2>
      <ul>
        {third.reasons.map(({ message, message_ru }) => (
          <li key={message}>{language === "ru" ? message_ru : message}</li>
        ))}
      </ul>
      <p className={styles.help}>
        <Trans>
          The first expert's lines stand above the text, the second's below it; your own fragments are bands. Who the
          two are is not told.
        </Trans>
      </p>
      <Button onPress={() => setBeside(!beside)} aria-expanded={beside}>
        {beside ? <Trans>Only one text</Trans> : <Trans>The two beside each other</Trans>}
      </Button>
      {beside && (
        <Suspense fallback={<Skeleton lines={6} />}>
          <div className={styles.two}>
            <b>
              <Trans>First expert</Trans>
            </b>
            <b>
              <Trans>Second expert</Trans>
            </b>
          </div>
          <Texts
            text={essay.text}
            rows={third.rows}
            x={third.x}
            y={third.y}
            third={null}
            look={byAgreement}
            agreement
            active={row}
            beside
            pick={choose}
          />
        </Suspense>
      )}
    </section>
  );
}

const GROUPS: readonly (readonly Kind[])[] = [
  ["same"],
  ["place", "code", "subtype", "correction"],
  ["only-x"],
  ["only-y"],
];

/** What the two earlier experts agree and differ in, to be adopted row by row or all that is agreed at once. */
export function Earlier({ adopting }: { adopting: Adopting }) {
  const { third, row, choose } = adopting;
  const { fragments, closed } = useDesk();
  const list = useRef<HTMLDivElement>(null);
  const ordered = GROUPS.flatMap((kinds) => third.rows.filter(({ kind }) => kinds.includes(kind)));
  const shown = row ?? ordered[0];
  useEffect(() => {
    if (row) list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [row]);
  const pressed = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const next = shown && by !== 0 && !event.altKey ? ordered[ordered.indexOf(shown) + by] : undefined;
    if (!next) return;
    event.preventDefault();
    choose(next);
    list.current?.querySelector<HTMLElement>(`[data-row="${nameOf(next)}"]`)?.focus();
  };
  return (
    <section data-zone="earlier" aria-labelledby="earlier" className={styles.panel}>
      <h2 id="earlier">
        <Trans>The two earlier markups</Trans>
      </h2>
      <div ref={list} className={styles.earlier}>
        {GROUPS.map((kinds) => {
          const rows = ordered.filter(({ kind }) => kinds.includes(kind));
          return (
            rows.length > 0 && (
              <div key={kinds[0]}>
                <h3>
                  <Title of={kinds[0] as Kind} count={rows.length} />{" "}
                  {kinds[0] === "same" && closed === null && agreement(fragments, third) && (
                    <Button onPress={adopting.adoptAgreed}>
                      <Trans>Adopt all agreed</Trans>
                    </Button>
                  )}
                </h3>
                <ul>
                  {rows.map((each) => (
                    <Item key={nameOf(each)} of={each} adopting={adopting} isFirst={each === shown} pressed={pressed} />
                  ))}
                </ul>
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}

interface ItemProps {
  of: Row;
  adopting: Adopting;
  isFirst: boolean;
  pressed: (event: KeyboardEvent) => void;
}

function Item({ of, adopting, isFirst, pressed }: ItemProps) {
  const { essay, fragments, closed } = useDesk();
  const { third, row, choose } = adopting;
  const own = ownOf(fragments, third, of);
  const from = own ? adoptedFrom(own, third, of) : null;
  const any = sideOf(third, of, "x") ?? sideOf(third, of, "y");
  const codes = [sideOf(third, of, "x")?.code, sideOf(third, of, "y")?.code].filter((code) => code !== undefined);
  return (
    <li data-family={toneOf(of.kind)} aria-current={of === row ? "true" : undefined}>
      <button
        type="button"
        data-row={nameOf(of)}
        tabIndex={isFirst ? 0 : -1}
        className={styles.place}
        onClick={() => choose(of)}
        onKeyDown={pressed}
      >
        <span aria-hidden="true">{SIGNS[of.kind]} </span>
        <b>{[...new Set(codes)].join(" | ")}</b> {own && <Adopted from={from} />}
        {any && <q>{isWholeText(any) ? <Trans>the whole text</Trans> : quoteOf(essay.text, any)}</q>}
      </button>
      {closed === null &&
        (["x", "y"] as const).map((side) => <Adopt key={side} of={of} side={side} adopting={adopting} third={third} />)}
    </li>
  );
}

function Adopt({ of, side, adopting, third }: { of: Row; side: Side; adopting: Adopting; third: Third }) {
  const { t } = useLingui();
  const code = sideOf(third, of, side)?.code;
  if (code === undefined) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.border}
      aria-label={side === "x" ? t`1: adopt ${code} from the first` : t`2: adopt ${code} from the second`}
      onClick={() => adopting.adopt(side, of)}
    >
      {side === "x" ? "1" : "2"}
    </button>
  );
}

function Adopted({ from }: { from: Side | null }) {
  return (
    <small>
      {from === "x" ? <Trans>✓ first</Trans> : from === "y" ? <Trans>✓ second</Trans> : <Trans>✓ own</Trans>}
    </small>
  );
}

function Title({ of, count }: { of: Kind; count: number }) {
  if (of === "same") return <Plural value={count} one="# agreed" other="# agreed" />;
  if (of === "only-x") return <Plural value={count} one="# only in the first" other="# only in the first" />;
  if (of === "only-y") return <Plural value={count} one="# only in the second" other="# only in the second" />;
  return <Plural value={count} one="# differs" other="# differ" />;
}
