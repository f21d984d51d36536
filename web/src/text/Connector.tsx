import { useMemo } from "react";
import { type Drawn, heightOf, joined } from "./drawn";
import type { LineBox } from "./geometry";
import styles from "./surface.module.css";

interface ConnectorProps {
  drawn: readonly Drawn[];
  active: string | null;
  /** The lines of a fragment; another function after another layout. */
  lines: (of: Drawn) => readonly LineBox[];
  /** Where the text ends to the right, from its left. */
  edge: number;
}

/**
 * A thin line between what belongs to the active fragment: along each one's first line to the text's edge and down the
 * edge, so that it crosses no word. The same is said in words by the list's numbers.
 */
export function Connector({ drawn, active, lines, edge }: ConnectorProps) {
  const groups = useMemo(() => joined(drawn, active), [drawn, active]);
  if (groups.length === 0) return null;
  return (
    <svg className={styles.connectors} aria-hidden="true">
      {groups.map((group) => {
        const ends = group.flatMap((each) => {
          const box = lines(each)[0];
          return box ? [{ x: box.right, y: heightOf(each, box) }] : [];
        });
        return (
          ends.length > 1 && (
            <path
              key={group.map(({ key }) => key).join(" ")}
              data-family={group[0]?.tone}
              d={pathOf(ends, edge + BESIDE)}
            />
          )
        );
      })}
    </svg>
  );
}

/** Between the text and the codes in the margin. */
const BESIDE = 4;

function pathOf(ends: readonly { x: number; y: number }[], edge: number): string {
  const heights = ends.map(({ y }) => y);
  const arms = ends.map(({ x, y }) => `M${x} ${y}H${edge}`);
  return `${arms.join("")}M${edge} ${Math.min(...heights)}V${Math.max(...heights)}`;
}
