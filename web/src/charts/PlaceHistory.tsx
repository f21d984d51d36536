import { Trans, useLingui } from "@lingui/react/macro";
import { scaleLinear } from "d3-scale";
import { useCycleZone, useLanguage } from "@/ui/contest";
import { Moment } from "@/ui/Page";
import { moment } from "@/ui/time";
import { Chart } from "./Chart";
import styles from "./charts.module.css";

const WIDTH = 320;
const HEIGHT = 96;
const PAD = 24;

export interface Placed {
  at: number;
  place: number;
}

/** A team's places over time as a step line, place 1 on top; one place alone is a sentence. */
export function PlaceHistory({ points, name }: { points: readonly Placed[]; name: string }) {
  const { t } = useLingui();
  const [language, zone] = [useLanguage(), useCycleZone()];
  const first = points[0];
  const last = points[points.length - 1];
  if (!first || !last) return null;
  if (first === last) {
    const { place } = first;
    return (
      <p>
        <Trans>
          {name}: place {place} since <Moment at={iso(first.at)} />.
        </Trans>
      </p>
    );
  }
  const [from, to] = [first.place, last.place];
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
  const saidOf = (at: number, place: number) => {
    const since = moment(at, language, zone).own;
    return t`${since}: place ${place}`;
  };
  return (
    <Chart
      name={t`Places of ${name}`}
      file={`places-${name}`}
      finding={from === to ? t`${name}: place ${to}, as at first` : t`${name}: from place ${from} to place ${to}`}
      size={[WIDTH, HEIGHT]}
      look={styles.history}
      columns={[t`Since`, t`Place`]}
      rows={points.map(({ at, place }) => [iso(at), place])}
      cells={points.map(({ at, place }) => [<Moment key={at} at={iso(at)} />, place])}
      labels={points.map(({ at, place }) => saidOf(at, place))}
    >
      {(on) => (
        <>
          {[1, lowest].map((place) => (
            <text key={place} className={styles.tick} x={8} y={y(place) + 4}>
              {place}
            </text>
          ))}
          <path className={styles.line} d={line.join("")} />
          {points.map((point, at) => (
            <circle
              key={point.at}
              className={styles.point}
              cx={x(point.at)}
              cy={y(point.place)}
              r={at === on ? 6 : 3}
            />
          ))}
        </>
      )}
    </Chart>
  );
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
