import { Trans, useLingui } from "@lingui/react/macro";
import { scaleLinear } from "d3-scale";
import { memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useSeconds } from "@/ui/Page";
import { ALONG, DOWN, pictureOf, SaveChart, useWalk } from "./Chart";
import styles from "./charts.module.css";

const ROW = 20;
const HEAD = 20;
const LEFT = 40;
/** Space beside the axis, which holds half of its last number. */
const RIGHT = 28;
const LEAST_WIDTH = 240;
/** Space for a tick's number, in pixels. */
const TICK = 90;

const STEPS = { ...ALONG, ...DOWN };

/** Timeline of a session's files, one below the other, each from its own start; arrow keys walk and describe them. */
export function Timeline({ files, file }: { files: readonly Happened[]; file: string }) {
  const { t } = useLingui();
  const seconds = useSeconds();
  const svg = useRef<SVGSVGElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const lanes = useMemo(() => files.map(laneOf), [files]);
  const { at, setAt, walk } = useWalk(lanes.length, STEPS);
  const x = useMemo(
    () =>
      scaleLinear()
        .domain([0, longest(lanes)])
        .range([LEFT, width - RIGHT]),
    [lanes, width],
  );
  const height = HEAD + lanes.length * ROW;
  const finding = useFinding(lanes);
  useLayoutEffect(() => {
    const view = box.current;
    if (at === null || !view) return;
    // The chart may be longer than its box; the head stays in view with the first lane.
    const top = at * ROW;
    view.scrollTop = Math.max(top + HEAD + ROW - view.clientHeight, Math.min(top, view.scrollTop));
  }, [at]);
  const lane = at === null ? undefined : lanes[at];
  return (
    <figure className={styles.figure}>
      <figcaption>
        <strong>{finding}</strong>
        <SaveChart
          of={{
            name: t`the files' times`,
            file,
            columns: [t`File`, t`Handed out, ms`, t`Answered, ms`, t`Limit, ms`, t`Void`],
            rows: lanes.map((lane) => [lane.number, lane.asked, lane.answered, lane.limit, lane.isVoid ? 1 : 0]),
          }}
          picture={() => svg.current && pictureOf(svg.current, finding)}
        />
      </figcaption>
      <div ref={box} className={styles.lanes} data-drawing>
        <svg
          ref={svg}
          className={styles.timeline}
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk it
          tabIndex={0}
          aria-label={finding}
          onKeyDown={walk}
          onBlur={() => setAt(null)}
        >
          {x.ticks(Math.max(2, Math.floor(width / TICK))).map((tick) => (
            <g key={tick}>
              <path className={styles.grid} d={`M${x(tick)} ${HEAD}V${height}`} />
              <text className={styles.tick} x={x(tick)} y={HEAD - 7}>
                {seconds(tick)}
              </text>
            </g>
          ))}
          {lanes.map((lane, row) => (
            <Row key={lane.number} lane={lane} y={HEAD + row * ROW + ROW / 2} x={x} width={width} isOn={row === at} />
          ))}
        </svg>
      </div>
      <p className={styles.told} role="status">
        {lane && <LaneText lane={lane} />}
      </p>
      <p className={styles.key}>
        <Trans>
          Each line is a file, from its opening in a run, otherwise from its hand-out. ○ handed out, ● answered, ┃
          limit, ✕ void. ↑ and ↓ walk the files.
        </Trans>
      </p>
    </figure>
  );
}

interface RowProps {
  lane: Lane;
  y: number;
  x: (at: number) => number;
  width: number;
  isOn: boolean;
}

