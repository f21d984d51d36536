import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { EVERY, get, post, read, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useMay } from "@/auth/hooks";
import { SessionFiles } from "@/pages/cabinet/Files";
import { isReport, useReport } from "@/pages/cabinet/filesView";
import { SessionReport } from "@/pages/cabinet/Report";
import { Conclusion as Automatic, InTheMaking, SessionCourse, type SessionPageProps } from "@/pages/cabinet/Session";
import { SessionList, useSessionPages } from "@/pages/cabinet/Sessions";
import { modeWord, standingWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import type { Cited } from "@/ui/contest";
import { Button, PageLink, Tabs } from "@/ui/controls";
import { Reasoned } from "@/ui/forms";
import { Answered, AskedPage, Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import styles from "./judges.module.css";

/** Show the conclusion on a session: the report's conclusion, the rulings with their authors, and the next ruling. */
export function ConclusionPage() {
  const { t } = useLingui();
  const { sessionId } = useParams({ from: "/desk/sessions/$sessionId" });
  const path = { session_id: sessionId };
  return (
    <AskedPage title={t`Conclusion on session ${sessionId}`} asks={get("/v1/sessions/{session_id}", path, EVERY.idle)}>
      {(status) => (
        <>
          <SessionTabs sessionId={sessionId} />
          <div className={styles.beside}>
            <Concluded sessionId={sessionId} />
            <Evidence status={status} sessionId={sessionId} />
          </div>
        </>
      )}
    </AskedPage>
  );
}

function Concluded({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  const query = get("/v1/sessions/{session_id}/conclusion", { session_id: sessionId }, EVERY.idle);
  const conclusion = useQuery(query);
  const none = conclusion.error instanceof ApiError && conclusion.error.code === "no_conclusion";
  return (
    <PageSection id="rulings-title" title={t`Rulings`}>
      {none ? (
        <p>{t`No ruling is possible: the session has no positive conclusion. Its report says why.`}</p>
      ) : (
        <Answered of={conclusion}>
          {(data) => (
            <>
              <Standing conclusion={data} />
              <Rulings rulings={data.rulings} />
              <Ruling conclusion={data} />
              <p>
                <Button onPress={() => window.print()}>{t`Print the protocol`}</Button>
              </p>
            </>
          )}
        </Answered>
      )}
    </PageSection>
  );
}

function Standing({ conclusion }: { conclusion: Schemas["ConclusionBody"] }) {
  const nameOf = useTeamName();
  const { i18n } = useLingui();
  const standing = i18n._(standingWord(conclusion.standing));
  const { annulled, closed_at: closed, team_id: teamId } = conclusion;
  return (
    <dl className={parts.facts}>
      <Fact name={<Trans>Team</Trans>}>
        <Link to="/desk/teams/$teamId/sessions" params={{ teamId }}>
          {nameOf(teamId)}
        </Link>
      </Fact>
      <Fact name={<Trans>Kind</Trans>}>{i18n._(modeWord(conclusion.kind))}</Fact>
      <Fact name={<Trans>State</Trans>}>
        <strong>{standing}</strong>
        {annulled && (
          <span className={parts.void}>
            {" "}
            <Trans>Annulled: {annulled}</Trans>
          </span>
        )}
      </Fact>
      <Fact name={<Trans>Session closed</Trans>} at={closed} />
    </dl>
  );
}

function Evidence({ status, sessionId }: { status: Schemas["StatusBody"]; sessionId: string }) {
  const { i18n, t } = useLingui();
  const report = useReport(sessionId);
  const params = { sessionId };
  const { counts, client } = status;
  const version = client && `${client.name} ${client.version}`;
  return (
    <PageSection id="evidence-title" title={t`Evidence`}>
      <p>
        {i18n._(modeWord(status.mode))} · <code>{status.set}</code> ·{" "}
        <Trans>
          answered {counts.answered} of {status.files}, void {counts.voided}
        </Trans>
      </p>
      {version && (
        <p>
          {status.client_known === false ? (
            <strong className={parts.void}>
              <Trans>The program's module is not one of the published ones: {version}</Trans>
            </strong>
          ) : (
            t`The program's module: ${version}`
          )}
        </p>
      )}
      <Answered of={report}>
        {(data) => (isReport(data) ? <Automatic report={data} /> : <InTheMaking scoring={data} />)}
      </Answered>
      <ul className="no-print">
        <li>
          <Link to="/desk/sessions/$sessionId/report" params={params}>
            {t`The report with all parts`}
          </Link>
        </li>
        <li>
          <Link to="/desk/sessions/$sessionId/files" params={params} search={{ file: 1 }}>
            {t`Files, with each one's comparison with the experts`}
          </Link>
        </li>
        <li>
          <Link to="/desk/sessions/$sessionId/course" params={params}>
            {t`Course: causes and proofs of void files`}
          </Link>
        </li>
      </ul>
    </PageSection>
  );
}

interface Way {
  label: ReactNode;
  asks: ReactNode;
  clause?: Cited;
  act: (reason: string) => Promise<unknown>;
}

/** Show the rulings that this user may make at the conclusion's standing, as listed by the platform. */
function Ruling({ conclusion }: { conclusion: Schemas["ConclusionBody"] }) {
  const may = { judgement: useMay("confirm_conclusions"), verification: useMay("verify_results") };
  const possible = conclusion.possible.filter(({ step }) => may[step]);
  if (possible.length === 0) return null;
  return (
    <div className={parts.actions}>
      {possible.map((ruling, at) => (
        <Reasoned
          key={`${ruling.step} ${ruling.positive}`}
          primary={at === 0}
          {...wayOf(ruling, conclusion.session_id)}
        />
      ))}
    </div>
  );
}

function wayOf({ step, positive }: Schemas["PossibleRulingBody"], session_id: string): Way {
  const params = { session_id };
  if (step === "judgement") {
    const act = (reason: string) =>
      post("/v1/sessions/{session_id}/conclusion/judgement", params, { confirmed: positive, reason });
    return positive
      ? {
          label: <Trans>Confirm</Trans>,
          asks: <Trans>Confirm the conclusion? The commission verifies it next.</Trans>,
          clause: "R 8.2.1",
          act,
        }
      : {
          label: <Trans>Reject</Trans>,
          asks: <Trans>Reject the conclusion? You may confirm it again later; both stay in the protocol.</Trans>,
          act,
        };
  }
  const act = (reason: string) =>
    post("/v1/sessions/{session_id}/conclusion/verification", params, { verified: positive, reason });
  return positive
    ? {
        label: <Trans>Verify</Trans>,
        asks: <Trans>Verify the confirmed conclusion? The session counts for the team's qualification then.</Trans>,
        clause: "R 8.2.2",
        act,
      }
    : {
        label: <Trans>Return to the judges</Trans>,
        asks: <Trans>Return the conclusion to the judges? It does not count until it is verified again.</Trans>,
        act,
      };
}

function Rulings({ rulings }: { rulings: readonly Schemas["RulingBody"][] }) {
  const { t } = useLingui();
  const words = {
    "judgement true": t`the judges confirmed`,
    "judgement false": t`the judges rejected`,
    "verification true": t`the commission verified`,
    "verification false": t`the commission returned it`,
  };
  if (rulings.length === 0) return <p>{t`No ruling yet.`}</p>;
  return (
    <ol>
      {rulings.map((ruling) => (
        <li key={ruling.at}>
          <Moment at={ruling.at} /> · {words[`${ruling.step} ${ruling.positive}`]}
          <br />
          {ruling.reason}
          {!ruling.counts && <p className={parts.void}>{t`It was about an earlier report and no longer counts.`}</p>}
        </li>
      ))}
    </ol>
  );
}

function SessionTabs({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  return (
    <Tabs
      label={t`Session`}
      params={{ sessionId }}
      of={[
        ["/desk/sessions/$sessionId", t`Conclusion`],
        ["/desk/sessions/$sessionId/report", t`Report`],
        ["/desk/sessions/$sessionId/files", t`Files and comparison`],
        ["/desk/sessions/$sessionId/course", t`Course`],
      ]}
    />
  );
}

export function CoursePage() {
  const { t } = useLingui();
  return <OfSession title={(sessionId) => t`Session ${sessionId}`} of={SessionCourse} />;
}

export function ReportPage() {
  const { t } = useLingui();
  return <OfSession title={(sessionId) => t`Report of session ${sessionId}`} of={SessionReport} />;
}

export function FilesPage() {
  const { t } = useLingui();
  return <OfSession title={(sessionId) => t`Files of session ${sessionId}`} of={SessionFiles} />;
}

/** Show a page about a session that exists and may be read. */
function OfSession({ title, of: Shown }: SessionPageProps) {
  const { sessionId = "" } = useParams({ strict: false });
  return (
    <AskedPage title={title(sessionId)} asks={get("/v1/sessions/{session_id}", { session_id: sessionId })}>
      {() => (
        <>
          <SessionTabs sessionId={sessionId} />
          <Shown sessionId={sessionId} />
        </>
      )}
    </AskedPage>
  );
}

/** Show a team's sessions to users who may read all reports. */
export function TeamSessions() {
  const { t } = useLingui();
  const { teamId } = useParams({ from: "/desk/teams/$teamId/sessions" });
  const name = useTeamName()(teamId);
  const pages = useSessionPages(`of ${teamId}`, EVERY.idle, async (query, signal) => {
    return (await read("/v1/teams/{team_id}/sessions", { team_id: teamId, ...query }, signal)).sessions;
  });
  return (
    <AskedPage title={t`Sessions of team ${name}`} of={pages}>
      {() => (
        <SessionList
          pages={pages}
          link={(sessionId) => (
            <PageLink to="/desk/sessions/$sessionId" id={sessionId}>
              {sessionId}
            </PageLink>
          )}
          none={<p>{t`The team has opened no session yet.`}</p>}
        />
      )}
    </AskedPage>
  );
}
