import { Trans, useLingui } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import { useBoards, useLanguage, useMark, useMeasureName } from "@/ui/contest";
import { decimal, PLACES, placesApart, SIGN } from "@/ui/numbers";
import styles from "./charts.module.css";
import { axisOf } from "./Whisker";

interface VerdictProps {
  /** Verdict of the platform; its `overcome` is null if there is none. */
  barrier: Schemas["BarrierBody"];
  result: unknown;
}

/** Verdict on a result, above all its parts: a sentence with the platform's verdict, and the value on an axis. */
export function Verdict({ barrier, result }: VerdictProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const rules = useBoards().data?.boards[0];
  const measureName = useMeasureName();
  if (!rules || typeof result !== "object" || result === null) return null;
  const { overcome } = barrier;
  const isOfExperts = rules.key === "relative_accuracy";
  const { better, people, value } = judged(result, rules.key);
  if (overcome === null && (value !== null || barrier.value === null)) return null;
  const { interval_95: intervals } = result as { interval_95?: Record<string, readonly number[] | null> };
  const interval = intervals?.[rules.key] ?? null;
  // A value just below the barrier is not rounded up to the barrier, and 100 % has no decimals.
  const places = placesApart([value], [barrier.value ?? people], PLACES[rules.unit] - 1);
  const figure = (value: number) => `${decimal(value, places, language, 0)}${SIGN[rules.unit]}`;
  const measure = measureName(rules).replace(/, %$/, "");
  const worth =
    value === null ? measure : isOfExperts ? t`${figure(value)} of an expert` : `${measure} ${figure(value)}`;
  const [from, to] = interval ?? [];
  return (
    <section aria-labelledby="verdict" className={styles.verdict}>
      <h2 id="verdict">
        {overcome === null && <Trans>{worth} is undefined: nothing can be said of the barrier</Trans>}
        {overcome === true && <Trans>{worth}: the barrier is overcome</Trans>}
        {overcome === false && better !== "lower" && <Trans>{worth}: below the barrier</Trans>}
        {overcome === false && better === "lower" && <Trans>{worth}: the barrier is not overcome</Trans>}
      </h2>
      {value !== null && <Line value={value} interval={interval} people={people} said={figure} />}
      {value !== null && isOfExperts && (
        <p>
          {from !== undefined && to !== undefined
            ? t`The 95 % interval of ${measure}: from ${figure(from)} to ${figure(to)}.`
            : t`${measure} has no 95 % interval here: there are too few files for one.`}
        </p>
      )}
    </section>
  );
}

const [WIDTH, HEIGHT, PAD, MIDDLE, CAP] = [400, 64, 24, 40, 7];
/** Numbers of the axis stand at least so far from the barrier's. */
const APART = 32;

/** Value with its interval on an axis, with a line across it for the barrier. */
function Line({
  value,
  interval,
  people,
  said,
}: {
  value: number;
  interval: readonly number[] | null;
  /** Value that people reach in the same files, if it is the barrier; otherwise null. */
  people: number | null;
  said: (of: number) => string;
}) {
  const ofBoard = useMark();
  const mark = people === null ? ofBoard : { at: people };
  const x = axisOf([value, ...(interval ?? [])], mark?.at).range([PAD, WIDTH - PAD]);
  const [from, to] = interval ?? [];
  return (
    // The sentences around the drawing say the same.
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className={styles.ground} d={`M${PAD} ${MIDDLE}H${WIDTH - PAD}`} />
      {x
        .ticks(4)
        .filter((tick) => !mark || Math.abs(x(tick) - x(mark.at)) >= APART)
        .map((tick) => (
          <text key={tick} className={styles.tick} x={x(tick)} y={HEIGHT - 4}>
            {said(tick)}
          </text>
        ))}
      {mark && (
        <>
          <path className={styles.barrier} d={`M${x(mark.at)} 4V${HEIGHT - 16}`} />
          <text className={styles.barrierText} x={x(mark.at)} y={HEIGHT - 4}>
            {said(mark.at)}
          </text>
        </>
      )}
      {from !== undefined && to !== undefined && (
        <path
          className={styles.interval}
          d={`M${x(from)} ${MIDDLE - CAP}v${2 * CAP}M${x(from)} ${MIDDLE}H${x(to)}M${x(to)} ${MIDDLE - CAP}v${2 * CAP}`}
        />
      )}
      <circle className={styles.beyond} cx={x(value)} cy={MIDDLE} r={6} />
      <text className={styles.barrierText} x={x(value)} y={MIDDLE - 14}>
        {said(value)}
      </text>
    </svg>
  );
}

/** Return the main board's ranking value: under its key, or, for a declared measure, in `values` beside people's. */
function judged(result: object, key: string) {
  const figures = result as Record<string, unknown> & {
    values?: { value?: unknown };
    people?: { value?: unknown } | null;
  };
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    value: number(figures[key] ?? figures.values?.value),
    people: number(figures.people?.value),
    better: figures.better,
  };
}
