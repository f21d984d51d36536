import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ComponentType, ReactNode } from "react";
import { EVERY, get, readFile } from "@/api/client";
import { Timeline } from "@/charts/Timeline";
import { By, useBoards, useLanguage, useMessage } from "@/ui/contest";
import { PageLink, Tabs } from "@/ui/controls";
import { Downloads } from "@/ui/forms";
import { HUNDRED, percent } from "@/ui/numbers";
import { Answered, Countdown, Moment, PageSection, TimeOfDay } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { Cabinet } from "./Cabinet";
import styles from "./cabinet.module.css";
import { isReport, type ReportBody, type Scoring, useReport } from "./filesView";
import { causeWord, type Delivery, modeWord, type Status, stateWord } from "./words";

/** Page of one session: progress, the file under way, and every void with its cause and evidence. */
export function Session() {
  const { t } = useLingui();
  return <SessionPage title={(sessionId) => t`Session ${sessionId}`} of={SessionCourse} />;
}

/** Course of an open or ended session, file by file. */
export function SessionCourse({ sessionId }: { sessionId: string }) {
  const status = useStatus(sessionId);
  return (
    <Answered of={status}>
      {(data) => (
        <>
          <HowItEnded status={data} />
          <Course status={data} />
          <Missed status={data} />
          <Voids deliveries={data.deliveries.filter((delivery) => delivery.state === "voided")} />
          <PageSection id="times-title" title={<Trans>Times of the files</Trans>}>
            {/* The table of all files below has the same data as figures. */}
            <Timeline files={data.deliveries} file={`times-${sessionId}`} />
          </PageSection>
          <AllFiles deliveries={data.deliveries} />
        </>
      )}
    </Answered>
  );
}

function HowItEnded({ status }: { status: Status }) {
  const { t } = useLingui();
  const { annulled, state } = status;
  return (
    <>
      {annulled && <p className={parts.void}>{t`The session is annulled: ${annulled.reason}`}</p>}
      {state === "timed_out" && (
        <p className={parts.void}>{t`The session was closed because the program had been silent for too long.`}</p>
      )}
      {state === "aborted" && (
        <p className={parts.void}>{t`The team's program ended the session before its last file.`}</p>
      )}
      {state === "stopped" && <p className={parts.void}>{t`The organizers stopped the run.`}</p>}
      {status.run_state === "paused" && status.paused_until && (
        <p>
          <Trans>
            The run is paused until <Moment at={status.paused_until} /> at the latest
          </Trans>
        </p>
      )}
      {status.state === "open" && status.run_state === "planned" && status.starts_at && (
        <p>
          <Trans>
            The first file opens in <Countdown to={status.starts_at} />
          </Trans>
        </p>
      )}
    </>
  );
}

/** In a run: the share of files that the team missed, and whether it voids the solution. */
function Missed({ status }: { status: Status }) {
  const { t } = useLingui();
  const language = useLanguage();
  if (status.voided_share === null) return null;
  const share = percent(status.voided_share * HUNDRED, language);
  return (
    <p>
      <Trans>Missed by the team, of the files that count: {share} %.</Trans>{" "}
      {status.solution_voided && <span className={parts.void}>{t`More than allowed: the solution is void.`}</span>}
    </p>
  );
}

