import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { Scale } from "@/charts/bins";
import { Histogram } from "@/charts/Histogram";
import { useLanguage, useUnit } from "@/ui/contest";
import styles from "./cabinet.module.css";
import { type Column, fileRows, valueColumns } from "./filesView";
import type { ReportBody } from "./reportData";

/** On which axis the values of a column lie. */
const SCALES: Record<Exclude<Column["kind"], "words">, Scale> = { whole: "whole", share: "share", fraction: "percent" };

/** How the files' values lie, a small chart for each column of the table of files. */
export function Distributions({ report }: { report: ReportBody }) {
  const { t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const columns = useMemo(() => valueColumns(report, unit), [report, unit]);
  const rows = useMemo(() => fileRows(report), [report]);
  const told = columns.flatMap(({ key, title, kind }) => {
    const values = rows.map((row) => row.cells[key]).filter((value) => typeof value === "number");
    return values.length === 0 || kind === "words" ? [] : [{ key, title: title[language], values, of: SCALES[kind] }];
  });
  const isOfPercents = told.every(({ of }) => of === "percent") && unit === "percent";
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="distributions-title">
      <h2 id="distributions-title">
        <Trans>How the files' values lie</Trans>
      </h2>
      <p>
        {isOfPercents ? (
          <Trans>Files by value, in per cent. ← and → walk the columns of a chart.</Trans>
        ) : (
          <Trans>Files by value. ← and → walk the columns of a chart.</Trans>
        )}
      </p>
      <div className={styles.charts}>
        {told.map(({ key, title, values, of }) => (
          <Histogram key={key} name={title} values={values} of={of} file={t`distribution`} />
        ))}
      </div>
    </section>
  );
}
