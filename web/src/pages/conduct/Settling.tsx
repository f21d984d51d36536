import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { get } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { roleName } from "@/auth/roles";
import { AskedPage } from "@/shell/AskedPage";
import { Author, deedText } from "@/ui/audit";
import { useLanguage } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import { Wide } from "@/ui/Wide";
import { BoardDecisions } from "./BoardDecisions";
import styles from "./conduct.module.css";
import { boardQuery, type ConductedRun, runQuery, type Settled } from "./data";
import { TakeIn, Verify } from "./Errands";
import { Notices } from "./Notices";
import { Recomputation } from "./Recomputation";
import { SettlementTabs } from "./SettlementTabs";
import { STEPS, type Step, stepsOf } from "./steps";
import { Redrive } from "./Waiting";

const GLYPHS = { done: "✓", now: "▸", stopped: "✕", later: "·" } as const;
const MADE: readonly Settled[] = ["verifying", "differences_found", "ready", "published"];

/** What stands between a final and its publication. */
export function Settling() {
  const { t } = useLingui();
  const { runId } = useParams({ from: "/desk/settlement/$runId" });
  const run = useQuery(runQuery(runId));
  return (
    <AskedPage title={t`Settlement of a final`} of={run}>
      {(told) => (
        <>
          <SettlementTabs />
          <Checklist run={told} />
        </>
      )}
    </AskedPage>
  );
}

function Checklist({ run }: { run: ConductedRun }) {
  const language = useLanguage();
  const organizes = useMay("organize");
  const { settlement } = run;
  const said = language === "ru" ? settlement.reason_ru : settlement.reason;
  const isMade = MADE.includes(settlement.state);
  const board = useQuery({ ...boardQuery(run.run_id), enabled: isMade });
  return (
    <>
      <p>
        <Link to="/desk/runs/$runId" params={{ runId: run.run_id }}>
          <Trans>The run</Trans>
        </Link>
        {", "}
        <Link to="/desk/protocols" search={{ run: run.run_id }}>
          <Trans>protocols of judges and commission</Trans>
        </Link>
        {", "}
        <Moment at={run.starts_at} />
        {run.trial && (
          <>
            {" · "}
            <Trans>a trial, counts nowhere</Trans>
          </>
        )}
      </p>
      <p role="status" className={styles.verdict}>
        {settlement.state === "differences_found" ? (
          <Trans>The independent recomputation has found differences; they stand below.</Trans>
        ) : (
          said
        )}
      </p>
      <Notices of={settlement.notices} />
      <ol className={styles.steps}>
        {stepsOf(settlement.state).map((step) => (
          <StepRow key={step.name} step={step} run={run} organizes={organizes} />
        ))}
      </ol>
      {isMade && <Recomputation runId={run.run_id} />}
      {isMade && (
        <section aria-labelledby="board-title">
          <h2 id="board-title">
            <Trans>Board</Trans>
          </h2>
          <Answered of={board}>
            {(shown) => (
              <>
                <BoardDecisions board={run.run_id} shown={shown} decides={organizes} />
                <Verify rows={shown.rows} />
              </>
            )}
          </Answered>
        </section>
      )}
      {settlement.state === "published" && (
        <p>
          <a href={`/v1/runs/${run.run_id}/archive`}>
            <Trans>The archive that everybody may keep</Trans>
          </a>
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
      {counts && (step.name === "board" || step.name === "recomputed" || step.name === "scores") && (
        <>
          {" · "}
          <Trans>
            {settlement.made} of {settlement.teams} teams
          </Trans>
        </>
      )}
      {step.name === "scores" && step.state === "now" && (
        <>
          {" · "}
          <Trans>answers without a score: {settlement.unscored}</Trans>
          {organizes && <Redrive run={run.run_id} />}
        </>
      )}
      {step.name === "markups" && organizes && step.state !== "later" && settlement.state !== "published" && (
        <TakeIn runId={run.run_id} />
      )}
    </li>
  );
}

/** Who did what about the run, and when. */
function Log({ run }: { run: ConductedRun }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const names = new Map(run.amendments.map(({ who, name }) => [who, name]));
  const record = useQuery(get("/v1/commission/{run_id}/report", { params: { path: { run_id: run.run_id } } }));
  return (
    <section aria-labelledby="log-title">
      <h2 id="log-title">
        <Trans>Who did what, and when</Trans>
      </h2>
      <Answered of={record}>
        {({ log }) =>
          log.length === 0 ? (
            <p>
              <Trans>Nobody has changed anything about this run yet.</Trans>
            </p>
          ) : (
            <Wide label={t`Log of the run`}>
              <thead>
                <tr>
                  <th scope="col">{t`When`}</th>
                  <th scope="col">{t`Who`}</th>
                  <th scope="col">{t`What`}</th>
                  <th scope="col">{t`Reason`}</th>
                </tr>
              </thead>
              <tbody>
                {log.map((each) => (
                  <tr key={each.at + each.what}>
                    <th scope="row">
                      <Moment at={each.at} />
                    </th>
                    <td>
                      <Author of={each.who} name={names.get(each.who) ?? null} />
                    </td>
                    <td>{deedText(each.what, language, (role) => i18n._(roleName(role)))}</td>
                    <td>{typeof each.after?.reason === "string" ? each.after.reason : ""}</td>
                  </tr>
                ))}
              </tbody>
            </Wide>
          )
        }
      </Answered>
    </section>
  );
}
