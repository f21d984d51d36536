import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { loadRoom } from "@/i18n/i18n";
import {
  adoptedFrom,
  adoption,
  agreement,
  difference,
  ownOf,
  type Side,
  sideOf,
  type Earlier as Two,
} from "@/text/adoption";
import type { Command } from "@/text/commands";
import {
  byAgreement,
  type Drawn,
  type Kind,
  linesOf,
  nameOf,
  painted,
  quoteOf,
  type Row,
  SIGNS,
  toneOf,
  withLanes,
} from "@/text/drawn";
import { isWholeText } from "@/text/markup";
import type { Suggestion } from "@/text/suggestions";
import { MessageList } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { PageSection, Skeleton } from "@/ui/Page";
import styles from "./annotator.module.css";
import { type Desk, type Third, useDesk, type View } from "./desk";
import { linesOfSuggestions } from "./Suggestions";

const Texts = lazy(async () => {
  await loadRoom("comparison");
  return { default: (await import("@/pages/comparison/Texts")).Texts };
});

/** Reasons for the third reading, and on request the two earlier markups side by side. */
export function Reasons({ adopting }: { adopting: Adopting }) {
  const { t } = useLingui();
  const { third, row, choose } = adopting;
  const { essay } = useDesk();
  const [beside, setBeside] = useState(false);
  return (
    <PageSection id="reasons" title={t`Why adjudication is needed`} className={styles.reasons}>
      <MessageList of={third.reasons} />
      <p className={styles.help}>
        <Trans>
          The first expert's lines are above the text, the second's below it; your own fragments are bands. The two
          experts' names are not shown.
        </Trans>
      </p>
      <Button onPress={() => setBeside(!beside)} aria-expanded={beside}>
        {beside ? t`Only one text` : t`The two beside each other`}
      </Button>
      {beside && (
        <TwoTexts
          text={essay.text}
          texts={third}
          active={row}
          pick={choose}
          first={t`First expert`}
          second={t`Second expert`}
        />
      )}
    </PageSection>
  );
}

interface TwoTextsProps {
  text: string;
  texts: Two;
  active: Row | null;
  pick: (row: Row) => void;
  first: ReactNode;
  second: ReactNode;
}

/** The text twice, each with one of two markups. */
export function TwoTexts({ text, texts, active, pick, first, second }: TwoTextsProps) {
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <div className={styles.two}>
        <b>{first}</b>
        <b>{second}</b>
      </div>
      <Texts
        text={text}
        rows={texts.rows}
        x={texts.x}
        y={texts.y}
        third={null}
        look={byAgreement}
        agreement
        active={active}
        beside
        pick={pick}
      />
    </Suspense>
  );
}

const GROUPS: readonly (readonly Kind[])[] = [
  ["same"],
  ["place", "code", "subtype", "correction"],
  ["only-x"],
  ["only-y"],
];

/** Agreements and differences of the two earlier experts, adopted row by row; agreed fragments also all at once. */
export function Earlier({ adopting }: { adopting: Adopting }) {
  const { t } = useLingui();
  const { third, row, choose } = adopting;
  const { fragments, closed } = useDesk();
  const list = useRef<HTMLDivElement>(null);
  const ordered = GROUPS.flatMap((kinds) => third.rows.filter(({ kind }) => kinds.includes(kind)));
  const current = row ?? ordered[0];
  useEffect(() => {
    if (row) list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [row]);
  const pressed = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const next = current && by !== 0 && !event.altKey ? ordered[ordered.indexOf(current) + by] : undefined;
    if (!next) return;
    event.preventDefault();
    choose(next);
    list.current?.querySelector<HTMLElement>(`[data-row="${nameOf(next)}"]`)?.focus();
  };
  return (
    <PageSection id="earlier" title={t`The two earlier markups`} data-zone="earlier" className={styles.panel}>
      <div ref={list} className={styles.earlier}>
        {GROUPS.map((kinds) => {
          const rows = ordered.filter(({ kind }) => kinds.includes(kind));
          return (
            rows.length > 0 && (
              <div key={kinds[0]}>
                <h3>
                  <Title kind={kinds[0] as Kind} count={rows.length} />{" "}
                  {kinds[0] === "same" && closed === null && agreement(fragments, third) && (
                    <Button onPress={adopting.adoptAgreed}>{t`Adopt all agreed`}</Button>
                  )}
                </h3>
                <ul>
                  {rows.map((row) => (
                    <Item key={nameOf(row)} of={row} adopting={adopting} isFirst={row === current} pressed={pressed} />
                  ))}
                </ul>
              </div>
            )
          );
        })}
      </div>
    </PageSection>
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
        (["x", "y"] as const).map((side) => (
          <Adopt key={side} row={of} side={side} adopting={adopting} third={third} />
        ))}
    </li>
  );
}

