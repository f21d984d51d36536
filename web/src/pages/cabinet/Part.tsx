import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { axisOf } from "@/charts/scale";
import { BARRIER, Whisker, WhiskerAxis } from "@/charts/Whisker";
import { type MeasuredRow, WhiskerTable } from "@/charts/WhiskerTable";
import { useLanguage } from "@/ui/cycle";
import { percent } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import type { ReportBody, Section } from "./reportData";

/** A part of the report as the platform lays it out; where its rows have intervals, with a whisker in each. */
export function Part({ section, report }: { section: Section; report: ReportBody }) {
  const title = section.title[useLanguage()];
  const measured = measuredOf(section, report);
  return (
    <section aria-labelledby={`part-${section.key}`}>
      <h2 id={`part-${section.key}`}>{title}</h2>
      {measured ? (
        <Measured section={section} title={title} rows={measured} />
      ) : (
        <Wide label={title}>
          <Head section={section} />
          <tbody>
            {section.rows.map((row) => (
              <tr key={String(row[0])}>
                <Cells section={section} row={row} />
              </tr>
            ))}
          </tbody>
        </Wide>
      )}
    </section>
  );
}

function Measured({ section, title, rows }: { section: Section; title: string; rows: readonly MeasuredRow[] }) {
  const { t } = useLingui();
  const language = useLanguage();
  const axis = axisOf(
    rows.flatMap(({ value, interval }) => [...(value === null ? [] : [value]), ...(interval ?? [])]),
    BARRIER,
  );
  return (
    <WhiskerTable
      name={title}
      file={section.key}
      columns={[section.columns[0]?.[language] ?? "", t`OTAR, %`, t`95 % interval from`, t`95 % interval to`]}
      finding={useFinding(rows)}
      rows={rows}
      walked
      look={parts.wide}
    >
      {(at) => (
        <table>
          <Head section={section}>
            <th scope="col">
              <span className="sr-only">
                <Trans>Relative accuracy with its interval</Trans>
              </span>
              <WhiskerAxis axis={axis} />
            </th>
          </Head>
          <tbody>
            {section.rows.map((row, number) => (
              <tr key={String(row[0])} data-row={number} data-on={number === at || undefined}>
                <Cells section={section} row={row} />
                <td>{rows[number] && <Whisker axis={axis} {...rows[number]} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </WhiskerTable>
  );
}

/** Between which results the rows lie. */
function useFinding(rows: readonly MeasuredRow[]): string {
  const { t } = useLingui();
  const language = useLanguage();
  const told = rows.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
  const [first, ...others] = told.toSorted((a, b) => b.value - a.value);
  if (!first) return t`OTAR is undefined in every row.`;
  const last = others.at(-1);
  const highest = `${first.name}, ${percent(first.value, language)} %`;
  if (!last) return t`OTAR of ${highest}`;
  const lowest = `${last.name}, ${percent(last.value, language)} %`;
  return t`Highest OTAR: ${highest}; lowest: ${lowest}`;
}

function Head({ section, children }: { section: Section; children?: ReactNode }) {
  const language = useLanguage();
  return (
    <thead>
      <tr>
        {section.columns.map((column) => (
          <th key={column.en} scope="col">
            {column[language]}
          </th>
        ))}
        {children}
      </tr>
    </thead>
  );
}

function Cells({ section, row }: { section: Section; row: readonly unknown[] }) {
  const language = useLanguage();
  return row.map((cell, at) => {
    const key = section.columns[at]?.en;
    if (at === 0) {
      return (
        <th key={key} scope="row">
          {String(cell)}
        </th>
      );
    }
    const whole = section.rows.every((other) => isWhole(other[at]));
    return <td key={key}>{shown(cell, whole, language)}</td>;
  });
}

/** The rows' results with their intervals; null for a part that has none. */
function measuredOf({ key, rows }: Section, { result }: ReportBody): MeasuredRow[] | null {
  const of = result && { by_subject: result.by_subject, by_language: result.by_language, by_metric: result.by_metric };
  const found = of?.[key as keyof typeof of];
  if (!found) return null;
  return rows.map((row) => {
    const name = String(row[0]);
    const told = found[name];
    return { name, value: told?.relative_accuracy ?? null, interval: told?.interval_95.relative_accuracy ?? null };
  });
}

function isWhole(cell: unknown): boolean {
  return cell === null || Number.isInteger(cell);
}

function shown(cell: unknown, whole: boolean, language: "en" | "ru"): string {
  if (cell === null || cell === undefined) return "—";
  return typeof cell === "number" && !whole ? percent(cell, language) : String(cell);
}