const Row = memo(function Row({ lane, y, x, width, isOn }: RowProps) {
  const { number, asked, answered, limit, isVoid } = lane;
  const until = answered ?? limit;
  const cross = x(until ?? 0);
  return (
    <g data-on={isOn ? "" : undefined} data-lane={number}>
      <rect className={styles.lane} x={0} y={y - ROW / 2} width={width} height={ROW} />
      <text className={styles.laneName} x={LEFT - 8} y={y + 4}>
        {number}
      </text>
      {limit !== null && <path className={styles.wait} d={`M${x(0)} ${y}H${x(asked ?? limit)}`} />}
      {asked !== null && until !== null && <path className={styles.work} d={`M${x(asked)} ${y}H${x(until)}`} />}
      {limit !== null && <path className={styles.limit} d={`M${x(limit)} ${y - 7}V${y + 7}`} />}
      {asked !== null && <circle className={styles.asked} cx={x(asked)} cy={y} r={4} />}
      {answered !== null && !isVoid && <circle className={styles.answered} cx={x(answered)} cy={y} r={4} />}
      {isVoid && <path className={styles.cross} d={`M${cross - 5} ${y - 5}l10 10m0 -10l-10 10`} />}
    </g>
  );
});

function useFinding(lanes: readonly Lane[]): string {
  const { t } = useLingui();
  const seconds = useSeconds();
  const answered = lanes.filter((lane) => lane.answered !== null && !lane.isVoid).length;
  const voided = lanes.filter(({ isVoid }) => isVoid).length;
  const all = lanes.length;
  const least = nearest(lanes);
  if (!least) return t`Answered in time: 0 of ${all}, void: ${voided}.`;
  const { number } = least;
  const left = seconds(least.left);
  return t`Answered in time: ${answered} of ${all}, void: ${voided}. File ${number} was nearest to its limit: ${left} were left.`;
}

function LaneText({ lane }: { lane: Lane }) {
  const { t } = useLingui();
  const seconds = useSeconds();
  const { number, isVoid } = lane;
  const asked = lane.asked === null ? null : seconds(lane.asked);
  const answered = lane.answered === null ? null : seconds(lane.answered);
  const limit = lane.limit === null ? null : seconds(lane.limit);
  const parts = [
    asked === null ? t`never handed out` : t`handed out after ${asked}`,
    answered === null ? t`not answered` : t`answered after ${answered}`,
    ...(limit === null ? [] : [t`limit ${limit}`]),
    ...(isVoid ? [t`void`] : []),
  ];
  return `${t`File ${number}`}: ${parts.join(", ")}`;
}

/** Return the width of the box, in pixels: a chart in true pixels keeps its letters' size on a phone. */
function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(LEAST_WIDTH);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const sized = new ResizeObserver(() => setWidth(Math.max(LEAST_WIDTH, element.clientWidth)));
    sized.observe(element);
    return () => sized.disconnect();
  }, [box]);
  return width;
}

/** Times of one file's events and deadlines, by the platform's clock; null for one that is missing. */
export interface Happened {
  number: number;
  opens_at: string | null;
  request_by: string | null;
  handed_out_at: string | null;
  answer_by: string | null;
  answered_at: string | null;
  state: string;
}

/** The same from the file's own start: its opening in a run, or its hand-out if files do not open by themselves. */
interface Lane {
  number: number;
  /** Times, in milliseconds from the file's start. */
  asked: number | null;
  answered: number | null;
  limit: number | null;
  isVoid: boolean;
}

export function laneOf(file: Happened): Lane {
  const begins = file.opens_at ?? file.handed_out_at;
  const since = (at: string | null) => (at === null || begins === null ? null : Date.parse(at) - Date.parse(begins));
  return {
    number: file.number,
    asked: since(file.handed_out_at),
    answered: since(file.answered_at),
    limit: since(file.answer_by ?? file.request_by),
    isVoid: file.state === "voided",
  };
}

/** Return the answer that came nearest to its limit; null if no file was answered. */
export function nearest(lanes: readonly Lane[]): { number: number; left: number } | null {
  const answers = lanes.flatMap(({ number, answered, limit, isVoid }) =>
    answered === null || limit === null || isVoid ? [] : [{ number, left: limit - answered }],
  );
  return answers.reduce<(typeof answers)[number] | null>(
    (least, answer) => (least === null || answer.left < least.left ? answer : least),
    null,
  );
}

/** Return the last moment that the axis must include, in milliseconds. */
export function longest(lanes: readonly Lane[]): number {
  return Math.max(1, ...lanes.flatMap(({ asked, answered, limit }) => [asked ?? 0, answered ?? 0, limit ?? 0]));
}
