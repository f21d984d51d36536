import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { TokenList } from "@/pages/cabinet/TokenList";
import { STATUSES } from "@/pages/public/team";
import { AskedPage } from "@/shell/AskedPage";
import { Button, ShownOnce } from "@/ui/controls";
import { Moment } from "@/ui/moments";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { TeamDecisions } from "./TeamDecisions";

type Team = Schemas["TeamBody"];

/** A team as the organizers see it: what it said of itself, what was decided, its people and its programs. */
export function TeamPage() {
  const { t } = useLingui();
  const { teamId } = useParams({ from: "/desk/teams/$teamId" });
  const found = useQuery(get("/v1/teams/{team_id}", { params: { path: { team_id: teamId } } }, EVERY.idle));
  return (
    <AskedPage title={t`Team ${teamId}`} of={found}>
      {(team) => (
        <>
          <State team={team} />
          <TeamDecisions team={team} />
          <Application of={team.application} />
          <Members of={team.members} />
          <Invite teamId={teamId} />
          <Tokens teamId={teamId} />
        </>
      )}
    </AskedPage>
  );
}

function State({ team }: { team: Team }) {
  const { i18n } = useLingui();
  const teamId = team.team_id;
  return (
    <dl className={parts.facts}>
      <dt>
        <Trans>Name</Trans>
      </dt>
      <dd>{team.name}</dd>
      <dt>
        <Trans>State</Trans>
      </dt>
      <dd>
        <strong>{i18n._(STATUSES[team.status])}</strong>
        {team.reason && `: ${team.reason}`}
      </dd>
      <dt>
        <Trans>Since</Trans>
      </dt>
      <dd>
        <Moment at={team.created_at} />
      </dd>
      <dt>
        <Trans>Sessions</Trans>
      </dt>
      <dd>
        <Link to="/desk/teams/$teamId/sessions" params={{ teamId }}>
          <Trans>All sessions with their reports</Trans>
        </Link>
      </dd>
    </dl>
  );
}

function Application({ of }: { of: Team["application"] }) {
  return (
    <section aria-labelledby="application-title">
      <h2 id="application-title">
        <Trans>Application</Trans>
      </h2>
      {of ? (
        <dl className={parts.facts}>
          <dt>
            <Trans>Sent</Trans>
          </dt>
          <dd>
            <Moment at={of.submitted_at} />
          </dd>
          <dt>
            <Trans>Organization</Trans>
          </dt>
          <dd>{of.organization || "—"}</dd>
          <dt>
            <Trans>Contact</Trans>
          </dt>
          <dd>{of.contact}</dd>
          <dt>
            <Trans>About the team</Trans>
          </dt>
          <dd>{of.about || "—"}</dd>
        </dl>
      ) : (
        <p>
          <Trans>The team was entered by the organizers.</Trans>
        </p>
      )}
    </section>
  );
}

function Members({ of }: { of: Team["members"] }) {
  return (
    <section aria-labelledby="members-title">
      <h2 id="members-title">
        <Trans>Members</Trans>
      </h2>
      {of.length === 0 && (
        <p>
          <Trans>None yet. Invite a captain below.</Trans>
        </p>
      )}
      <ul>
        {of.map((each) => (
          <li key={each.person_id}>
            <strong>{each.name}</strong> · {each.email}
            {each.is_captain && (
              <>
                {" · "}
                <Trans>captain</Trans>
              </>
            )}
            {each.dismissed_at && (
              <>
                {" · "}
                <Trans>
                  left <Moment at={each.dismissed_at} />
                </Trans>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Invite({ teamId }: { teamId: string }) {
  const { t } = useLingui();
  const [note, setNote] = useState("");
  const [asCaptain, setAsCaptain] = useState(false);
  const inviting = useMutation({
    mutationFn: async () => {
      const params = { path: { team_id: teamId } };
      const body = { note, as_captain: asCaptain };
      return (await api.POST("/v1/teams/{team_id}/invitations", { params, body })).data;
    },
    // What is remembered of a change would keep the code longer than the page shows it.
    gcTime: 0,
  });
  const code = inviting.data?.code;
  return (
    <section aria-labelledby="invite-title">
      <h2 id="invite-title">
        <Trans>Invite to the team</Trans>
      </h2>
      {code ? (
        <ShownOnce
          says={
            <Trans>The invitation's code. It is shown this once and lasts a week: send it to whom you invite.</Trans>
          }
          secret={code}
          what={t`the code`}
          forget={() => inviting.reset()}
        />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            inviting.mutate();
          }}
        >
          {inviting.error && <Problem error={inviting.error} />}
          <label className={parts.field}>
            <Trans>For whom (a note for the team)</Trans>
            <input value={note} maxLength={200} onChange={(event) => setNote(event.currentTarget.value)} />
          </label>
          <p>
            <label>
              <input
                type="checkbox"
                checked={asCaptain}
                onChange={(event) => setAsCaptain(event.currentTarget.checked)}
              />{" "}
              <Trans>as the team's captain</Trans>
            </label>
          </p>
          <p>
            <Button type="submit" isDisabled={inviting.isPending}>
              <Trans>Make an invitation</Trans>
            </Button>
          </p>
        </form>
      )}
    </section>
  );
}

function Tokens({ teamId }: { teamId: string }) {
  const path = { team_id: teamId };
  const tokens = useQuery(get("/v1/teams/{team_id}/tokens", { params: { path } }, EVERY.idle));
  return (
    <section aria-labelledby="tokens-title">
      <h2 id="tokens-title">
        <Trans>Tokens of the team's programs</Trans>
      </h2>
      <TokenList
        of={tokens}
        issue={async (body) => (await api.POST("/v1/teams/{team_id}/tokens", { params: { path }, body })).data}
        revoke={(token_id) =>
          api.POST("/v1/teams/{team_id}/tokens/{token_id}/revoke", { params: { path: { ...path, token_id } } })
        }
      />
    </section>
  );
}
