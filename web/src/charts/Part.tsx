import { Trans, useLingui } from "@lingui/react/macro";
import { useLanguage, useMark, useRowName, useUnit } from "@/ui/contest";
import { cellText, inUnit, kindOf, SIGN } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { type Column, Table } from "@/ui/Table";
import { Judgements, type Section } from "./Judgements";
import { type MeasuredRow, type Ruler, rulerOf, Whisker, WhiskerAxis, WhiskerTable } from "./Whisker";

/** Track's results of groups beside the table's cells: an essay contest's accuracies with their intervals. */
type Groups = Readonly<
  Record<
    string,
    { relative_accuracy: number | null; interval_95: { relative_accuracy: readonly number[] | null } } | undefined
  >
>;

/** Part of the report in the platform's layout; rows with shares or intervals are drawn as well. */
export function Part({ section, result }: { section: Section; result: unknown }) {
  const { t } = useLingui();
  const language = useLanguage();
  const title = section.title[language];
  const drawn = useDrawn(section, result);
  const columns = useColumns(section);
  return (
    // The table inside is the region of this name; without a table, the part itself is.
    <section aria-labelledby={section.rows.length === 0 ? `part-${section.key}` : undefined}>
      <h2 id={`part-${section.key}`}>{title}</h2>
      {section.rows.length === 0 && (
        <p className={parts.note}>{t`No rows. Groups of fewer than ten texts of a hidden set are not shown.`}</p>
      )}
      {section.rows.length > 0 && drawn && <Measured section={section} title={title} drawn={drawn} />}
      {section.rows.length > 0 && !drawn && (
        <Table label={title} rows={section.rows} rowKey={(_, at) => at} columns={columns} />
      )}
      {!drawn && <Judgements section={section} />}
    </section>
  );
}

interface Drawn {
  rows: readonly MeasuredRow[];
  ruler: Ruler;
  columns: readonly string[];
}

function Measured({ section, title, drawn }: { section: Section; title: string; drawn: Drawn }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { rows, ruler, columns } = drawn;
  const cells = useColumns(section);
  const intervals = rows.some(({ interval }) => interval);
  const { mark } = ruler;
  return (
    <>
      <WhiskerTable
        name={title}
        file={section.key}
        columns={[
          section.columns[0]?.[language] ?? "",
          ...columns,
          ...(intervals ? [t`95 % interval from`, t`95 % interval to`] : []),
        ]}
        finding={useFinding(drawn)}
        ruler={ruler}
        rows={rows}
        walked
        look={parts.wide}
      >
        {(at) => (
          <Table
            folds
            rows={section.rows}
            rowKey={(_, number) => number}
            rowProps={(_, number) => ({ "data-row": number, "data-on": number === at || undefined })}
            columns={[
              ...cells,
              {
                wide: true,
                header: (
                  <>
                    <span className="sr-only">
                      {intervals ? t`Relative accuracy with its interval` : t`The same as a chart`}
                    </span>
                    <WhiskerAxis ruler={ruler} />
                  </>
                ),
                cell: (_, number) => rows[number] && <Whisker ruler={ruler} {...rows[number]} />,
              },
            ]}
          />
        )}
      </WhiskerTable>
      {mark && ruler.unit === "share" && (
        <p className={parts.note}>
          <Trans>
            The dashed line: {mark.name}, {inUnit(mark.at, "share", language)} over whole variants. The right end of the
            axis is the maximum.
          </Trans>
        </p>
      )}
    </>
  );
}

/** Return the finding: the rows with the highest and the lowest result, by the last of their values. */
function useFinding({ rows, ruler, columns }: Drawn): string {
  const { t } = useLingui();
  const language = useLanguage();
  const measure = columns.at(-1) ?? "";
  const labels = rows.flatMap(({ name, values }) => {
    const value = values.at(-1) ?? null;
    return value === null ? [] : [{ name, value }];
  });
  const [first, ...others] = labels.toSorted((a, b) => b.value - a.value);
  const sign = SIGN[ruler.unit];
  const bare = measure.replace(/, %$/, "");
  if (!first) return t`${bare} is undefined in every row.`;
  const last = others.at(-1);
  const highest = `${first.name}, ${inUnit(first.value, ruler.unit, language)}${sign}`;
  if (!last) return t`${bare} of ${highest}`;
  const lowest = `${last.name}, ${inUnit(last.value, ruler.unit, language)}${sign}`;
  return t`Highest ${bare}: ${highest}; lowest: ${lowest}`;
}

/** Return the columns in the platform's layout; the first one names the rows. */
function useColumns({ key, columns, rows, shares = [], places = [] }: Section): readonly Column<readonly unknown[]>[] {
  const language = useLanguage();
  const rowName = useRowName(key);
  return columns.map((column, at) => {
    const kind = kindOf(
      rows.map((row) => row[at]),
      shares.includes(at),
    );
    return {
      header: column[language],
      cell: (row) => (at === 0 ? rowName(row[at]) : cellText(row[at], kind, places[at] ?? 0, language)),
    };
  });
}

/** Return the chart data of a part: the track's accuracies with intervals, or the columns of shares; null for none. */
function useDrawn({ key, columns, rows, shares = [], judged = [] }: Section, result: unknown): Drawn | null {
  const { t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const mark = useMark();
  const rowName = useRowName(key);
  const groups =
    typeof result === "object" && result !== null && "relative_accuracy" in result
      ? (result as Record<string, Groups | undefined>)[key.startsWith("by_") ? key : ""]
      : undefined;
  if (groups) {
    const measured = rows.map((row) => {
      const name = String(row[0]);
      const group = groups[name];
      const interval = group?.interval_95.relative_accuracy ?? null;
      return { name: rowName(name), values: [group?.relative_accuracy ?? null], interval };
    });
    const values = measured.flatMap((row) =>
      [...row.values, ...(row.interval ?? [])].filter((number) => number !== null),
    );
    return { rows: measured, ruler: rulerOf(values, unit, mark), columns: [t`OTAR, %`] };
  }
  if (shares.length === 0 || judged.length > 0) return null;
  const names = shares.map((place) => columns[place]?.[language] ?? "");
  const measured = rows.map((row) => ({
    name: rowName(row[0]),
    values: shares.map((place) => (row[place] as number | null | undefined) ?? null),
  }));
  const several = shares.length > 1 ? names : undefined;
  return {
    rows: measured,
    ruler: rulerOf([], "share", unit === "share" ? mark : null, { names: several }),
    columns: names,
  };
}
