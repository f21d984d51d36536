import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { api } from "@/api/client";
import { get, queryClient } from "@/api/queries";
import { useMe } from "@/auth/hooks";
import { STATUSES, type Team as TeamBody } from "@/pages/public/team";
import { Confirmed } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { Cabinet } from "./Cabinet";
import { Invitations } from "./Invitations";
import { Withdrawal } from "./Withdrawal";

type Member = TeamBody["members"][number];

export const OWN_TEAM = get("/v1/team", {}).queryKey;

/** The team: its state with the reason, members, invitations, and the ways out. */
export function Team() {
  const { t } = useLingui();
  return <Cabinet title={t`Team and members`}>{(team) => <Told team={team} />}</Cabinet>;
}

function Told({ team }: { team: TeamBody }) {
  const { i18n } = useLingui();
  const me = useMe();
  const isCaptain = team.members.some((each) => each.is_captain && each.person_id === me?.person_id);
  const { application } = team;
  return (
    <>
      <dl className={parts.facts}>
        <dt>
          <Trans>Team</Trans>
        </dt>
        <dd>
          {team.name} (<code>{team.team_id}</code>)
        </dd>
        <dt>
          <Trans>State</Trans>
        </dt>
        <dd>
          {i18n._(STATUSES[team.status])}
          {team.reason && `: ${team.reason}`}
        </dd>
        {application && (
          <>
            <dt>
              <Trans>Application</Trans>
            </dt>
            <dd>
              <Moment at={application.submitted_at} /> ·{" "}
              <Link to="/application">
                <Trans>Read or correct it</Trans>
              </Link>
            </dd>
          </>
        )}
      </dl>
      <section aria-labelledby="members-title">
        <h2 id="members-title">
          <Trans>Members</Trans>
        </h2>
        <ul>
          {team.members
            .filter((each) => !each.dismissed_at)
            .map((each) => (
              <MemberLine key={each.person_id} member={each} isCaptain={isCaptain} own={me?.person_id ?? ""} />
            ))}
        </ul>
        {!isCaptain && (
          <p>
            <Trans>The captain invites, removes, hands the captaincy over and withdraws the team.</Trans>
          </p>
        )}
      </section>
      <Invitations isCaptain={isCaptain} />
      {isCaptain && !["withdrawn", "disqualified"].includes(team.status) && <Withdrawal />}
    </>
  );
}

interface LineProps {
  member: Member;
  isCaptain: boolean;
  own: string;
}

function MemberLine({ member, isCaptain, own }: LineProps) {
  const { name, email, person_id: person } = member;
  const isOwn = person === own;
  return (
    <li>
      <strong>{name}</strong> · {email}
      {member.is_captain && (
        <>
          {" "}
          · <Trans>captain</Trans>
        </>
      )}{" "}
      ·{" "}
      <Trans>
        since <Moment at={member.since} />
      </Trans>
      <div className={parts.actions}>
        {isCaptain && !isOwn && (
          <>
            <Confirmed
              label={<Trans>Make captain</Trans>}
              asks={<Trans>{name} becomes the captain, and you stay a member.</Trans>}
              act={() => api.POST("/v1/team/captain", { body: { person_id: person } })}
              done={renewed}
            />
            <Confirmed
              label={<Trans context="member">Remove</Trans>}
              asks={<Trans>{name} sees nothing of the team from then on.</Trans>}
              act={() => removal(person)}
              done={renewed}
            />
          </>
        )}
        {isOwn && !member.is_captain && (
          <Confirmed
            label={<Trans>Leave the team</Trans>}
            asks={<Trans>You see nothing of the team from then on; the captain can invite you again.</Trans>}
            act={() => removal(person)}
            done={() => queryClient.resetQueries()}
          />
        )}
      </div>
    </li>
  );
}

function removal(person: string) {
  return api.POST("/v1/team/members/{person_id}/remove", { params: { path: { person_id: person } } });
}

function renewed() {
  return queryClient.invalidateQueries({ queryKey: OWN_TEAM });
}
