import { Trans, useLingui } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import type { Language } from "@/i18n/i18n";
import { useLanguage } from "@/ui/contest";
import { decimal, kindOf, nameText, PLACES, placesApart } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { Chart, short } from "./Chart";
import styles from "./charts.module.css";
import { type Axis, rulerOf } from "./Whisker";

const HEAD = 18;
const CELL = 46;
const LEFT = 68;
const WIDE = 114;

/** Chart of values and their required minimum: one of all rows, or for each row its matrix and its values. */
export function Judgements({ section }: { section: Section }) {
  const language = useLanguage();
  const values = judgedRows(section, language);
  const isShare = areShares(section);
  const { axis } = rulerOf([0, ...extent(values)], isShare ? "share" : "points", null);
  const hasMatrices = (section.matrix ?? []).length > 0;
  if (values.length === 0) return null;
  return (
    <>
      <p className={parts.note}>
        <Trans>
          A dot is a value, the line from it goes to its lower bound, the dashed line is the required value. The
          numbers: deciding value / required value. A filled dot: reached. The verdict is the table's.
        </Trans>
      </p>
      {hasMatrices ? (
        <div className={styles.small}>
          {section.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never change their order, and two may have one name
            <OfRow key={at} section={section} row={row} axis={axis} isShare={isShare} />
          ))}
        </div>
      ) : (
        <OfTable section={section} values={values} axis={axis} isShare={isShare} />
      )}
    </>
  );
}

interface DrawnProps {
  section: Section;
  axis: Axis;
  isShare: boolean;
}

function OfTable({ section, values, axis, isShare }: DrawnProps & { values: readonly JudgedValue[] }) {
  const language = useLanguage();
  const captionOf = useTold(isShare);
  return (
    <Chart
      name={section.title[language]}
      file={section.key}
      finding={useFinding(values)}
      size={[WIDTH, values.length * LINE]}
      look={styles.judged}
      columns={useColumns()}
      rows={values.map(rowOf)}
      labels={values.map(captionOf)}
    >
      {(at) => <JudgedLines values={values} axis={axis} isShare={isShare} top={0} at={at} />}
    </Chart>
  );
}

/** Chart of one row: the matrix of its counts, and below it the values with a required minimum. */
function OfRow({ section, row, axis, isShare }: DrawnProps & { row: readonly unknown[] }) {
  const language = useLanguage();
  const captionOf = useTold(isShare);
  const values = judgedOf(section, row, language);
  const matrix = matrixOf(section, row, language);
  const cells = matrix?.flat() ?? [];
  const name = nameText(row[0], language);
  const finding = useFinding(values);
  const top = matrix ? HEAD + 2 * CELL + 8 : 0;
  return (
    <Chart
      name={name}
      file={`${section.key}-${name}`}
      finding={`${name}: ${finding}`}
      size={[WIDTH, top + values.length * LINE]}
      look={styles.judged}
      columns={useColumns()}
      rows={[...cells.map((cell) => [cell.name, cell.count, null, null]), ...values.map(rowOf)]}
      labels={[...cells.map((cell) => `${cell.name}: ${cell.count}`), ...values.map(captionOf)]}
    >
      {(at) => (
        <>
          {matrix && <Matrix rows={matrix} at={at} />}
          <JudgedLines
            values={values}
            axis={axis}
            isShare={isShare}
            top={top}
            at={at === null ? null : at - cells.length}
          />
        </>
      )}
    </Chart>
  );
}

/** Counts by truth, down, and answer, across; the darker a cell, the greater its share of its line. */
function Matrix({ rows, at }: { rows: readonly (readonly MatrixCell[])[]; at: number | null }) {
  const { t } = useLingui();
  const heads = [t`answered +`, t`answered −`];
  const sides = [t`actually +`, t`actually −`];
  return (
    <>
      {heads.map((head, column) => (
        <text key={head} className={styles.tick} x={LEFT + (column + 0.5) * WIDE} y={12}>
          {head}
        </text>
      ))}
      {rows.map((cells, line) => {
        const y = HEAD + line * CELL;
        return (
          <g key={sides[line]}>
            <text className={styles.judgedName} x={4} y={y + CELL / 2 + 4}>
              {sides[line]}
            </text>
            {cells.map(({ name, count, share }, column) => (
              <g key={name} data-on={at === line * 2 + column ? "" : undefined} data-cell={name}>
                <rect
                  className={line === column ? styles.rightCell : styles.wrongCell}
                  fillOpacity={share === null ? 0 : share * 0.35}
                  x={LEFT + column * WIDE + 1}
                  y={y + 1}
                  width={WIDE - 2}
                  height={CELL - 2}
                />
                <text className={styles.count} x={LEFT + (column + 0.5) * WIDE} y={y + 22}>
                  {count}
                </text>
                <text className={styles.tick} x={LEFT + (column + 0.5) * WIDE} y={y + 38}>
                  {name}
                </text>
              </g>
            ))}
          </g>
        );
      })}
    </>
  );
}

function rowOf({ name, value, bound, barrier }: JudgedValue) {
  return [name, value, bound, barrier];
}

function useColumns(): string[] {
  const { t } = useLingui();
  return [t`What`, t`Value`, t`Lower bound`, t`To be reached`];
}

function useTold(isShare: boolean): (judgement: JudgedValue) => string {
  const { t } = useLingui();
  const textOf = useJudgedText(isShare);
  return (judgement) =>
    [
      `${judgement.name}: ${textOf(judgement.value, judgement.bound === null ? judgement.barrier : null)}`,
      ...(judgement.bound === null ? [] : [t`lower bound ${textOf(judgement.bound, judgement.barrier)}`]),
      ...(judgement.barrier === null ? [] : [t`to be reached: ${textOf(judgement.barrier)}`]),
      ...(reaches(judgement) === null ? [] : [reaches(judgement) ? t`reached` : t`not reached`]),
    ].join(", ");
}

