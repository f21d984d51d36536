import { memo } from "react";
import { type Drawn, isActive, sameDrawn } from "./drawn";
import type { LineBox } from "./geometry";
import styles from "./surface.module.css";

const HEIGHT = 18;

interface LabelsProps {
  drawn: readonly Drawn[];
  active: string | null;
  lines: (of: Drawn) => readonly LineBox[];
  onPoint: (key: string | null) => void;
  onPick: (key: string) => void;
}

/** The codes in the margin, each at its fragment's first line, pushed down where another one stands already. */
export const Labels = memo(
  function Labels({ drawn, active, lines, onPoint, onPick }: LabelsProps) {
    let free = 0;
    const placed = drawn
      .filter((each) => each.label !== "")
      .map((each) => ({ each, top: lines(each)[0]?.top }))
      .filter((place): place is { each: Drawn; top: number } => place.top !== undefined)
      .sort((one, other) => one.top - other.top || one.each.start - other.each.start)
      .map(({ each, top }) => {
        const at = Math.max(top, free);
        free = at + HEIGHT;
        return { each, at };
      });
    // The list beside the text says the same to a keyboard and to a screen reader.
    return (
      <div className={styles.labels} style={{ minHeight: free }} aria-hidden="true">
        {placed.map(({ each, at }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: a second way to what the list offers
          // biome-ignore lint/a11y/useKeyWithClickEvents: the same
          <span
            key={each.key}
            style={{ top: at }}
            data-family={each.tone}
            data-on={isActive(each, active) ? "" : undefined}
            onPointerEnter={() => onPoint(each.pair ?? each.key)}
            onPointerLeave={() => onPoint(null)}
            onClick={() => onPick(each.key)}
          >
            {each.label}
          </span>
        ))}
      </div>
    );
  },
  (before, after) =>
    before.lines === after.lines && before.active === after.active && sameDrawn(before.drawn, after.drawn),
);
