import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type Drawn, heightOf, isActive } from "@/text/drawn";
import { type Kind, nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import type { SurfaceHandle } from "@/text/TextSurface";
import styles from "./comparison.module.css";

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
  from: End | null;
  to: End | null;
}

/** Where a fragment's first line is painted, from the gutter's left end. */
interface End {
  left: number;
  right: number;
  y: number;
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
      setRibbons(
        rows.map((row) =>
          ribbonOf(row, { ...x, from: leftOf(element, "before") }, { ...y, from: leftOf(element, "after") }),
        ),
      );
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
            {each.name === active && each.from && each.to && (
              <path
                className={styles.connector}
                d={`M${each.from.right} ${each.from.y}H0M${width} ${each.to.y}H${each.to.left}`}
              />
            )}
            <Sign of={each} width={width} />
          </g>
        ))}
      </svg>
    </div>
  );
}

function ribbonOf(row: Row, x: Placed, y: Placed): Ribbon {
  const name = nameOf(row);
  return { name, row, kind: row.kind, from: endOf(name, x), to: endOf(name, y) };
}

/** A side with how far right of the gutter's left end it begins. */
type Placed = Side & { from: number };

function leftOf(gutter: HTMLElement, side: "before" | "after"): number {
  const text = side === "before" ? gutter.previousElementSibling : gutter.nextElementSibling;
  return (text?.getBoundingClientRect().left ?? 0) - gutter.getBoundingClientRect().left;
}

function endOf(name: string, { handle, drawn, from }: Placed): End | null {
  const found = drawn.find((each) => isActive(each, name));
  const box = found && handle.current?.firstBoxOf(found);
  return found && box ? { left: from + box.left, right: from + box.right, y: heightOf(found, box) } : null;
}

function pathOf({ from, to }: Ribbon, width: number): string {
  if (from && to) return `M0 ${from.y}C${width / 2} ${from.y} ${width / 2} ${to.y} ${width} ${to.y}`;
  if (from) return `M0 ${from.y}H${width * STUB}`;
  return to ? `M${width} ${to.y}H${width * (1 - STUB)}` : "";
}

function Sign({ of, width }: { of: Ribbon; width: number }) {
  const { from, to, kind } = of;
  const heights = [from, to].flatMap((end) => end?.y ?? []);
  if (heights.length === 0) return null;
  const y = heights.reduce((one, other) => one + other, 0) / heights.length;
  const at = heights.length === 2 ? 0.5 : from ? STUB : 1 - STUB;
  return (
    <text x={width * at} y={y + 4}>
      {SIGNS[kind]}
    </text>
  );
}
