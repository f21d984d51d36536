import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EVERY, get, readFile, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import type { Section } from "@/charts/Judgements";
import { Part } from "@/charts/Part";
import { Verdict } from "@/charts/Verdict";
import { inLanguage, MessageList, Note, useBoards, useLanguage, useUnit } from "@/ui/contest";
import { Button, save } from "@/ui/controls";
import { Downloads } from "@/ui/forms";
import { inUnit, plain } from "@/ui/numbers";
import { Answered, Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { day } from "@/ui/time";
import styles from "./submissions.module.css";
import {
  bytesText,
  CAUSES,
  isOver,
  isReport,
  KINDS,
  type Line,
  type Reason,
  type Report,
  STATES,
  type Submission,
  useReport,
  wayOf,
} from "./words";

/** Show a submission's progress, its faults and its warnings. */
export function Course({ submission }: { submission: Submission }) {
  return (
    <>
      <Way submission={submission} />
      <Ended submission={submission} />
      <Reasons reasons={submission.reasons} title={<Trans>Faults</Trans>} id="faults-title" />
      <Reasons reasons={submission.warnings} title={<Trans>Warnings</Trans>} id="warnings-title" />
      <Facts submission={submission} />
    </>
  );
}

function Way({ submission }: { submission: Submission }) {
  const { i18n, t } = useLingui();
  return (
    <>
      <ol className={styles.way} aria-label={t`States of the submission`}>
        {wayOf(submission).map((state) => (
          <li key={state} aria-current={state === submission.state ? "step" : undefined}>
            {i18n._(STATES[state])}
          </li>
        ))}
      </ol>
      <p role="status">
        <StateOf of={submission} />
      </p>
    </>
  );
}

function Ended({ submission }: { submission: Submission }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const value = inUnit(submission.value, unit, language);
  return (
    <>
      {submission.failed_at && (
        <p className={parts.void}>
          <Trans>
            The platform's worker failed <Moment at={submission.failed_at} />. The organizers are notified and will
            restart it; nothing is lost.
          </Trans>
        </p>
      )}
      {submission.state === "queued" && !submission.failed_at && (
        <p>{t`The archive was checked and is in order. It runs as soon as a machine is free.`}</p>
      )}
      {submission.cause && <p>{i18n._(CAUSES[submission.cause].advice)}</p>}
      {submission.state === "refused" && submission.completed_at && (
        <p>{t`It was not scored. It counts among the day's submissions without a score.`}</p>
      )}
      {submission.state === "scored" && (
        <p>
          <Trans>
            Result: <strong>{value}</strong>
          </Trans>
        </p>
      )}
    </>
  );
}

/** List the faults in the platform's words, each with its place in the file. */
function Reasons({ reasons, title, id }: { reasons: readonly Reason[]; title: React.ReactNode; id: string }) {
  if (reasons.length === 0) return null;
  return (
    <PageSection
      id={id}
      title={
        <>
          {title}: {reasons.length}
        </>
      }
    >
      <MessageList of={reasons} place={({ where }) => <Where where={where} />} />
    </PageSection>
  );
}

/** A fault's place: the archive's member, the line, the part. */
function Where({ where }: { where: Reason["where"] }) {
  const numbers = Object.entries(where)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => (name === "member" || name === "file" ? String(value) : `${name} ${String(value)}`));
  return numbers.length === 0 ? null : (
    <>
      <code>{numbers.join(", ")}</code>:{" "}
    </>
  );
}

function Facts({ submission }: { submission: Submission }) {
  const { i18n } = useLingui();
  const language = useLanguage();
  return (
    <dl className={parts.facts}>
      <Fact name={<Trans>What</Trans>}>
        {i18n._(KINDS[submission.kind])}
        {submission.groups.length > 0 && ` · ${submission.groups.join(", ")}`}
      </Fact>
      <Fact name={<Trans>Set</Trans>}>{submission.set}</Fact>
      <Fact name={<Trans>Size</Trans>}>{bytesText(submission.bytes, language)}</Fact>
      <Fact name="SHA-256" code={submission.sha256} />
      <Fact name={<Trans>Announced</Trans>} at={submission.created_at} />
      {submission.completed_at && <Fact name={<Trans>Handed in</Trans>} at={submission.completed_at} />}
      {submission.day && <Fact name={<Trans>Counts for</Trans>}>{day(submission.day, language)}</Fact>}
      {submission.ended_at && <Fact name={<Trans>Ended</Trans>} at={submission.ended_at} />}
      {submission.attempt > 1 && <Fact name={<Trans>Runs begun</Trans>}>{submission.attempt}</Fact>}
    </dl>
  );
}