function Voids({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { t } = useLingui();
  return (
    <PageSection id="voids-title" title={t`Void files`}>
      {deliveries.length === 0 && <p>{t`None. Missed files appear here with cause and evidence.`}</p>}
      <ul>
        {deliveries.map((delivery) => (
          <li key={delivery.number}>
            <Trans>File {delivery.number}</Trans>
            <Cause of={delivery} />
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function AllFiles({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { i18n, t } = useLingui();
  // In the cycle's time zone, as in the platform's log and in appeals.
  const time = (at: string | null) => (at === null ? "—" : <TimeOfDay at={at} />);
  return (
    <PageSection id="files-title" title={<Trans>All files</Trans>}>
      <Table
        label={t`Table of files`}
        rows={deliveries}
        rowKey={(row) => row.number}
        columns={[
          { header: "№", cell: (row) => row.number },
          { header: t`File`, cell: (row) => row.file_id ?? "—" },
          { header: t`State`, cell: (row) => i18n._(stateWord(row.state)) },
          { header: t`Opening`, cell: (row) => time(row.opens_at) },
          { header: t`Handed out`, cell: (row) => time(row.handed_out_at) },
          { header: t`Answer`, cell: (row) => time(row.answered_at) },
          { header: t`Limit`, cell: (row) => time(row.answer_by ?? row.request_by) },
          { header: t`Sends`, cell: (row) => row.sends },
        ]}
      />
    </PageSection>
  );
}

export interface SessionPageProps {
  title: (sessionId: string) => string;
  of: ComponentType<{ sessionId: string }>;
}

/** One page of the session that the address names, with tabs to its other pages. */
export function SessionPage({ title, of: Shown }: SessionPageProps) {
  const { sessionId = "" } = useParams({ strict: false });
  return (
    <Cabinet title={title(sessionId)}>
      {() => (
        <>
          <SessionTabs sessionId={sessionId} />
          <Shown sessionId={sessionId} />
        </>
      )}
    </Cabinet>
  );
}

interface ReportAnswerProps {
  sessionId: string;
  children: (report: ReportBody) => ReactNode;
}

/** A session's report, or the progress of its scoring. */
export function ReportAnswer({ sessionId, children }: ReportAnswerProps) {
  const report = useReport(sessionId);
  // The report needs the boards, too: they define the unit of the contest's results.
  const boards = useBoards();
  return (
    <Answered of={report}>
      {(data) =>
        isReport(data) ? <Answered of={boards}>{() => children(data)}</Answered> : <InTheMaking scoring={data} />
      }
    </Answered>
  );
}

function SessionTabs({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  return (
    <Tabs
      label={t`Session`}
      params={{ sessionId }}
      of={[
        ["/cabinet/sessions/$sessionId", t`Course`],
        ["/cabinet/sessions/$sessionId/report", t`Report`],
        ["/cabinet/sessions/$sessionId/files", t`Files`],
        ["/cabinet/sessions/$sessionId/receipts", t`Receipts`],
      ]}
    />
  );
}

/** Poll an open session every three seconds, an ended one at the idle interval. */
function useStatus(sessionId: string) {
  return useQuery({
    ...get("/v1/sessions/{session_id}", { session_id: sessionId }),
    refetchInterval: ({ state }) => (state.data && state.data.state !== "open" ? EVERY.idle : EVERY.live),
  });
}

export function LiveSession({ sessionId }: { sessionId: string }) {
  const status = useStatus(sessionId);
  return (
    <PageSection
      id="live-title"
      title={
        <Trans>
          Session{" "}
          <PageLink to="/cabinet/sessions/$sessionId" id={sessionId}>
            {sessionId}
          </PageLink>{" "}
          is going on
        </Trans>
      }
      className={parts.box}
    >
      <Answered of={status}>{(data) => <Course status={data} />}</Answered>
    </PageSection>
  );
}

/** Progress of a session: counts, one mark per file, the file under way with its deadline, the newest void. */
function Course({ status }: { status: Status }) {
  const { i18n } = useLingui();
  const { counts } = status;
  const mode = i18n._(modeWord(status.mode));
  const state = i18n._(stateWord(status.state));
  return (
    <>
      <p>
        <strong>{state}</strong> · {mode} · <code>{status.set}</code> ·{" "}
        <Trans>
          opened <Moment at={status.opened_at} />
        </Trans>
      </p>
      <Strip status={status} />
      <p role="status">
        <Plural value={status.files} one="# file" other="# files" />:{" "}
        <Trans>
          answered {counts.answered}, void {counts.voided}, under way {counts.open}, waiting {counts.waiting}
        </Trans>
      </p>
      {status.state === "open" && <Current status={status} />}
      <NewestVoid status={status} />
    </>
  );
}

function Strip({ status }: { status: Status }) {
  const { counts, files } = status;
  const { t } = useLingui();
  if (status.deliveries.length > 200) {
    return <progress value={counts.answered + counts.voided} max={files} aria-label={t`Files that are decided`} />;
  }
  return (
    <ol className={styles.strip} aria-hidden="true">
      {status.deliveries.map((delivery) => (
        <li key={delivery.number} className={styles[delivery.state]} />
      ))}
    </ol>
  );
}

function Current({ status }: { status: Status }) {
  const { t } = useLingui();
  const open = status.deliveries.find((delivery) => delivery.state === "open");
  if (!open) return <p className={styles.now}>{t`No file is under way now.`}</p>;
  const by = open.answer_by ?? open.request_by;
  const remaining: ReactNode = by && <Countdown to={by} />;
  const { number } = open;
  return (
    <p className={styles.now}>
      {open.answer_by ? (
        <Trans>
          File {number}: {remaining} left to answer
        </Trans>
      ) : (
        <Trans>
          File {number}: {remaining} left to ask for it
        </Trans>
      )}
    </p>
  );
}

function NewestVoid({ status }: { status: Status }) {
  const { i18n } = useLingui();
  const last = status.deliveries.findLast((delivery) => delivery.state === "voided");
  if (!last?.cause) return null;
  const cause = i18n._(causeWord(last.cause));
  const { number } = last;
  return (
    <p>
      <Trans>
        Last void: file {number}, <strong>{cause}</strong>
      </Trans>{" "}
      (<Evidence of={last.evidence} />)
    </p>
  );
}

type Facts = Readonly<Record<string, unknown>>;

/** Cause why a file does not count, with the evidence; shown after the file's state. */
export function Cause({ of: { cause, evidence } }: { of: Pick<Delivery, "cause" | "evidence"> }) {
  const { i18n } = useLingui();
  return (
    <>
      {cause && (
        <>
          : <strong className={parts.void}>{i18n._(causeWord(cause))}</strong>
        </>
      )}
      {Object.keys(evidence).length > 0 && (
        <>
          {" "}
          (<Evidence of={evidence} />)
        </>
      )}
    </>
  );
}

/** Recorded evidence of a void's cause, in words; a fact without a wording is shown as raw data. */
export function Evidence({ of }: { of: Facts }) {
  return Object.entries(of).map(([name, value], at) => (
    <span key={name}>
      {at > 0 && "; "}
      <Fact name={name} value={value} />
    </span>
  ));
}

function Fact({ name, value }: { name: string; value: unknown }) {
  const { i18n, t } = useLingui();
  const at = typeof value === "string" ? <Moment at={value} /> : null;
  const seconds = typeof value === "number" ? value / 1000 : 0;
  const told = String(value);
  const automatic = (value ?? {}) as { cause?: string | null; evidence?: Facts };
  const cause = automatic.cause ? i18n._(causeWord(automatic.cause)) : "—";
  const words: Record<string, ReactNode> = {
    requested: t`the program never asked for the file`,
    answered: t`no answer came in time`,
    late_by_ms: t`the answer came ${seconds} s after the deadline`,
    requested_late_by_ms: t`the file was asked for ${seconds} s too late`,
    refusals: t`refused answers: ${told}`,
    last: (
      <Trans>
        the last one because of <code>{told}</code>
      </Trans>
    ),
    arrived_at: <Trans>a valid answer arrived at {at} and got no decision</Trans>,
    asked_at: <Trans>the file was asked for at {at} and not handed out</Trans>,
    aborted_at: <Trans>the team ended the session at {at}</Trans>,
    joined_at: <Trans>the program joined at {at}</Trans>,
    disconnected_at: <Trans>the connection was lost at {at}</Trans>,
    pushed: t`the program was there and nothing was pushed to it`,
    amendment: t`decision ${told} of the run`,
    automatic: (
      <Trans>
        found automatically: {cause} (<Evidence of={automatic.evidence ?? {}} />)
      </Trans>
    ),
  };
  return words[name] ?? <code>{`${name}: ${JSON.stringify(value)}`}</code>;
}

/** Codes of reasons that only repeat the two conditions shown above them. */
const COUNTED: readonly string[] = ["too_few_files", "too_few_answers"];

/** A report's conclusion: both conditions with their counts, and the platform's other reasons. */
export function Conclusion({ report }: { report: ReportBody }) {
  const { t } = useLingui();
  const language = useLanguage();
  const text = useMessage();
  const { readiness, parameters, counts, session } = report;
  if (!readiness) return null;
  const needed = parameters.readiness_min_share * HUNDRED;
  const share = percent(readiness.valid_share * HUNDRED, language, needed);
  const least = percent(needed, language);
  const { answered } = counts;
  const { files } = session;
  const { readiness_min_files: leastFiles } = parameters;
  const others = readiness.reasons.filter((reason) => !COUNTED.includes(reason.code));
  return (
    <>
      <p>
        {readiness.ready ? (
          <span className={parts.good}>{t`✓ Ready: both conditions are met`}</span>
        ) : (
          <span className={parts.void}>{t`✕ Not ready`}</span>
        )}
      </p>
      <ul>
        <li>{t`Files of the session: ${files}, needed: ${leastFiles}`}</li>
        <li>{t`Validly answered: ${answered} of ${files}, ${share} %; needed: ${least} %`}</li>
        {others.map((reason) => (
          <li key={reason.code}>{text(reason)}</li>
        ))}
      </ul>
      <By clause="R 6.5.4" />
    </>
  );
}

export function InTheMaking({ scoring }: { scoring: Scoring }) {
  const { scored, files } = scoring;
  return (
    <p role="status">
      <Trans>
        Scoring continues: {scored} of <Plural value={files} one="# file" other="# files" /> scored. The report appears
        here by itself.
      </Trans>
    </p>
  );
}

/** Downloads of the platform's report: all files, regardless of this page's filters. */
export function Exports({ sessionId }: { sessionId: string }) {
  const lang = useLanguage();
  const path = { session_id: sessionId };
  const values = { ...path, lang };
  return (
    <Downloads
      title={<Trans>Save the whole report</Trans>}
      name={`report-${sessionId}`}
      of={[
        ["CSV", () => readFile("/v1/sessions/{session_id}/report.csv", path)],
        ["XLSX", () => readFile("/v1/sessions/{session_id}/report.xlsx", values)],
        ["JSON", () => readFile("/v1/sessions/{session_id}/report", path)],
        ["HTML", () => readFile("/v1/sessions/{session_id}/report.html", values)],
      ]}
    />
  );
}
