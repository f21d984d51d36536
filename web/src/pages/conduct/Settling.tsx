import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { EVERY, get, post, queryClient, renewed, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { Author, deedText } from "@/ui/audit";
import { MessageList, useLanguage, useMessage } from "@/ui/contest";
import { Button, PageLink } from "@/ui/controls";
import { Act, useAction } from "@/ui/forms";
import { Answered, AskedPage, Moment, PageSection, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./conduct.module.css";
import {
  type Board,
  boardQuery,
  type ConductedRun,
  recomputationQuery,
  runQuery,
  type Settled,
  STEPS,
  type Step,
  stepsOf,
} from "./data";
import { Notices } from "./Runs";
import { BoardDecisions, Redrive, SettlementTabs } from "./Settlement";

const GLYPHS = { done: "✓", now: "▸", stopped: "✕", later: "·" } as const;
const MADE: readonly Settled[] = ["verifying", "differences_found", "ready", "published"];

/** Page of the steps between a final and its publication. */
export function Settling() {
  const { t } = useLingui();
  const { runId } = useParams({ from: "/desk/settlement/$runId" });
  return (
    <AskedPage title={t`Settlement of a final`} asks={runQuery(runId)}>
      {(data) => (
        <>
          <SettlementTabs />
          <Checklist run={data} />
        </>
      )}
    </AskedPage>
  );
}

function Checklist({ run }: { run: ConductedRun }) {
  const { t } = useLingui();
  const language = useLanguage();
  const organizes = useMay("organize");
  const { settlement } = run;
  const reason = language === "ru" ? settlement.reason_ru : settlement.reason;
  const isMade = MADE.includes(settlement.state);
  const board = useQuery({ ...boardQuery(run.run_id), enabled: isMade });
  const again = useAction(() => post("/v1/conduct/runs/{run_id}/shadow", { run_id: run.run_id }), renewed);
  return (
    <>
      <p>
        <PageLink to="/desk/runs/$runId" id={run.run_id}>{t`The run`}</PageLink>
        {", "}
        <Link to="/desk/protocols" search={{ run: run.run_id }}>
          {t`protocols of judges and commission`}
        </Link>
        {", "}
        <Moment at={run.starts_at} />
        {run.trial && ` · ${t`a trial, does not count`}`}
      </p>
      <p role="status" className={styles.verdict}>
        {settlement.state === "differences_found"
          ? t`The independent recomputation found the differences below.`
          : reason}
      </p>
      <Notices notices={settlement.notices} />
      <ol className={styles.steps}>
        {stepsOf(settlement.state).map((step) => (
          <StepRow key={step.name} step={step} run={run} organizes={organizes} />
        ))}
      </ol>
      {isMade && (
        <PageSection id="recomputation-title" title={t`Independent recomputation`}>
          <Answered asks={recomputationQuery(run.run_id)}>{(data) => <Recomputation recomputation={data} />}</Answered>
          {again.problem}
          <Act of={again}>{t`Recompute once more`}</Act>
        </PageSection>
      )}
      {isMade && (
        <PageSection id="board-title" title={t`Board`}>
          <Answered of={board}>
            {(data) => (
              <>
                <BoardDecisions board={run.run_id} data={data} decides={organizes} />
                <Verify rows={data.rows} />
              </>
            )}
          </Answered>
        </PageSection>
      )}
      {settlement.state === "published" && (
        <p>
          <a href={`/v1/runs/${run.run_id}/archive`}>{t`Public archive`}</a>
        </p>
      )}
      <Log run={run} />
    </>
  );
}

function StepRow({ step, run, organizes }: { step: Step; run: ConductedRun; organizes: boolean }) {
  const { i18n, t } = useLingui();
  const { settlement } = run;
  const states = { done: t`done`, now: t`waits`, stopped: t`stopped`, later: t`later` };
  const counts = step.state === "now" && settlement.teams > 0;
  return (
    <li data-step={step.state}>
      <span aria-hidden="true">{GLYPHS[step.state]}</span> {i18n._(STEPS[step.name])}{" "}
      <small>({states[step.state]})</small>
      {step.name === "ended" && run.closed_at && (
        <>
          {" · "}
          <Moment at={run.closed_at} />
        </>
      )}
      {counts &&
        (step.name === "board" || step.name === "recomputed" || step.name === "scores") &&
        ` · ${t`${settlement.made} of ${settlement.teams} teams`}`}
      {step.name === "scores" && step.state === "now" && (
        <>
          {" · "}
          <Trans>answers without a score: {settlement.unscored}</Trans>
          {organizes && <Redrive run={run.run_id} />}
        </>
      )}
      {step.name === "markups" && organizes && step.state !== "later" && settlement.state !== "published" && (
        <div>
          <Errand
            label={t`Import the experts' markups`}
            act={() => post("/v1/conduct/runs/{run_id}/mark", { run_id: run.run_id })}
          />
        </div>
      )}
    </li>
  );
}

function Log({ run }: { run: ConductedRun }) {
  const { t } = useLingui();
  const language = useLanguage();
  const names = new Map(run.amendments.map(({ who, name }) => [who, name]));
  return (
    <PageSection id="log-title" title={<Trans>Actions with author and time</Trans>}>
      <Answered asks={get("/v1/commission/{run_id}/report", { run_id: run.run_id })}>
        {({ log }) => (
          <Table
            label={t`Log of the run`}
            rows={log}
            rowKey={(row) => row.at + row.what}
            columns={[
              { header: t`When`, cell: (row) => <Moment at={row.at} /> },
              { header: t`Who`, cell: (row) => <Author of={row.who} name={names.get(row.who) ?? null} /> },
              { header: t`What`, cell: (row) => deedText(row.what, language) },
              {
                header: t`Reason`,
                cell: (row) => (typeof row.after?.reason === "string" ? row.after.reason : "—"),
                className: parts.prose,
              },
            ]}
            empty={<Trans>This run has no changes yet.</Trans>}
          />
        )}
      </Answered>
    </PageSection>
  );
}

/** Sessions whose scores and reports a worker rebuilds from the stored facts and compares byte by byte. */
function Verify({ rows }: { rows: Board["rows"] }) {
  const { t } = useLingui();
  const verifies = useMay("verify_results");
  if (!verifies || rows.length === 0) return null;
  return (
    <details>
      <summary>{t`Verify a session byte by byte`}</summary>
      <Table<Board["rows"][number]>
        label={t`Sessions of the board`}
        rows={rows}
        rowKey={(row) => row.session_id}
        columns={[
          { header: t`Team`, cell: (row) => row.team },
          { header: t`Session`, cell: (row) => row.session_id },
          {
            header: t`Verification`,
            cell: ({ session_id, team }) => (
              <Errand
                label={t`Verify`}
                aria-label={t`Verify the session of ${team}`}
                act={() => post("/v1/conduct/sessions/{session_id}/verification", { session_id })}
              />
            ),
          },
        ]}
      />
    </details>
  );
}

interface ErrandProps {
  label: string;
  "aria-label"?: string;
  act: () => Promise<{ errand_id: string }>;
}

/** Button that gives a worker an errand, with its state and its outcome. */
function Errand({ label, act, ...rest }: ErrandProps) {
  const sending = useAction(act);
  return (
    <>
      {sending.problem}
      <Button isDisabled={sending.isPending} onPress={() => sending.mutate()} {...rest}>
        {label}
      </Button>{" "}
      {sending.data && <Course of={sending.data.errand_id} key={sending.data.errand_id} />}
    </>
  );
}

/** State of an errand, polled until it has an outcome. */
function Course({ of }: { of: string }) {
  const text = useMessage();
  const [ended, setEnded] = useState(false);
  const errand = useQuery({
    ...get("/v1/conduct/errands/{errand_id}", { errand_id: of }, EVERY.jobs),
    ...(ended ? { refetchInterval: false as const } : {}),
  });
  const isOver = errand.data !== undefined && errand.data.state !== "under_way";
  useEffect(() => {
    if (!isOver) return;
    setEnded(true);
    void queryClient.invalidateQueries({ queryKey: ["/v1/conduct/runs/{run_id}"] });
  }, [isOver]);
  if (errand.error) return <Problem error={errand.error} />;
  if (!errand.data) return null;
  const { state, refused, verification } = errand.data;
  return (
    <span role="status">
      {state === "under_way" && <Trans>A worker is processing it …</Trans>}
      {state === "failed" && (
        <span className={parts.void}>
          <Trans>The worker failed for good. Ask again; if it fails again, see the dead letters.</Trans>
        </span>
      )}
      {refused && <span className={parts.void}>{text(refused)}</span>}
      {state === "done" && !verification && <Trans>Done.</Trans>}
      {verification && <Verification verification={verification} />}
    </span>
  );
}

function Verification({ verification }: { verification: Schemas["VerificationBody"] }) {
  const { t } = useLingui();
  const text = useMessage();
  const wrong = [...verification.differences, ...verification.missing];
  return (
    <>
      {wrong.length === 0 ? (
        <span
          className={parts.good}
        >{t`Identical byte by byte: ${verification.scores} scores, ${verification.reports} reports.`}</span>
      ) : (
        <span className={parts.void}>
          <Plural value={wrong.length} one="# difference:" other="# differences:" /> {wrong.join("; ")}
        </span>
      )}{" "}
      {verification.off_board && <span>{text(verification.off_board)}</span>}
    </>
  );
}

/** Result of the independent recomputation: while any value differs, nothing is published. */
function Recomputation({ recomputation }: { recomputation: Schemas["RecomputationBody"] }) {
  const { t } = useLingui();
  if (recomputation.state === "recomputing") {
    return <p role="status">{t`Under way: ${recomputation.made} of ${recomputation.teams} teams are recomputed.`}</p>;
  }
  const { sessions = 0, files = 0, scores = 0, receipts = 0 } = recomputation.checked;
  return (
    <>
      {recomputation.state === "clean" ? (
        <p className={parts.good}>{t`No difference.`}</p>
      ) : (
        <p className={parts.void} role="alert">
          <Plural
            value={recomputation.total}
            one="# value differs from the recomputation: the results cannot be published."
            other="# values differ from the recomputation: the results cannot be published."
          />
        </p>
      )}
      <p>{t`Inspected: sessions ${sessions}, files ${files}, scores ${scores}, receipts ${receipts}.`}</p>
      {recomputation.differences.length > 0 && (
        <section aria-label={t`Values that differ`}>
          <MessageList of={recomputation.differences} className={styles.differences} />
        </section>
      )}
    </>
  );
}