interface SubmissionTableProps {
  lines: readonly Line[];
  link: (submissionId: string) => ReactNode;
  team?: (teamId: string) => ReactNode;
}

/** Submissions, one a row. */
export function SubmissionTable({ lines, link, team }: SubmissionTableProps) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const main = useBoards().data?.boards[0];
  return (
    <Table
      label={t`Table of submissions`}
      rows={lines}
      rowKey={({ submission_id }) => submission_id}
      foot={<Plural value={lines.length} one="# submission" other="# submissions" />}
      columns={[
        { header: t`Submission`, cell: ({ submission_id }) => link(submission_id) },
        team && { header: t`Team`, cell: ({ team_id }) => team(team_id) },
        {
          header: t`State`,
          cell: (line) => (
            <>
              <StateOf of={line} />
              {line.named && ` · ${t`nominated for the private test`}`}
            </>
          ),
        },
        {
          header: main ? inLanguage(main.title, language) : t`Result`,
          cell: (line) => inUnit(line.value, unit, language),
          className: parts.number,
        },
        {
          header: t`What`,
          cell: ({ kind, groups }) => i18n._(KINDS[kind]) + (groups.length > 0 ? ` · ${groups.join(", ")}` : ""),
        },
        { header: t`Set`, cell: ({ set }) => set },
        { header: t`Handed in`, cell: ({ completed_at }) => (completed_at ? <Moment at={completed_at} /> : "—") },
        { header: t`Counts for`, cell: (line) => (line.day ? day(line.day, language) : "—") },
      ]}
    />
  );
}

/** Show a state in words, of a failed submission also the cause. */
export function StateOf({ of }: { of: Pick<Line, "state" | "cause"> }) {
  const { i18n } = useLingui();
  const word = i18n._(STATES[of.state]);
  const mark = of.state === "scored" ? parts.good : ["refused", "failed"].includes(of.state) ? parts.void : undefined;
  return (
    <span className={mark}>
      {of.state === "scored" ? "✓ " : mark ? "✕ " : ""}
      {word}
      {of.cause && `: ${i18n._(CAUSES[of.cause].word)}`}
    </span>
  );
}

