import { Trans, useLingui } from "@lingui/react/macro";
import { useLanguage } from "@/ui/contest";
import { nameText } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { Chart } from "./Chart";
import styles from "./charts.module.css";
import { JudgedLines, LINE, useJudgedText, WIDTH } from "./JudgedLines";
import {
  areShares,
  deciding,
  extent,
  type JudgedValue,
  judgedOf,
  judgedRows,
  type MatrixCell,
  matrixOf,
  reaches,
} from "./judged";
import type { Section } from "./Part";
import { type Axis, rulerOf } from "./scale";

const HEAD = 18;
const CELL = 46;
const LEFT = 68;
const WIDE = 114;

/** What a table's values have to reach, drawn: one chart of all rows, or for each row its matrix and its values. */
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
          A dot is a value, the line from it goes to its lower bound, the dashed line is what has to be reached. The
          numbers: what decides / what has to be reached. A filled dot: reached. The verdict is the table's.
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
  const told = useTold(isShare);
  return (
    <Chart
      name={section.title[language]}
      file={section.key}
      finding={useFinding(values)}
      size={[WIDTH, values.length * LINE]}
      look={styles.judged}
      columns={useColumns()}
      rows={values.map(rowOf)}
      told={values.map(told)}
    >
      {(at) => <JudgedLines values={values} axis={axis} isShare={isShare} top={0} at={at} />}
    </Chart>
  );
}

/** One row: the matrix of its counts, and below it the values that have something to reach. */
function OfRow({ section, row, axis, isShare }: DrawnProps & { row: readonly unknown[] }) {
  const language = useLanguage();
  const told = useTold(isShare);
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
      told={[...cells.map((cell) => `${cell.name}: ${cell.count}`), ...values.map(told)]}
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
  const sides = [t`in truth +`, t`in truth −`];
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

/** A value as a sentence. */
function useTold(isShare: boolean): (of: JudgedValue) => string {
  const { t } = useLingui();
  const said = useJudgedText(isShare);
  return (of) =>
    [
      `${of.name}: ${said(of.value, of.bound === null ? of.barrier : null)}`,
      ...(of.bound === null ? [] : [t`lower bound ${said(of.bound, of.barrier)}`]),
      ...(of.barrier === null ? [] : [t`to be reached: ${said(of.barrier)}`]),
      ...(reaches(of) === null ? [] : [reaches(of) ? t`reached` : t`not reached`]),
    ].join(", ");
}

/** Which values are below what they have to reach. */
function useFinding(values: readonly JudgedValue[]): string {
  const { t } = useLingui();
  const held = values.filter(({ barrier }) => barrier !== null);
  const below = held.filter((each) => !reaches(each)).map(({ name }) => name);
  if (held.length === 0) return t`nothing has to be reached here`;
  if (held.every((each) => deciding(each) === null)) return t`undefined`;
  const listed = below.join(", ");
  return below.length === 0 ? t`all that has to be reached is reached` : t`not reached: ${listed}`;
}
