import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { Histogram, type Scale } from "@/charts/Histogram";
import { Part } from "@/charts/Part";
import { Verdict } from "@/charts/Verdict";
import { By, Note, useLanguage, useUnit } from "@/ui/contest";
import { accuracy, HUNDRED, percent } from "@/ui/numbers";
import { Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./cabinet.module.css";
import { type Column, fileRows, type ReportBody, valueColumns } from "./filesView";
import { Conclusion, Exports, ReportAnswer, SessionPage } from "./Session";
import { amendmentWord, causeWord, modeWord, stateWord } from "./words";

/** Report page: the session, its results part by part, void files, times, and the conclusion. */
export function Report() {
  const { t } = useLingui();
  return <SessionPage title={(sessionId) => t`Report of session ${sessionId}`} of={SessionReport} />;
}

/** A session's report with its download formats, or the progress of its scoring. */
export function SessionReport({ sessionId }: { sessionId: string }) {
  return (
    <ReportAnswer sessionId={sessionId}>
      {(report) => (
        <>
          <Parts report={report} />
          <Exports sessionId={sessionId} />
        </>
      )}
    </ReportAnswer>
  );
}

function Parts({ report }: { report: ReportBody }) {
  const { t } = useLingui();
  return (
    <>
      <Verdict barrier={report.barrier} result={report.result} />
      <Note of={report.withheld} />
      <Note of={report.left_out} />
      <Note of={report.off_board} />
      {report.result === null && !report.withheld && (
        <p>{t`The results of a final are shown when they are published.`}</p>
      )}
      <About report={report} />
      {report.sections
        .filter((section) => section.key !== "files")
        .map((section) => (
          <Part key={section.key} section={section} result={report.result} />
        ))}
      <Audit report={report} />
      <Distributions report={report} />
      <Voids report={report} />
      <Times report={report} />
      <Decisions report={report} />
      {report.readiness && (
        <PageSection id="conclusion-title" title={t`Conclusion on readiness`}>
          <Conclusion report={report} />
        </PageSection>
      )}
    </>
  );
}

function About({ report }: { report: ReportBody }) {
  const { i18n } = useLingui();
  const { session, counts, parameters, scorer } = report;
  return (
    <dl className={parts.facts}>
      <Fact name={<Trans>Mode</Trans>}>{i18n._(modeWord(session.mode))}</Fact>
      <Fact name={<Trans>Set</Trans>}>{session.set}</Fact>
      <Fact name={<Trans>State</Trans>}>{i18n._(stateWord(session.state))}</Fact>
      <Fact name={<Trans>Opened</Trans>} at={session.opened_at} />
      {session.closed_at && <Fact name={<Trans>Closed</Trans>} at={session.closed_at} />}
      <Fact name={<Trans>Answered</Trans>}>
        {counts.answered}/{session.files}
      </Fact>
      {session.client && (
        <Fact name={<Trans>Program's client</Trans>}>
          {session.client.name} {session.client.version}
        </Fact>
      )}
      <Fact name={<Trans>Scored by</Trans>}>
        {scorer.version} · <Trans>parameters, version {parameters.version}</Trans>
      </Fact>
    </dl>
  );
}

/** Accuracy if missed files counted as zero (R 7.6 does not count annulled ones). */
function Audit({ report }: { report: ReportBody }) {
  const { t } = useLingui();
  const language = useLanguage();
  const audited = report.result && "missed_as_zero" in report.result ? report.result.missed_as_zero : null;
  if (!audited) return null;
  const zero = accuracy(audited.relative_accuracy, language);
  return <p>{t`Abstention audit: with missed files counted as zero, OTAR would be ${zero} %.`}</p>;
}

function Voids({ report }: { report: ReportBody }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const { voided, solution } = report;
  const share = (share: number) => percent(share * HUNDRED, language);
  return (
    <PageSection id="voided-title" title={t`Void files`}>
      <p>{t`${voided.files} of ${report.session.files}, ${share(voided.share)} %`}</p>
      <Table
        rows={Object.entries(voided.by_cause)}
        rowKey={([cause]) => cause}
        columns={[
          { header: t`Cause`, cell: ([cause]) => i18n._(causeWord(cause)) },
          { header: t`Files`, cell: ([, of]) => of.files },
          { header: "%", cell: ([, of]) => share(of.share) },
        ]}
      />
      {solution && solution.voided_share !== null && (
        <p>
          <Trans>
            Missed by the team, of the files that count:{" "}
            {percent(solution.voided_share * HUNDRED, language, solution.allowed_share * HUNDRED)} %; allowed:{" "}
            {share(solution.allowed_share)} %.
          </Trans>{" "}
          {solution.voided && <span className={parts.void}>{t`More than allowed: the solution is void.`}</span>}
        </p>
      )}
      {solution && <By clause="R 7.7" />}
    </PageSection>
  );
}

function Times({ report }: { report: ReportBody }) {
  const { t } = useLingui();
  const { processing_ms: processing, delay_ms: delay } = report.timing;
  return (
    <PageSection id="times-title" title={<Trans>Times, ms</Trans>}>
      <Table
        label={t`Table of times`}
        rows={[
          { key: "processing", name: <Trans>From the hand-out to the answer</Trans>, ...processing },
          ...(delay ? [{ key: "delay", name: <Trans>From the opening to the hand-out</Trans>, ...delay }] : []),
        ]}
        rowKey={({ key }) => key}
        columns={[
          { cell: ({ name }) => name },
          { header: <Trans>Median</Trans>, cell: ({ p50 }) => p50 ?? "—" },
          { header: "p95", cell: ({ p95 }) => p95 ?? "—" },
          { header: <Trans>Longest</Trans>, cell: ({ max }) => max ?? "—" },
        ]}
      />
    </PageSection>
  );
}

/** Organizers' decisions about the run, made during or after it. */
function Decisions({ report }: { report: ReportBody }) {
  const { i18n } = useLingui();
  const { amendments, rescored } = report;
  if (!amendments?.length && !rescored) return null;
  return (
    <PageSection id="decisions-title" title={<Trans>Organizers' decisions</Trans>}>
      <ol>
        {amendments?.map((amendment) => (
          <li key={amendment.number} value={amendment.number}>
            <strong>{i18n._(amendmentWord(amendment.kind))}</strong>, <Moment at={amendment.effective_at} />
            {amendment.reason && `: ${amendment.reason}`}
          </li>
        ))}
      </ol>
      {rescored && (
        <p>
          <Trans>
            Scored anew with parameters version {rescored.parameters_version}; the run began with version{" "}
            {rescored.started_with}.
          </Trans>
        </p>
      )}
    </PageSection>
  );
}

/** Axis scale by the kind of a column's values. */
const SCALES: Record<Exclude<Column["kind"], "words">, Scale> = { whole: "whole", share: "share", fraction: "percent" };

/** Distributions of the files' values: a small chart for each column of the table of files. */
function Distributions({ report }: { report: ReportBody }) {
  const { t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const columns = useMemo(() => valueColumns(report, unit), [report, unit]);
  const rows = useMemo(() => fileRows(report), [report]);
  const totals = columns.flatMap(({ key, title, kind }) => {
    const values = rows.map((row) => row.cells[key]).filter((value) => typeof value === "number");
    return values.length === 0 || kind === "words" ? [] : [{ key, title: title[language], values, of: SCALES[kind] }];
  });
  const isOfPercents = totals.every(({ of }) => of === "percent") && unit === "percent";
  if (totals.length === 0) return null;
  return (
    <PageSection id="distributions-title" title={<Trans>Distribution of the files' values</Trans>}>
      <p>
        {isOfPercents
          ? t`Files by value, in per cent. ← and → walk the columns of a chart.`
          : t`Files by value. ← and → walk the columns of a chart.`}
      </p>
      <div className={styles.charts}>
        {totals.map(({ key, title, values, of }) => (
          <Histogram key={key} name={title} values={values} scale={of} file={t`distribution`} />
        ))}
      </div>
    </PageSection>
  );
}
