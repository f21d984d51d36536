import { useLanguage } from "@/ui/contest";
import { decimal, PLACES, placesApart } from "@/ui/numbers";
import styles from "./charts.module.css";
import { deciding, type JudgedValue, reaches } from "./judged";
import { short } from "./labels";
import type { Axis } from "./scale";

/** The width of a chart of judged values, and the height of one of them. */
export const WIDTH = 300;
export const LINE = 38;
const PAD = 10;
const NAME = 13;
const TRACK = 27;
const TICK = 5;
const RADIUS = 4;
/** Characters of a name that have room beside its numbers. */
const MOST = 26;

/** How a judged number is told: on its side of its barrier; shares have all decimals, others no zeros at their end. */
export function useJudgedText(isShare: boolean): (value: number | null, barrier?: number | null) => string {
  const language = useLanguage();
  return (value, barrier = null) => {
    if (value === null) return "—";
    const places = placesApart([value], [barrier], PLACES.share);
    return decimal(value, places, language, isShare ? places : 0);
  };
}

interface JudgedLinesProps {
  values: readonly JudgedValue[];
  axis: Axis;
  isShare: boolean;
  /** Where the first stands. */
  top: number;
  /** Which of them is walked on. */
  at: number | null;
}

/** Each value as a dot with a line to its bound, filled where it reaches its dashed barrier; beside it both numbers. */
export function JudgedLines({ values, axis, isShare, top, at }: JudgedLinesProps) {
  const said = useJudgedText(isShare);
  const x = axis.copy().range([PAD, WIDTH - PAD]);
  return values.map((each, line) => {
    const y = top + line * LINE;
    const { value, bound, barrier } = each;
    const [from, to] = axis.domain() as [number, number];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their order, and two may have one name
      <g key={line} data-on={line === at ? "" : undefined} data-judged={reaches(each) ?? "none"}>
        <rect className={styles.judgedLine} x={0} y={y} width={WIDTH} height={LINE} />
        <text className={styles.judgedName} x={PAD - 6} y={y + NAME}>
          {short(each.name, MOST)}
        </text>
        <text className={styles.judgedNumbers} x={WIDTH - PAD + 6} y={y + NAME}>
          {said(deciding(each), barrier)}
          {barrier !== null && ` / ${said(barrier)}`}
        </text>
        <path className={styles.track} d={`M${x(from)} ${y + TRACK}H${x(to)}`} />
        {barrier !== null && <path className={styles.barrier} d={`M${x(barrier)} ${y + TRACK - 9}V${y + TRACK + 9}`} />}
        {value !== null && bound !== null && (
          <path
            className={styles.interval}
            d={`M${x(bound)} ${y + TRACK - TICK}v${2 * TICK}M${x(bound)} ${y + TRACK}H${x(value)}`}
          />
        )}
        {value !== null && (
          <circle className={reaches(each) ? styles.beyond : styles.dot} cx={x(value)} cy={y + TRACK} r={RADIUS} />
        )}
      </g>
    );
  });
}
