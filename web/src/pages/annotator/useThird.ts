import { useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import { adoption, agreement, difference, ownOf, type Side, sideOf } from "@/text/adoption";
import type { Command } from "@/text/commands";
import { type Drawn, withLanes } from "@/text/drawn";
import { byAgreement, linesOf } from "@/text/drawnPairs";
import { isWholeText } from "@/text/markup";
import { painted } from "@/text/painted";
import { nameOf, type Row } from "@/text/pairs";
import type { Desk, Third, View } from "./desk";

/** What a third expert does with the two earlier markups. */
export interface Adopting {
  readonly third: Third;
  /** The pair, or the fragment without one, that is looked at. */
  readonly row: Row | null;
  readonly choose: (row: Row) => void;
  /** Goes to the next or previous place where the two differ. */
  readonly step: (by: 1 | -1) => void;
  readonly adopt: (side: Side, row?: Row) => void;
  /** Takes only what differs: the code, the place, or what is said. */
  readonly take: (side: Side) => void;
  readonly adoptAgreed: () => void;
}

export function useThird(desk: Desk, view: View): Adopting | null {
  const { t } = useLingui();
  const [name, setName] = useState("");
  const { third, fragments } = desk;
  if (!third) return null;
  const row = third.rows.find((each) => nameOf(each) === name) ?? null;
  const choose = (chosen: Row) => {
    setName(nameOf(chosen));
    view.activate(ownOf(fragments, third, chosen)?.id ?? null);
    const of = sideOf(third, chosen, "x") ?? sideOf(third, chosen, "y");
    if (of && !isWholeText(of)) view.surface.current?.show(of);
  };
  const done = (step: Command | null, said: string, otherwise: string) => {
    if (desk.closed !== null) return;
    if (!step) return view.announce(otherwise);
    desk.run(step);
    view.activate(step.about);
    view.announce(said);
  };
  return {
    third,
    row,
    choose,
    step(by) {
      const differing = third.rows.filter((each) => each.kind !== "same");
      const at = row ? differing.indexOf(row) : -1;
      const from = at < 0 && by < 0 ? 0 : at;
      const next = differing[(from + by + differing.length) % differing.length];
      if (next) choose(next);
    },
    adopt(side, chosen = row ?? undefined) {
      if (!chosen) return;
      setName(nameOf(chosen));
      const code = sideOf(third, chosen, side)?.code ?? "";
      const said = side === "x" ? t`Adopted from the first: ${code}` : t`Adopted from the second: ${code}`;
      done(adoption(fragments, third, chosen, side), said, t`Nothing to adopt there, or it is adopted already`);
    },
    take(side) {
      if (!row) return;
      const said =
        side === "x" ? t`Only the difference taken from the first` : t`Only the difference taken from the second`;
      done(difference(fragments, third, row, side), said, t`Adopt one of the two first`);
    },
    adoptAgreed() {
      done(agreement(fragments, third), t`Everything the two agree in is adopted`, t`It is all adopted already`);
    },
  };
}

/** What is painted: the own fragments, and for a third expert as bands, with the first's lines above and the second's below. */
export function useDrawn(desk: Desk, adopting: Adopting | null): Drawn[] {
  const { fragments, codeOf } = desk;
  const third = adopting?.third;
  return useMemo(() => {
    const own = painted(fragments, codeOf);
    if (!third) return withLanes(own);
    const bands = own.map((each) => ({ ...each, block: true }));
    // Where the two agree the own fragment's label says it all.
    const quiet = new Set(third.rows.filter(({ kind }) => kind === "same").map(nameOf));
    const two = [
      ...linesOf(third.rows, "x", third.x, true, byAgreement),
      ...linesOf(third.rows, "y", third.y, false, byAgreement),
    ];
    const lines = two.map((each) => (quiet.has(each.key.slice(1)) ? { ...each, label: "" } : each));
    return withLanes([...bands, ...lines]);
  }, [fragments, codeOf, third]);
}

/** The row of a line that was pointed at. */
export function rowOf(third: Third, key: string): Row | undefined {
  return third.rows.find((row) => `x${nameOf(row)}` === key || `y${nameOf(row)}` === key);
}
