import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { EVERY, get } from "@/api/queries";
import { Conclusion as Automatic, InTheMaking } from "@/pages/cabinet/Conclusion";
import { isReport, useReport } from "@/pages/cabinet/reportData";
import { modeWord, standingWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";
import { Button } from "@/ui/controls";
import { Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import styles from "./judges.module.css";
import { Ruling } from "./Ruling";
import { Rulings } from "./Rulings";
import { SessionTabs } from "./SessionTabs";

type Status = Schemas["StatusBody"];

/** The conclusion on a session: what the report concludes, who ruled how, and the ruling that is due. */
export function ConclusionPage() {
  const { t } = useLingui();
  const { sessionId } = useParams({ from: "/desk/sessions/$sessionId" });
  const path = { session_id: sessionId };
  const session = useQuery(get("/v1/sessions/{session_id}", { params: { path } }, EVERY.idle));
  return (
    <AskedPage title={t`Conclusion on session ${sessionId}`} of={session}>
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
  const asked = get(
    "/v1/sessions/{session_id}/conclusion",
    { params: { path: { session_id: sessionId } } },
    EVERY.idle,
  );
  const conclusion = useQuery(asked);
  const none = conclusion.error instanceof ApiError && conclusion.error.code === "no_conclusion";
  return (
    <section aria-labelledby="rulings-title">
      <h2 id="rulings-title">
        <Trans>Rulings</Trans>
      </h2>
      {none ? (
        <p>
          <Trans>There is nothing to rule on: the session has no positive conclusion. Its report says why.</Trans>
        </p>
      ) : (
        <Answered of={conclusion}>
          {(told) => (
            <>
              <Standing conclusion={told} />
              <Rulings of={told.rulings} />
              <Ruling of={told} done={() => conclusion.refetch()} />
              <p>
                <Button onPress={() => window.print()}>
                  <Trans>Print the protocol</Trans>
                </Button>
              </p>
            </>
          )}
        </Answered>
      )}
    </section>
  );
}

function Standing({ conclusion }: { conclusion: Schemas["ConclusionBody"] }) {
  const nameOf = useTeamName();
  const { i18n } = useLingui();
  const standing = i18n._(standingWord(conclusion.standing));
  const { annulled, closed_at: closed, team_id: teamId } = conclusion;
  return (
    <dl className={parts.facts}>
      <dt>
        <Trans>Team</Trans>
      </dt>
      <dd>
        <Link to="/desk/teams/$teamId/sessions" params={{ teamId }}>
          {nameOf(teamId)}
        </Link>
      </dd>
      <dt>
        <Trans>Kind</Trans>
      </dt>
      <dd>{i18n._(modeWord(conclusion.kind))}</dd>
      <dt>
        <Trans>Stands</Trans>
      </dt>
      <dd>
        <strong>{standing}</strong>
        {annulled && (
          <span className={parts.void}>
            {" "}
            <Trans>Annulled: {annulled}</Trans>
          </span>
        )}
      </dd>
      <dt>
        <Trans>Session closed</Trans>
      </dt>
      <dd>
        <Moment at={closed} />
      </dd>
    </dl>
  );
}

/** What a ruling goes by, beside it. */
function Evidence({ status, sessionId }: { status: Status; sessionId: string }) {
  const { i18n } = useLingui();
  const report = useReport(sessionId);
  const params = { sessionId };
  const { counts, client } = status;
  const version = client && `${client.name} ${client.version}`;
  return (
    <section aria-labelledby="evidence-title">
      <h2 id="evidence-title">
        <Trans>Evidence</Trans>
      </h2>
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
            <Trans>The program's module: {version}</Trans>
          )}
        </p>
      )}
      <Answered of={report}>
        {(told) => (isReport(told) ? <Automatic report={told} /> : <InTheMaking scoring={told} />)}
      </Answered>
      <ul className="no-print">
        <li>
          <Link to="/desk/sessions/$sessionId/report" params={params}>
            <Trans>The report with all parts</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/sessions/$sessionId/files" params={params} search={{ file: 1 }}>
            <Trans>Files, with each one's comparison with the experts</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/sessions/$sessionId/course" params={params}>
            <Trans>Course: causes and proofs of void files</Trans>
          </Link>
        </li>
      </ul>
    </section>
  );
}
