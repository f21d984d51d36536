import { useLingui } from "@lingui/react/macro";
import { useEffect, useMemo, useRef } from "react";
import { type Drawn, withLanes } from "@/text/drawn";
import { linesOf } from "@/text/drawnPairs";
import { type Fragment, isWholeText } from "@/text/markup";
import { nameOf, type Row } from "@/text/pairs";
import { type SurfaceHandle, TextSurface } from "@/text/TextSurface";
import styles from "./comparison.module.css";

interface TextsProps {
  text: string;
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  active: Row | null;
  beside: boolean;
  pick: (row: Row) => void;
}

/** The text with X's lines above and Y's below, or the text twice. */
export function Texts({ text, rows, x, y, active, beside, pick }: TextsProps) {
  const { t } = useLingui();
  const drawn = useMemo(() => [...linesOf(rows, "x", x, true), ...linesOf(rows, "y", y, false)], [rows, x, y]);
  const surface = (label: string, some: readonly Omit<Drawn, "lane">[], first: boolean) => (
    <Text
      key={label}
      label={label}
      text={text}
      drawn={some}
      rows={rows}
      active={active}
      shown={spanOf(active, x, y, first)}
      pick={pick}
    />
  );
  if (!beside) return surface(t`The essay: X above the lines, Y below them`, drawn, true);
  return (
    <div className={styles.two}>
      {surface(t`The essay with X`, drawn.filter((each) => each.above).map(below), true)}
      {surface(
        t`The essay with Y`,
        drawn.filter((each) => !each.above),
        false,
      )}
    </div>
  );
}

function Text(props: {
  label: string;
  text: string;
  drawn: readonly Omit<Drawn, "lane">[];
  rows: readonly Row[];
  active: Row | null;
  shown: Fragment | null;
  pick: (row: Row) => void;
}) {
  const { rows, active, shown, pick } = props;
  const handle = useRef<SurfaceHandle>(null);
  const drawn = useMemo(() => withLanes(props.drawn), [props.drawn]);
  useEffect(() => {
    if (shown && !isWholeText(shown)) handle.current?.show(shown);
  }, [shown]);
  const pickBy = (key: string) => {
    const found = rows.find((row) => nameOf(row) === key.slice(1));
    if (found) pick(found);
  };
  return (
    <TextSurface
      text={props.text}
      label={props.label}
      drawn={drawn}
      active={active && shown ? (drawn.find((each) => each.key.slice(1) === nameOf(active))?.key ?? null) : null}
      band={shown}
      caret={false}
      onSelected={ignore}
      onTyped={ignore}
      onClicked={(at) => {
        const found = drawn.filter((each) => each.start <= at && at <= each.end);
        const least = found.sort((one, other) => one.end - one.start - (other.end - other.start))[0];
        if (least) pickBy(least.key);
      }}
      onPick={pickBy}
      handle={handle}
    />
  );
}

function ignore(): void {}

function below(each: Omit<Drawn, "lane">): Omit<Drawn, "lane"> {
  return { ...each, above: false };
}

function spanOf(row: Row | null, x: readonly Fragment[], y: readonly Fragment[], first: boolean): Fragment | null {
  if (!row) return null;
  const [ofX, ofY] = [row.x === null ? undefined : x[row.x], row.y === null ? undefined : y[row.y]];
  return (first ? (ofX ?? ofY) : (ofY ?? ofX)) ?? null;
}
