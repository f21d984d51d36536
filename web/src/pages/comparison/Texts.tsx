import { Trans, useLingui } from "@lingui/react/macro";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import {
  type Drawn,
  depth,
  heightOf,
  isActive,
  type LookOf,
  linesOf,
  nameOf,
  type Row,
  SIGNS,
  toneOf,
  withLanes,
} from "@/text/drawn";
import { type Fragment, isWholeText } from "@/text/markup";
import { onLayout, type SurfaceHandle, TextSurface } from "@/text/TextSurface";
import styles from "./comparison.module.css";
import { Quote } from "./Families";

interface TextsProps {
  text: string;
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  third: readonly Fragment[] | null;
  active: Row | null;
  look: LookOf;
  /** True if colours mean agreement; otherwise they mean families, and ribbons have no colour. */
  agreement: boolean;
  beside: boolean;
  pick: (row: Row) => void;
}

/** The text with X's lines above and Y's below, or two texts with ribbons between; whole-text fragments on top. */
export function Texts(props: TextsProps) {
  return (
    <>
      <WholeText {...props} />
      {props.beside ? <Beside {...props} /> : <Overlaid {...props} />}
    </>
  );
}

/** Fragments about the whole text, listed because they have no span in it. */
function WholeText({ text, rows, x, y, active, pick }: TextsProps) {
  const { t } = useLingui();
  const ofX = (row: Row) => (row.x === null ? undefined : x[row.x]);
  const ofY = (row: Row) => (row.y === null ? undefined : y[row.y]);
  const whole = rows.filter((row) => [ofX(row), ofY(row)].some((fragment) => fragment && isWholeText(fragment)));
  const list = useRef<HTMLUListElement>(null);
  const name = active && whole.includes(active) ? nameOf(active) : null;
  useEffect(() => {
    if (name) list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [name]);
  if (whole.length === 0) return null;
  return (
    <ul ref={list} className={styles.whole} aria-label={t`Of the whole text`}>
      {whole.map((row) => (
        <li key={nameOf(row)} data-family={toneOf(row.kind)} aria-current={row === active ? "true" : undefined}>
          <button type="button" className={styles.link} onClick={() => pick(row)}>
            <span aria-hidden="true">{SIGNS[row.kind]} </span>
            <Trans>
              X: <Quote text={text} fragment={ofX(row)} /> · Y: <Quote text={text} fragment={ofY(row)} />
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
    const lanes = depth(both, false) + 1;
    const lowest = withLanes(third.map(thirdLine)).map((mark) => ({ ...mark, lane: mark.lane + lanes }));
    return [...both, ...lowest];
  }, [rows, x, y, third, look]);
  const label = third
    ? t`The essay: X above the lines, Y below them, the third annotation lowest`
    : t`The essay: X above the lines, Y below them`;
  return <Text {...{ label, text, drawn, rows, active, pick, handle }} name={spanOf(active, x, y, true)} />;
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
      <Text {...shared} {...sideX} level={drawnY} label={t`The essay with X`} name={spanOf(active, x, y, true)} />
      <Ribbons rows={rows} x={sideX} y={sideY} active={active && nameOf(active)} plain={!agreement} pick={pick} />
      <Text {...shared} {...sideY} level={drawnX} label={t`The essay with Y`} name={spanOf(active, x, y, false)} />
    </div>
  );
}

function Text(props: {
  label: string;
  text: string;
  drawn: readonly Drawn[];
  level?: readonly Drawn[];
  rows: readonly Row[];
  active: Row | null;
  name: Fragment | null;
  pick: (row: Row) => void;
  handle: RefObject<SurfaceHandle | null>;
}) {
  const { rows, active, name, pick, drawn, handle } = props;
  useEffect(() => {
    if (name && !isWholeText(name)) handle.current?.show(name);
  }, [name, handle]);
  const pickBy = (key: string) => {
    const clicked = rows.find((row) => nameOf(row) === key.slice(1));
    if (clicked) pick(clicked);
  };
  return (
    <TextSurface
      text={props.text}
      label={props.label}
      drawn={drawn}
      {...(props.level && { level: props.level })}
      active={active && nameOf(active)}
      band={name}
      caret={false}
      onSelected={ignore}
      onTyped={ignore}
      onClicked={(at) => {
        const hit = drawn.filter((mark) => mark.pair && mark.start <= at && at <= mark.end);
        const least = hit.sort((one, other) => one.end - one.start - (other.end - other.start))[0];
        if (least) pickBy(least.key);
      }}
      onPick={pickBy}
      handle={handle}
    />
  );
}

function ignore(): void {}

function thirdLine(fragment: Fragment, place: number): Omit<Drawn, "lane"> {
  return {
    key: `z${place}`,
    start: fragment.start,
    end: fragment.end,
    tone: "third",
    stroke: "thin",
    block: false,
    above: false,
    label: fragment.code,
  };
}

function spanOf(row: Row | null, x: readonly Fragment[], y: readonly Fragment[], first: boolean): Fragment | null {
  if (!row) return null;
  const [ofX, ofY] = [row.x === null ? undefined : x[row.x], row.y === null ? undefined : y[row.y]];
  return (first ? (ofX ?? ofY) : (ofY ?? ofX)) ?? null;
}

const DASHES: Partial<Record<string, string>> = { partial: "6 3", only: "1.5 3" };
/** Places for a sign along its ribbon, as shares of the gutter's width; the first free one is taken. */
const ALONG_PAIR = [0.5, 0.2, 0.8];
const ALONG_STUB = [0.25, 0.5, 0.75];
/** Least distance of two signs, and of two ribbons' ends on one side, in pixels. */
const SIGN = 11;
const END = 4;

interface Side {
  handle: RefObject<SurfaceHandle | null>;
  drawn: readonly Drawn[];
}

interface RibbonsProps {
  rows: readonly Row[];
  x: Side;
  y: Side;
  active: string | null;
  /** True if ribbons have no colours of their own, because the texts' colours mean families. */
  plain: boolean;
  pick: (row: Row) => void;
}

interface Ribbon {
  name: string;
  row: Row;
  from: End | undefined;
  to: End | undefined;
  sign: Point;
}

interface Point {
  x: number;
  y: number;
}

/** Position of a fragment's first line, in pixels; horizontally from the gutter's left edge. */
interface End {
  left: number;
  right: number;
  y: number;
  /** Height at which its ribbon leaves the gutter's edge: fragments on one line have ribbons side by side. */
  edge: number;
}

/** Ribbons in the gutter between the two texts: a line from each fragment to its pair, a stub for an unpaired one. */
function Ribbons({ rows, x, y, active, plain, pick }: RibbonsProps) {
  const gutter = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [ribbons, setRibbons] = useState<readonly Ribbon[]>([]);
  useLayoutEffect(() => {
    const element = gutter.current;
    if (!element) return;
    // The gutter is as high as the higher text; anything that moves words changes a text's height or width.
    return onLayout(element.parentElement?.children ?? [], () => {
      const from = endsOf(rows, x, element, element.previousElementSibling);
      const to = endsOf(rows, y, element, element.nextElementSibling);
      setWidth(element.clientWidth);
      setRibbons(ribbonsOf(rows, from, to, element.clientWidth));
    });
  }, [rows, x, y]);
  // The table below offers the same to keyboards and screen readers.
  return (
    <div ref={gutter} className={styles.gutter} aria-hidden="true">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: hidden with what is around it */}
      <svg className={styles.ribbons} data-active={active === null ? undefined : ""}>
        {ribbons.map((ribbon) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: a second way to what the table offers
          <g
            key={ribbon.name}
            data-family={plain ? "third" : toneOf(ribbon.row.kind)}
            data-on={ribbon.name === active ? "" : undefined}
            onClick={() => pick(ribbon.row)}
          >
            <path d={pathOf(ribbon, width)} strokeDasharray={DASHES[toneOf(ribbon.row.kind)]} />
            {ribbon.name === active && ribbon.from && ribbon.to && (
              <path
                className={styles.connector}
                d={`M${ribbon.from.right} ${ribbon.from.y}H0V${ribbon.from.edge}M${width} ${ribbon.to.edge}V${ribbon.to.y}H${ribbon.to.left}`}
              />
            )}
            <text x={ribbon.sign.x} y={ribbon.sign.y + 4}>
              {SIGNS[ribbon.row.kind]}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Return where the rows' fragments begin on a side; ends closer than `END` move apart, downwards. */
function endsOf(rows: readonly Row[], { handle, drawn }: Side, gutter: Element, text: Element | null) {
  const from = (text?.getBoundingClientRect().left ?? 0) - gutter.getBoundingClientRect().left;
  const ends = rows.map(nameOf).flatMap((name) => {
    const mark = drawn.find((each) => isActive(each, name));
    const box = mark && handle.current?.firstBoxOf(mark);
    return mark && box ? [{ name, left: from + box.left, right: from + box.right, y: heightOf(mark, box) }] : [];
  });
  let free = 0;
  return new Map<string, End>(
    ends
      .sort((one, other) => one.y - other.y || one.left - other.left)
      .map(({ name, ...end }) => {
        const edge = Math.max(end.y, free);
        free = edge + END;
        return [name, { ...end, edge }];
      }),
  );
}

/** Return the ribbons that have an end, each with a place for its sign beside the signs placed before. */
function ribbonsOf(rows: readonly Row[], x: Map<string, End>, y: Map<string, End>, width: number): Ribbon[] {
  const signs: Point[] = [];
  return rows.flatMap((row) => {
    const name = nameOf(row);
    const [from, to] = [x.get(name), y.get(name)];
    const places = (from && to ? ALONG_PAIR : ALONG_STUB).map((share) => pointOn(from?.edge, to?.edge, share, width));
    const isFree = (place: Point) => signs.every((other) => Math.hypot(other.x - place.x, other.y - place.y) >= SIGN);
    const sign = places.find(isFree) ?? places[0];
    if (!sign || !(from || to)) return [];
    signs.push(sign);
    return [{ name, row, from, to, sign }];
  });
}

/** Return the point of a ribbon at a share of its way: on a pair's curve, or on a level stub. */
function pointOn(from: number | undefined, to: number | undefined, share: number, width: number): Point {
  if (from === undefined || to === undefined)
    return { x: width * (from === undefined ? 1 - share : share), y: from ?? to ?? 0 };
  const bend = 3 * share * (1 - share);
  const risen = share * share * (3 - 2 * share);
  return { x: width * (bend / 2 + share ** 3), y: from + (to - from) * risen };
}

function pathOf({ from, to, sign }: Ribbon, width: number): string {
  if (!from || !to) return `M${from ? 0 : width} ${sign.y}H${sign.x}`;
  return `M0 ${from.edge}C${width / 2} ${from.edge} ${width / 2} ${to.edge} ${width} ${to.edge}`;
}
