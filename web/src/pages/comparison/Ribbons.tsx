import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Drawn } from "@/text/drawn";
import { isActive } from "@/text/drawn";
import { type Kind, nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import type { SurfaceHandle } from "@/text/TextSurface";
import styles from "./comparison.module.css";

const LANE = 4;
const DASHES: Partial<Record<string, string>> = { partial: "6 3", only: "1.5 3" };
/** How far into the gutter the end of a fragment without a pair reaches. */
const STUB = 0.3;

export interface Side {
  handle: RefObject<SurfaceHandle | null>;
  drawn: readonly Drawn[];
}

interface RibbonsProps {
  rows: readonly Row[];
  x: Side;
  y: Side;
  active: string | null;
  /** Without colours of their own: the texts' are families. */
  plain: boolean;
  pick: (row: Row) => void;
}

interface Ribbon {
  name: string;
  row: Row;
  kind: Kind;
  from: number | null;
  to: number | null;
}

/** In the gutter between the two texts: a line from each fragment to its pair, an end for one that has none. */
export function Ribbons({ rows, x, y, active, plain, pick }: RibbonsProps) {
  const gutter = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [ribbons, setRibbons] = useState<readonly Ribbon[]>([]);
  useLayoutEffect(() => {
    const element = gutter.current;
    if (!element) return;
    const again = () => {
      setWidth(element.clientWidth);
      setRibbons(rows.map((row) => ribbonOf(row, x, y)));
    };
    // The gutter is as high as the higher text, and what moves words within it changes a text's height or its width.
    const observer = new ResizeObserver(again);
    for (const each of element.parentElement?.children ?? []) observer.observe(each);
    document.fonts.addEventListener("loadingdone", again);
    again();
    return () => {
      observer.disconnect();
      document.fonts.removeEventListener("loadingdone", again);
    };
  }, [rows, x, y]);
  // The table below says the same to a keyboard and to a screen reader.
  return (
    <div ref={gutter} className={styles.gutter} aria-hidden="true">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: hidden with what is around it */}
      <svg className={styles.ribbons} data-active={active === null ? undefined : ""}>
        {ribbons.map((each) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: a second way to what the table offers
          <g
            key={each.name}
            data-family={plain ? "third" : toneOf(each.kind)}
            data-on={each.name === active ? "" : undefined}
            onClick={() => pick(each.row)}
          >
            <path d={pathOf(each, width)} strokeDasharray={DASHES[toneOf(each.kind)]} />
            <Sign of={each} width={width} />
          </g>
        ))}
      </svg>
    </div>
  );
}

function ribbonOf(row: Row, x: Side, y: Side): Ribbon {
  const name = nameOf(row);
  return { name, row, kind: row.kind, from: heightOf(name, x), to: heightOf(name, y) };
}

/** At which height of its text a fragment's first line is painted. */
function heightOf(name: string, { handle, drawn }: Side): number | null {
  const found = drawn.find((each) => isActive(each, name));
  const box = found && handle.current?.firstBoxOf(found);
  return found && box ? box.bottom + 1 + found.lane * LANE : null;
}

function pathOf({ from, to }: Ribbon, width: number): string {
  if (from !== null && to !== null) {
    return `M0 ${from}C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`;
  }
  if (from !== null) return `M0 ${from}H${width * STUB}`;
  return to === null ? "" : `M${width} ${to}H${width * (1 - STUB)}`;
}

function Sign({ of, width }: { of: Ribbon; width: number }) {
  const { from, to, kind } = of;
  const both = from !== null && to !== null;
  const y = both ? (from + to) / 2 : (from ?? to);
  if (y === null) return null;
  const at = both ? 0.5 : from === null ? 1 - STUB : STUB;
  return (
    <text x={width * at} y={y + 4}>
      {SIGNS[kind]}
    </text>
  );
}
