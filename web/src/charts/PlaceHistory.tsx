import { useLingui } from "@lingui/react/macro";
import { scaleLinear } from "d3-scale";
import styles from "./charts.module.css";

const WIDTH = 320;
const HEIGHT = 96;
const PAD = 24;

export interface Placed {
  at: number;
  place: number;
}

/** A team's places over time as a step line, place 1 on top; one place alone is no line. */
export function PlaceHistory({ points, name }: { points: readonly Placed[]; name: string }) {
  const { t } = useLingui();
  const first = points[0];
  const last = points[points.length - 1];
  if (!first || !last || first === last) return null;
  const lowest = Math.max(2, ...points.map((point) => point.place));
  const x = scaleLinear()
    .domain([first.at, Math.max(last.at, first.at + 1)])
    .range([PAD, WIDTH - PAD]);
  const y = scaleLinear()
    .domain([1, lowest])
    .range([PAD / 2, HEIGHT - PAD / 2]);
  const line = points.map((point, at) =>
    at === 0 ? `M${x(point.at)} ${y(point.place)}` : `H${x(point.at)}V${y(point.place)}`,
  );
  return (
    <svg
      className={styles.history}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={t`Places of ${name}: first ${first.place}, now ${last.place}`}
    >
      {[1, lowest].map((place) => (
        <text key={place} className={styles.tick} x={8} y={y(place) + 4}>
          {place}
        </text>
      ))}
      <path className={styles.line} d={line.join("")} />
      {points.map((point) => (
        <circle key={point.at} className={styles.point} cx={x(point.at)} cy={y(point.place)} r={3} />
      ))}
    </svg>
  );
}
