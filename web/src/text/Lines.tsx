import { memo, useMemo } from "react";
import type { Family } from "./codes";
import { type Drawn, heightOf, isActive, joined, type LineBox, STROKES, sameDrawn } from "./drawn";
import styles from "./surface.module.css";

const TICK = 5;
const HALF = 8;
const DASHES: Partial<Record<Drawn["stroke"], string>> = { dotted: "1.5 3", "dash-dot": "7 3 1.5 3", dashed: "6 3" };

interface LinesProps {
  drawn: readonly Drawn[];
  active: string | null;
  /** Returns the lines of a fragment here; another function after another layout. */
  lines: (of: Drawn) => readonly LineBox[];
}

/** Lines of one paragraph's annotations: under the text or above it, with brackets around blocks. */
export const Lines = memo(
  function Lines({ drawn, active, lines }: LinesProps) {
    return (
      <svg className={styles.lines} aria-hidden="true" data-active={active === null ? undefined : ""}>
        {drawn.map((mark) => (
          <g key={mark.key} data-family={mark.tone} data-on={isActive(mark, active) ? "" : undefined}>
            {mark.block ? <Bracket mark={mark} boxes={lines(mark)} /> : <Strokes mark={mark} boxes={lines(mark)} />}
          </g>
        ))}
      </svg>
    );
  },
  (before, after) =>
    before.lines === after.lines && before.active === after.active && sameDrawn(before.drawn, after.drawn),
);

function Strokes({ mark, boxes }: { mark: Drawn; boxes: readonly LineBox[] }) {
  return boxes.map((box) => {
    const y = heightOf(mark, box);
    return (
      <path
        key={`${box.left} ${box.top}`}
        d={stroke(mark, box, y)}
        className={mark.stroke === "thin" || mark.stroke === "double" ? styles.thin : undefined}
        strokeDasharray={DASHES[mark.stroke]}
      />
    );
  });
}

function stroke(mark: Drawn, { left, right }: LineBox, y: number): string {
  if (mark.stroke === "double") return `M${left} ${y - 1}H${right}M${left} ${y + 1.5}H${right}`;
  if (mark.stroke !== "wavy") return `M${left} ${y}H${right}`;
  const waves = Math.max(1, Math.round((right - left) / 6));
  const wide = (right - left) / waves;
  const wave = `q${wide / 4} -2.5 ${wide / 2} 0t${wide / 2} 0`;
  return `M${left} ${y}${wave.repeat(waves)}`;
}

/**
 * A pale band with ticks at the first line's start and the last one's end; inner blocks' ticks are shorter. Half brackets
 * keep to one side of the lines, so that two markups over the same words stay apart.
 */
function Bracket({ mark, boxes }: { mark: Drawn; boxes: readonly LineBox[] }) {
  const [first, last] = [boxes[0], boxes.at(-1)];
  if (!first || !last) return null;
  const inset = mark.lane * 3;
  const [top, bottom] = [first.top - 4 + inset, last.bottom + 4 - inset];
  return (
    <>
      {boxes.map((box) => (
        <rect
          key={`${box.left} ${box.top}`}
          x={box.left}
          y={box.top}
          width={box.right - box.left}
          height={box.bottom - box.top}
        />
      ))}
      {mark.stroke === "half" ? (
        <HalfBracket first={first} last={last} inset={inset} above={mark.above} />
      ) : (
        <>
          <path d={`M${first.left + TICK} ${top}h${-TICK}V${first.bottom + 4 - inset}`} />
          <path d={`M${last.right - TICK} ${bottom}h${TICK}V${last.top - 4 + inset}`} />
        </>
      )}
    </>
  );
}

function HalfBracket(bracket: { first: LineBox; last: LineBox; inset: number; above: boolean }) {
  const { first, last, inset, above } = bracket;
  const edge = (box: LineBox) => (above ? box.top - 4 + inset : box.bottom + 4 - inset);
  const inward = above ? HALF : -HALF;
  return (
    <>
      <path d={`M${first.left + TICK} ${edge(first)}h${-TICK}v${inward}`} />
      <path d={`M${last.right - TICK} ${edge(last)}h${TICK}v${inward}`} />
    </>
  );
}

const SAMPLE: LineBox = { left: 2, right: 34, top: 2, bottom: 10 };

/** Sample of a family's line style, for a legend. */
export function LineSample({ family }: { family: Family }) {
  const block = family === "meaning";
  const mark = {
    key: "",
    start: 0,
    end: 0,
    tone: family,
    stroke: STROKES[family],
    block,
    above: false,
    label: "",
    lane: 0,
  };
  return (
    <svg className={styles.sample} aria-hidden="true" data-family={family}>
      <g>
        {block ? <Bracket mark={mark} boxes={[{ ...SAMPLE, top: 6 }]} /> : <Strokes mark={mark} boxes={[SAMPLE]} />}
      </g>
    </svg>
  );
}

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
      .filter((mark) => mark.label !== "")
      .map((mark) => ({ mark, top: lines(mark)[0]?.top }))
      .filter((place): place is { mark: Drawn; top: number } => place.top !== undefined)
      .sort((one, other) => one.top - other.top || one.mark.start - other.mark.start)
      .map(({ mark, top }) => {
        const at = Math.max(top, free);
        free = at + HEIGHT;
        return { mark, at };
      });
    // The list beside the text says the same to a keyboard and to a screen reader.
    return (
      <div className={styles.labels} style={{ minHeight: free }} aria-hidden="true">
        {placed.map(({ mark, at }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: a second way to what the list offers
          // biome-ignore lint/a11y/useKeyWithClickEvents: the same
          <span
            key={mark.key}
            style={{ top: at }}
            data-family={mark.tone}
            data-on={isActive(mark, active) ? "" : undefined}
            onPointerEnter={() => onPoint(mark.pair ?? mark.key)}
            onPointerLeave={() => onPoint(null)}
            onClick={() => onPick(mark.key)}
          >
            {mark.label}
          </span>
        ))}
      </div>
    );
  },
  (before, after) =>
    before.lines === after.lines && before.active === after.active && sameDrawn(before.drawn, after.drawn),
);

interface ConnectorProps {
  drawn: readonly Drawn[];
  active: string | null;
  /** Returns the lines of a fragment; another function after another layout. */
  lines: (of: Drawn) => readonly LineBox[];
  /** Right edge of the text, measured from its left edge. */
  edge: number;
}

/**
 * A thin line between fragments linked with the active one: along each one's first line to the text's edge and down the
 * edge, so that it crosses no word. The same is said in words by the list's numbers.
 */
export function Connector({ drawn, active, lines, edge }: ConnectorProps) {
  const groups = useMemo(() => joined(drawn, active), [drawn, active]);
  if (groups.length === 0) return null;
  return (
    <svg className={styles.connectors} aria-hidden="true">
      {groups.map((group) => {
        const ends = group.flatMap((mark) => {
          const box = lines(mark)[0];
          return box ? [{ x: box.right, y: heightOf(mark, box) }] : [];
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

/** Gap between the text and the codes in the margin. */
const BESIDE = 4;

function pathOf(ends: readonly { x: number; y: number }[], edge: number): string {
  const heights = ends.map(({ y }) => y);
  const arms = ends.map(({ x, y }) => `M${x} ${y}H${edge}`);
  return `${arms.join("")}M${edge} ${Math.min(...heights)}V${Math.max(...heights)}`;
}