/** Return the finding as a sentence: the names of the values below their required minimum. */
function useFinding(values: readonly JudgedValue[]): string {
  const { t } = useLingui();
  const barred = values.filter(({ barrier }) => barrier !== null);
  const below = barred.filter((judgement) => !reaches(judgement)).map(({ name }) => name);
  if (barred.length === 0) return t`no required values here`;
  if (barred.every((judgement) => deciding(judgement) === null)) return t`undefined`;
  const listed = below.join(", ");
  return below.length === 0 ? t`all required values are reached` : t`not reached: ${listed}`;
}

/** The width of a chart of judged values, and the height of one of them. */
const WIDTH = 300;
const LINE = 38;
const PAD = 10;
const NAME = 13;
const TRACK = 27;
const TICK = 5;
const RADIUS = 4;
/** Longest name shown beside its numbers, in characters. */
const MOST = 26;

/** Return a formatter of judged numbers: rounding never crosses the barrier; only shares keep trailing zeros. */
function useJudgedText(isShare: boolean): (value: number | null, barrier?: number | null) => string {
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
  top: number;
  at: number | null;
}

/** Lines of values: a dot, a line to its bound, a dashed barrier, both numbers. The dot is filled if it reaches it. */
function JudgedLines({ values, axis, isShare, top, at }: JudgedLinesProps) {
  const textOf = useJudgedText(isShare);
  const x = axis.copy().range([PAD, WIDTH - PAD]);
  return values.map((judgement, line) => {
    const y = top + line * LINE;
    const { value, bound, barrier } = judgement;
    const [from, to] = axis.domain() as [number, number];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their order, and two may have one name
      <g key={line} data-on={line === at ? "" : undefined} data-judged={reaches(judgement) ?? "none"}>
        <rect className={styles.judgedLine} x={0} y={y} width={WIDTH} height={LINE} />
        <text className={styles.judgedName} x={PAD - 6} y={y + NAME}>
          {short(judgement.name, MOST)}
        </text>
        <text className={styles.judgedNumbers} x={WIDTH - PAD + 6} y={y + NAME}>
          {textOf(deciding(judgement), barrier)}
          {barrier !== null && ` / ${textOf(barrier)}`}
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
          <circle className={reaches(judgement) ? styles.beyond : styles.dot} cx={x(value)} cy={y + TRACK} r={RADIUS} />
        )}
      </g>
    );
  });
}

/** Table of a report, in the platform's layout. */
export type Section = Schemas["Section"];

/** Value compared with the barrier that it has to reach. */
export interface JudgedValue {
  /** Name of the value: its row's, or its column's. */
  name: string;
  value: number | null;
  /** Lower end of the confidence interval, which decides if there is one. */
  bound: number | null;
  barrier: number | null;
}

/** Return the judged values of a row, each under its column's title. */
export function judgedOf(
  { columns, judged = [] }: Section,
  row: readonly unknown[],
  language: Language,
): JudgedValue[] {
  return judged.map(({ value, barrier, bound }) => ({
    name: columns[value]?.[language] ?? "",
    value: numberAt(row, value),
    bound: numberAt(row, bound),
    barrier: numberAt(row, barrier),
  }));
}

/** Return all judged values of a table, each under its row's name. */
export function judgedRows(section: Section, language: Language): JudgedValue[] {
  return section.rows.flatMap((row) =>
    judgedOf(section, row, language).map((judgement) => ({ ...judgement, name: nameText(row[0], language) })),
  );
}

/** Return the number that decides: the bound, or the value if there is no bound. */
export function deciding({ value, bound }: JudgedValue): number | null {
  return bound ?? value;
}

/** True if a value reaches its barrier, false if the value is undefined; null without a barrier. */
export function reaches(judgement: JudgedValue): boolean | null {
  if (judgement.barrier === null) return null;
  const decides = deciding(judgement);
  return decides !== null && decides >= judgement.barrier;
}

/** Return every number that an axis of these values must include. */
export function extent(values: readonly JudgedValue[]): number[] {
  return values.flatMap(({ value, bound, barrier }) => [value, bound, barrier]).filter((number) => number !== null);
}

/** True if all judged columns of a table are shares from 0 to 1. */
export function areShares({ judged = [], shares = [] }: Section): boolean {
  return judged.every(({ value }) => shares.includes(value));
}

interface MatrixCell {
  name: string;
  count: number;
  /** Share of all items with the same true class, from 0 to 1; null if there are none. */
  share: number | null;
}

/** Counts by truth (down) and answer (across), as D-App1а, figure 1; null for a row without counts. */
export function matrixOf(section: Section, row: readonly unknown[], language: Language): MatrixCell[][] | null {
  const places = section.matrix ?? [];
  const counts = places.map((place) => row[place]);
  if (counts.length !== 4 || kindOf(counts, false) !== "whole" || counts.some((count) => typeof count !== "number")) {
    return null;
  }
  return [places.slice(0, 2), places.slice(2)].map((pair) => {
    const all = pair.reduce((sum, place) => sum + Number(row[place]), 0);
    return pair.map((place) => {
      const count = Number(row[place]);
      return { name: section.columns[place]?.[language] ?? "", count, share: all > 0 ? count / all : null };
    });
  });
}

function numberAt(row: readonly unknown[], place: number | null | undefined): number | null {
  const value = place === null || place === undefined ? null : row[place];
  return typeof value === "number" ? value : null;
}