function Adopt({ row, side, adopting, third }: { row: Row; side: Side; adopting: Adopting; third: Third }) {
  const { t } = useLingui();
  const code = sideOf(third, row, side)?.code;
  if (code === undefined) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.border}
      aria-label={side === "x" ? t`1: adopt ${code} from the first` : t`2: adopt ${code} from the second`}
      onClick={() => adopting.adopt(side, row)}
    >
      {side === "x" ? "1" : "2"}
    </button>
  );
}

function Adopted({ from }: { from: Side | null }) {
  const { t } = useLingui();
  return <small>{from === "x" ? t`✓ first` : from === "y" ? t`✓ second` : t`✓ own`}</small>;
}

function Title({ kind, count }: { kind: Kind; count: number }) {
  if (kind === "same") return <Plural value={count} one="# agreed" other="# agreed" />;
  if (kind === "only-x") return <Plural value={count} one="# only in the first" other="# only in the first" />;
  if (kind === "only-y") return <Plural value={count} one="# only in the second" other="# only in the second" />;
  return <Plural value={count} one="# differs" other="# differ" />;
}

/** A third expert's actions on the two earlier markups. */
export interface Adopting {
  readonly third: Third;
  /** Active pair, or active fragment without a pair. */
  readonly row: Row | null;
  readonly choose: (row: Row) => void;
  /** Goes to the next or previous place where the two differ. */
  readonly step: (by: 1 | -1) => void;
  readonly adopt: (side: Side, row?: Row) => void;
  /** Takes only the differing part: the code, the span, or the other fields. */
  readonly take: (side: Side) => void;
  readonly adoptAgreed: () => void;
}

export function useThird(desk: Desk, view: View): Adopting | null {
  const { t } = useLingui();
  const [name, setName] = useState("");
  const { third, fragments } = desk;
  if (!third) return null;
  const row = third.rows.find((row) => nameOf(row) === name) ?? null;
  const choose = (chosen: Row) => {
    setName(nameOf(chosen));
    view.activate(ownOf(fragments, third, chosen)?.id ?? null);
    const chosenFragment = sideOf(third, chosen, "x") ?? sideOf(third, chosen, "y");
    if (chosenFragment && !isWholeText(chosenFragment)) view.surface.current?.show(chosenFragment);
  };
  const done = (step: Command | null, status: string, otherwise: string) => {
    if (desk.closed !== null) return;
    if (!step) return view.announce(otherwise);
    desk.run(step);
    view.activate(step.about);
    view.announce(status);
  };
  return {
    third,
    row,
    choose,
    step(by) {
      const differing = third.rows.filter((row) => row.kind !== "same");
      const at = row ? differing.indexOf(row) : -1;
      const from = at < 0 && by < 0 ? 0 : at;
      const next = differing[(from + by + differing.length) % differing.length];
      if (next) choose(next);
    },
    adopt(side, chosen = row ?? undefined) {
      if (!chosen) return;
      setName(nameOf(chosen));
      const code = sideOf(third, chosen, side)?.code ?? "";
      const status = side === "x" ? t`Adopted from the first: ${code}` : t`Adopted from the second: ${code}`;
      done(adoption(fragments, third, chosen, side), status, t`Nothing to adopt there, or it is adopted already`);
    },
    take(side) {
      if (!row) return;
      const status =
        side === "x" ? t`Only the difference taken from the first` : t`Only the difference taken from the second`;
      done(difference(fragments, third, row, side), status, t`Adopt one of the two first`);
    },
    adoptAgreed() {
      done(
        agreement(fragments, third),
        t`Everything on which the two agree is adopted`,
        t`All of it is adopted already`,
      );
    },
  };
}

/**
 * Return the drawn marks: own fragments with open suggestions above the words; for a third expert bands, the first's
 * lines above and the second's below.
 */
export function useDrawn(desk: Desk, adopting: Adopting | null, suggestions: readonly Suggestion[] | null): Drawn[] {
  const { fragments, codeOf } = desk;
  const third = adopting?.third;
  return useMemo(() => {
    const own = painted(fragments, codeOf);
    if (!third) return withLanes(suggestions ? [...own, ...linesOfSuggestions(suggestions)] : own);
    const bands = own.map((mark) => ({ ...mark, block: true }));
    // Where the two agree, the own fragment's label suffices.
    const quiet = new Set(third.rows.filter(({ kind }) => kind === "same").map(nameOf));
    const two = [
      ...linesOf(third.rows, "x", third.x, true, byAgreement),
      ...linesOf(third.rows, "y", third.y, false, byAgreement),
    ];
    const lines = two.map((mark) => (quiet.has(mark.key.slice(1)) ? { ...mark, label: "" } : mark));
    return withLanes([...bands, ...lines]);
  }, [fragments, codeOf, third, suggestions]);
}

/** Return the row of a clicked line. */
export function rowOf(third: Third, key: string): Row | undefined {
  return third.rows.find((row) => `x${nameOf(row)}` === key || `y${nameOf(row)}` === key);
}
