import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useParams } from "@tanstack/react-router";
import { api } from "@/api/client";
import { EVERY } from "@/api/queries";
import { SessionList, useSessionPages } from "@/pages/cabinet/SessionList";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";

/** A team's sessions, for whoever may read all reports. */
export function TeamSessions() {
  const { t } = useLingui();
  const { teamId } = useParams({ from: "/desk/teams/$teamId/sessions" });
  const name = useTeamName()(teamId);
  const pages = useSessionPages(`of ${teamId}`, EVERY.idle, async (query, signal) => {
    const asked = { params: { path: { team_id: teamId }, query }, signal };
    return (await api.GET("/v1/teams/{team_id}/sessions", asked)).data?.sessions ?? [];
  });
  return (
    <AskedPage title={t`Sessions of team ${name}`} of={pages}>
      {() => (
        <SessionList
          pages={pages}
          link={(sessionId) => (
            <Link to="/desk/sessions/$sessionId" params={{ sessionId }}>
              {sessionId}
            </Link>
          )}
          none={
            <p>
              <Trans>The team has opened no session yet.</Trans>
            </p>
          }
        />
      )}
    </AskedPage>
  );
}