/** Show the ends of a program's output (F-4). */
export function LogOf({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  const path = { submission_id: submission.submission_id };
  const logs = useQuery({
    ...get("/v1/submissions/{submission_id}/logs", path),
    enabled: submission.kind === "program",
    refetchInterval: ({ state }) => (state.data || isOver(submission.state) ? false : EVERY.live),
  });
  if (
    submission.kind !== "program" ||
    (logs.error instanceof ApiError && logs.error.code === "logs_absent" && !logs.data)
  ) {
    return (
      <p>
        {submission.kind !== "program"
          ? t`A file of answers is not run, so it has no log.`
          : isOver(submission.state)
            ? t`No log: the program did not run, or it was a private run, whose log is not stored.`
            : t`No log yet: it is stored when the program has ended.`}
      </p>
    );
  }
  return (
    <Answered of={logs}>
      {(data) => (
        <>
          <p>{t`The platform keeps the last MiB of each stream.`}</p>
          <Stream
            name={t`stderr`}
            text={data.stderr}
            bytes={data.stderr_bytes}
            file={`${submission.submission_id}-stderr.txt`}
          />
          <Stream
            name={t`stdout`}
            text={data.stdout}
            bytes={data.stdout_bytes}
            file={`${submission.submission_id}-stdout.txt`}
          />
        </>
      )}
    </Answered>
  );
}

function Stream({ name, text, bytes, file }: { name: string; text: string; bytes: number; file: string }) {
  const { t } = useLingui();
  const language = useLanguage();
  return (
    <>
      <h2 id={`stream-${name}`}>
        {name}, {bytesText(bytes, language)}
      </h2>
      {text === "" ? (
        <p className={parts.note}>{t`The program wrote nothing here.`}</p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className={styles.log} tabIndex={0} aria-labelledby={`stream-${name}`}>
            <pre>{text}</pre>
          </section>
          <p>
            <Button onPress={() => save(new Blob([text], { type: "text/plain" }), file)}>{t`Download ${name}`}</Button>
          </p>
        </>
      )}
    </>
  );
}

/** Show a submission's report, or the reason why there is none (yet). */
export function ReportOf({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  if (submission.state === "scored" || !isOver(submission.state)) return <Awaited submission={submission} />;
  return <p>{t`No report: only a scored submission has one.`}</p>;
}

function Awaited({ submission }: { submission: Submission }) {
  const { i18n } = useLingui();
  const report = useReport(submission.submission_id, submission.state === "scored");
  const boards = useBoards();
  if (submission.state === "scored") {
    return (
      <Answered of={report}>
        {(data) => isReport(data) && <Answered of={boards}>{() => <Whole report={data} />}</Answered>}
      </Answered>
    );
  }
  return (
    <p role="status">
      <Trans>No report yet. It appears here by itself. The submission is now:</Trans>{" "}
      <strong>{i18n._(STATES[submission.state])}</strong>
    </p>
  );
}

function Whole({ report }: { report: Report }) {
  const id = String(report.submission.submission_id);
  const ask = () => readFile("/v1/submissions/{submission_id}/report", { submission_id: id });
  return (
    <>
      <Verdict barrier={report.barrier as unknown as Schemas["BarrierBody"]} result={report.result} />
      <Note of={report.off_board} />
      <About report={report} />
      <Note of={report.withheld} />
      <Note of={report.left_out} />
      {report.sections.map((section) => (
        <Part key={String(section.key)} section={section as unknown as Section} result={report.result} />
      ))}
      <Missing of={report.missing} />
      {report.invalid.map(({ item, reasons }) => (
        <Reasons key={item} reasons={reasons} id={`invalid-${item}`} title={<Trans>Invalid answer to {item}</Trans>} />
      ))}
      {report.warnings.map(({ item, reasons }) => (
        <Reasons
          key={item}
          reasons={reasons}
          id={`warned-${item}`}
          title={<Trans>Remarks on the answer to {item}</Trans>}
        />
      ))}
      <Downloads title={<Trans>Save the report</Trans>} name={`report-${id}`} of={[["JSON", ask]]} />
    </>
  );
}

function About({ report }: { report: Report }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { counts, run, scorer, parameters } = report;
  const { answered, items } = counts;
  const version = Number(parameters.version);
  return (
    <dl className={parts.facts}>
      <Fact name={<Trans>Answered</Trans>}>{t`${answered} of ${items}; missing answers count as wrong`}</Fact>
      <Fact name={<Trans>Scored by</Trans>}>
        {String(scorer.track)} {String(scorer.version)} · <Trans>parameters, version {version}</Trans>
      </Fact>
      {run && (
        <>
          <Fact name={<Trans>Run on</Trans>}>{run.machine || "—"}</Fact>
          <Fact name={<Trans>Time of the program, s</Trans>}>{plain(run.seconds, language)}</Fact>
          {run.exit_code !== null && <Fact name={<Trans>Exit code</Trans>}>{run.exit_code}</Fact>}
          {run.image_digest && <Fact name={<Trans>Image</Trans>} code={run.image_digest} />}
          {run.not_enforced.length > 0 && (
            <Fact name={<Trans>Limits that this machine did not enforce</Trans>}>
              {run.not_enforced.map((reason) => (
                <div key={reason.en}>{reason[language]}</div>
              ))}
            </Fact>
          )}
        </>
      )}
    </dl>
  );
}

function Missing({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <details>
      <summary>
        <Plural value={of.length} one="# item without an answer" other="# items without an answer" />
      </summary>
      <p>{of.join(", ")}</p>
    </details>
  );
}
