import { Trans, useLingui } from "@lingui/react/macro";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import { type Drawn, depth, withLanes } from "@/text/drawn";
import { type LookOf, linesOf } from "@/text/drawnPairs";
import { type Fragment, isWholeText } from "@/text/markup";
import { nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import { type SurfaceHandle, TextSurface } from "@/text/TextSurface";
import styles from "./comparison.module.css";
import { Quote } from "./Quote";
import { Ribbons } from "./Ribbons";

interface TextsProps {
  text: string;
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  /** A third markup, drawn below the two. */
  third: readonly Fragment[] | null;
  active: Row | null;
  look: LookOf;
  /** Whether colours say agreement; else families, and ribbons have none. */
  agreement: boolean;
  beside: boolean;
  pick: (row: Row) => void;
}

type Laneless = Omit<Drawn, "lane">;

/** The text with X's lines above and Y's below, or the text twice with ribbons between; what is of the whole on top. */
export function Texts(props: TextsProps) {
  return (
    <>
      <WholeText {...props} />
      {props.beside ? <Beside {...props} /> : <Overlaid {...props} />}
    </>
  );
}

/** What is said of the whole text has no place in it. */
function WholeText({ text, rows, x, y, active, pick }: TextsProps) {
  const { t } = useLingui();
  const ofX = (row: Row) => (row.x === null ? undefined : x[row.x]);
  const ofY = (row: Row) => (row.y === null ? undefined : y[row.y]);
  const whole = rows.filter((row) => [ofX(row), ofY(row)].some((each) => each && isWholeText(each)));
  if (whole.length === 0) return null;
  return (
    <ul className={styles.whole} aria-label={t`Of the whole text`}>
      {whole.map((row) => (
        <li key={nameOf(row)} data-family={toneOf(row.kind)} aria-current={row === active ? "true" : undefined}>
          <button type="button" className={styles.link} onClick={() => pick(row)}>
            <span aria-hidden="true">{SIGNS[row.kind]} </span>
            <Trans>
              X: <Quote text={text} of={ofX(row)} /> · Y: <Quote text={text} of={ofY(row)} />
            </Trans>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Overlaid({ text, rows, x, y, third, active, look, pick }: TextsProps) {
  const { t } = useLingui();
  const handle = useRef<SurfaceHandle>(null);
  const drawn = useMemo(() => {
    const both = withLanes([...linesOf(rows, "x", x, true, look), ...linesOf(rows, "y", y, false, look)]);
    if (!third) return both;
    const taken = depth(both, false) + 1;
    const lowest = withLanes(third.map(thirdLine)).map((each) => ({ ...each, lane: each.lane + taken }));
    return [...both, ...lowest];
  }, [rows, x, y, third, look]);
  const label = third
    ? t`The essay: X above the lines, Y below them, the third markup lowest`
    : t`The essay: X above the lines, Y below them`;
  return <Text {...{ label, text, drawn, rows, active, pick, handle }} shown={spanOf(active, x, y, true)} />;
}

function Beside({ text, rows, x, y, active, look, agreement, pick }: TextsProps) {
  const { t } = useLingui();
  const handles = [useRef<SurfaceHandle>(null), useRef<SurfaceHandle>(null)] as const;
  const drawnX = useMemo(() => withLanes(linesOf(rows, "x", x, false, look)), [rows, x, look]);
  const drawnY = useMemo(() => withLanes(linesOf(rows, "y", y, false, look)), [rows, y, look]);
  const [handleX, handleY] = handles;
  const sideX = useMemo(() => ({ handle: handleX, drawn: drawnX }), [handleX, drawnX]);
  const sideY = useMemo(() => ({ handle: handleY, drawn: drawnY }), [handleY, drawnY]);
  const shared = { text, rows, active, pick };
  return (
    <div className={styles.two}>
      <Text {...shared} {...sideX} label={t`The essay with X`} shown={spanOf(active, x, y, true)} />
      <Ribbons rows={rows} x={sideX} y={sideY} active={active && nameOf(active)} plain={!agreement} pick={pick} />
      <Text {...shared} {...sideY} label={t`The essay with Y`} shown={spanOf(active, x, y, false)} />
    </div>
  );
}

function Text(props: {
  label: string;
  text: string;
  drawn: readonly Drawn[];
  rows: readonly Row[];
  active: Row | null;
  shown: Fragment | null;
  pick: (row: Row) => void;
  handle: RefObject<SurfaceHandle | null>;
}) {
  const { rows, active, shown, pick, drawn, handle } = props;
  useEffect(() => {
    if (shown && !isWholeText(shown)) handle.current?.show(shown);
  }, [shown, handle]);
  const pickBy = (key: string) => {
    const found = rows.find((row) => nameOf(row) === key.slice(1));
    if (found) pick(found);
  };
  return (
    <TextSurface
      text={props.text}
      label={props.label}
      drawn={drawn}
      active={active && nameOf(active)}
      band={shown}
      caret={false}
      onSelected={ignore}
      onTyped={ignore}
      onClicked={(at) => {
        const found = drawn.filter((each) => each.pair && each.start <= at && at <= each.end);
        const least = found.sort((one, other) => one.end - one.start - (other.end - other.start))[0];
        if (least) pickBy(least.key);
      }}
      onPick={pickBy}
      handle={handle}
    />
  );
}

function ignore(): void {}

function thirdLine(of: Fragment, place: number): Laneless {
  return {
    key: `z${place}`,
    start: of.start,
    end: of.end,
    tone: "third",
    stroke: "thin",
    block: false,
    above: false,
    label: of.code,
  };
}

function spanOf(row: Row | null, x: readonly Fragment[], y: readonly Fragment[], first: boolean): Fragment | null {
  if (!row) return null;
  const [ofX, ofY] = [row.x === null ? undefined : x[row.x], row.y === null ? undefined : y[row.y]];
  return (first ? (ofX ?? ofY) : (ofY ?? ofX)) ?? null;
}
