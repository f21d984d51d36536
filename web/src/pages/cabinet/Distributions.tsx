import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { Histogram } from "@/charts/Histogram";
import { useLanguage } from "@/ui/cycle";
import styles from "./cabinet.module.css";
import { fileRows, valueColumns } from "./filesView";
import type { ReportBody } from "./reportData";

/** How the files' values lie, a small chart for each column of the table of files. */
export function Distributions({ report }: { report: ReportBody }) {
  const { t } = useLingui();
  const language = useLanguage();
  const columns = useMemo(() => valueColumns(report), [report]);
  const rows = useMemo(() => fileRows(report), [report]);
  const told = columns.flatMap(({ key, title }) => {
    const values = rows.map((row) => row.cells[key]).filter((value) => typeof value === "number");
    return values.length === 0 ? [] : [{ key, title: title[language], values }];
  });
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="distributions-title">
      <h2 id="distributions-title">
        <Trans>How the files' values lie</Trans>
      </h2>
      <p>
        <Trans>Files by value, in per cent. ← and → walk the columns of a chart.</Trans>
      </p>
      <div className={styles.charts}>
        {told.map(({ key, title, values }) => (
          <Histogram key={key} name={title} values={values} file={t`distribution`} />
        ))}
      </div>
    </section>
  );
}
