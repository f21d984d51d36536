import { Trans, useLingui } from "@lingui/react/macro";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EVERY, get, post, queryClient, renewed, type Schemas } from "@/api/client";
import { useMe } from "@/auth/hooks";
import { STATUSES, type Team as TeamBody } from "@/pages/public/team";
import { ShownOnce } from "@/ui/controls";
import { Confirmed, Field, Form, Reasoned, useAction, useDraft } from "@/ui/forms";
import { Answered, Fact, Moment, PageSection, useNow } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { Cabinet } from "./Cabinet";

type Member = TeamBody["members"][number];

/** Page of the team: its status with the reason, members, invitations, and the ways to leave. */
export function Team() {
  const { t } = useLingui();
  return <Cabinet title={t`Team and members`}>{(team) => <Standing team={team} />}</Cabinet>;
}

function Standing({ team }: { team: TeamBody }) {
  const { i18n, t } = useLingui();
  const me = useMe();
  const isCaptain = team.members.some((member) => member.is_captain && member.person_id === me?.person_id);
  const { application } = team;
  return (
    <>
      <dl className={parts.facts}>
        <Fact name={t`Team`}>
          {team.name} (<code>{team.team_id}</code>)
        </Fact>
        <Fact name={t`State`}>
          {i18n._(STATUSES[team.status])}
          {team.reason && `: ${team.reason}`}
        </Fact>
        <SelectionFact selection={team.selection} />
        {application && (
          <Fact name={t`Application`}>
            <Moment at={application.submitted_at} /> · <Link to="/application">{t`Read or correct it`}</Link>
          </Fact>
        )}
      </dl>
      <PageSection id="members-title" title={t`Members`}>
        <ul>
          {team.members
            .filter((member) => !member.dismissed_at)
            .map((member) => (
              <MemberLine key={member.person_id} member={member} isCaptain={isCaptain} own={me?.person_id ?? ""} />
            ))}
        </ul>
        {!isCaptain && <p>{t`The captain invites, removes, hands the captaincy over and withdraws the team.`}</p>}
      </PageSection>
      <PageSection id="invitations-title" title={t`Invitations`}>
        {isCaptain && <Invite />}
        <Answered asks={INVITATIONS}>
          {({ invitations }) => (
            <>
              {invitations.length === 0 && <p>{t`No invitations yet.`}</p>}
              <ul>
                {invitations.map((invitation) => (
                  <InvitationLine key={invitation.invitation_id} invitation={invitation} isCaptain={isCaptain} />
                ))}
              </ul>
            </>
          )}
        </Answered>
      </PageSection>
      {isCaptain && !["withdrawn", "disqualified"].includes(team.status) && (
        <PageSection id="withdrawal-title" title={t`Leaving the contest`}>
          <p>{t`The team's programs are refused within a minute. The organizers can take it back.`}</p>
          <Reasoned
            label={t`Withdraw the team`}
            asks={t`Withdraw the team from the contest?`}
            act={(reason) => post("/v1/team/withdraw", {}, { reason })}
            done={() => queryClient.invalidateQueries()}
          />
        </PageSection>
      )}
    </>
  );
}

/** Show the decision on the team's selection with its reason; nothing before a decision. Clause: R 4.1 */
export function SelectionFact({ selection }: { selection: TeamBody["selection"] }) {
  if (!selection) return null;
  return (
    <Fact name={<Trans>Selection</Trans>}>
      <strong>{selection.passed ? <Trans>passed</Trans> : <Trans>not passed</Trans>}</strong>: {selection.reason} ·{" "}
      <Moment at={selection.at} />
    </Fact>
  );
}

function MemberLine({ member, isCaptain, own }: { member: Member; isCaptain: boolean; own: string }) {
  const { t } = useLingui();
  const { name, email, person_id: person } = member;
  const isOwn = person === own;
  return (
    <li>
      <strong>{name}</strong> · {email}
      {member.is_captain && ` · ${t`captain`}`} ·{" "}
      <Trans>
        since <Moment at={member.since} />
      </Trans>
      <div className={parts.actions}>
        {isCaptain && !isOwn && (
          <>
            <Confirmed
              label={<Trans>Make captain</Trans>}
              asks={<Trans>{name} becomes the captain, and you stay a member.</Trans>}
              act={() => post("/v1/team/captain", {}, { person_id: person })}
            />
            <Confirmed
              label={<Trans context="member">Remove</Trans>}
              asks={<Trans>{name} loses access to the team.</Trans>}
              act={() => removal(person)}
            />
          </>
        )}
        {isOwn && !member.is_captain && (
          <Confirmed
            label={<Trans>Leave the team</Trans>}
            asks={<Trans>You lose access to the team; the captain can invite you again.</Trans>}
            act={() => removal(person)}
            done={() => queryClient.resetQueries()}
          />
        )}
      </div>
    </li>
  );
}

function removal(person: string) {
  return post("/v1/team/members/{person_id}/remove", { person_id: person });
}

const INVITATIONS = get("/v1/team/invitations", {}, EVERY.idle);

function Invite() {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ note: "", email: "" });
  const { note, email } = draft;
  const inviting = useAction(() => post("/v1/team/invitations", {}, { note, ...(email && { email }) }), renewed, {
    gcTime: 0,
  });
  const code = inviting.data?.code;
  if (code) {
    return (
      <ShownOnce
        says={t`The invitation's code. It is shown only once: send it to the person you invite.`}
        secret={code}
        what={t`the code`}
        forget={() => inviting.reset()}
      />
    );
  }
  return (
    <Form of={inviting} primary send={t`Invite a member`}>
      <Field label={t`For whom (a note for the team)`} maxLength={200} {...bind("note")} />
      <Field
        label={t`E-mail that the code is sent to, once (not required)`}
        type="email"
        maxLength={250}
        {...bind("email")}
      />
    </Form>
  );
}

function InvitationLine({ invitation, isCaptain }: { invitation: Schemas["InvitationBody"]; isCaptain: boolean }) {
  const { t } = useLingui();
  const now = useNow();
  const { accepted_by: accepted, revoked_at: revoked, expires_at: ends, invitation_id: id } = invitation;
  const called = invitation.note || id;
  const isOver = Date.parse(ends) <= now;
  return (
    <li>
      <strong>{called}</strong> ·{" "}
      {accepted ? (
        t`was accepted`
      ) : revoked ? (
        t`taken back`
      ) : isOver ? (
        t`ran out`
      ) : (
        <>
          <Trans>
            open until <Moment at={ends} />
          </Trans>
          {isCaptain && (
            <div className={parts.actions}>
              <Confirmed
                label={<Trans>Take back</Trans>}
                asks={<Trans>The code of the invitation {called} stops working.</Trans>}
                act={() => post("/v1/team/invitations/{invitation_id}/revoke", { invitation_id: id })}
              />
            </div>
          )}
        </>
      )}
    </li>
  );
}

const TOKENS = get("/v1/team/tokens", {}, EVERY.idle);

/** Page of the tokens of the team's programs. */
export function Tokens() {
  const { t } = useLingui();
  return (
    <Cabinet title={t`Tokens`}>
      {() => (
        <>
          <p>
            <Trans>
              A program signs in with a token of its team. Anybody who has the token can answer for you: keep it secret.
            </Trans>
          </p>
          <Own />
        </>
      )}
    </Cabinet>
  );
}

function Own() {
  return (
    <TokenList
      of={useQuery(TOKENS)}
      issue={(body) => post("/v1/team/tokens", {}, body)}
      revoke={(token_id) => post("/v1/team/tokens/{token_id}/revoke", { token_id })}
    />
  );
}

interface TokenListProps {
  of: UseQueryResult<Schemas["TokensBody"], unknown>;
  issue: (body: Schemas["TokenRequest"]) => Promise<Schemas["NewTokenBody"] | undefined>;
  revoke: (tokenId: string) => Promise<unknown>;
}

/** Tokens of a team's programs, with a form for a new one; used in the cabinet and on a team's page at the desk. */
export function TokenList({ of, issue, revoke }: TokenListProps) {
  const { t } = useLingui();
  const renewed = () => of.refetch();
  const now = useNow();
  const ends = (token: Schemas["TokenBody"]) => token.expires_at !== null && Date.parse(token.expires_at) <= now;
  const nameOf = (token: Schemas["TokenBody"]) => token.name || token.token_id;
  return (
    <>
      <Issue issue={issue} renewed={renewed} />
      <Answered of={of}>
        {(data) => (
          <Table
            label={t`Table of tokens`}
            rows={data.tokens}
            empty={t`No tokens yet. Create the first one above.`}
            rowKey={(token) => token.token_id}
            columns={[
              { header: t`Name`, cell: nameOf },
              {
                cell: (token) => {
                  const called = nameOf(token);
                  return (
                    !token.revoked_at &&
                    !ends(token) && (
                      <Confirmed
                        label={t`Revoke`}
                        asks={t`Programs with the token ${called} are refused within a minute. It cannot be undone.`}
                        act={() => revoke(token.token_id)}
                      />
                    )
                  );
                },
              },
              { header: t`Created`, cell: (token) => <Moment at={token.created_at} /> },
              { header: t`Last use`, cell: (token) => (token.used_at ? <Moment at={token.used_at} /> : t`never`) },
              {
                header: t`End`,
                cell: (token) =>
                  token.revoked_at ? (
                    <Trans>
                      revoked <Moment at={token.revoked_at} />
                    </Trans>
                  ) : token.expires_at ? (
                    <Moment at={token.expires_at} />
                  ) : (
                    t`none`
                  ),
              },
            ]}
          />
        )}
      </Answered>
    </>
  );
}

/** Form for a new token, which is held only in this page's memory. */
function Issue({ issue, renewed }: Pick<TokenListProps, "issue"> & { renewed: () => unknown }) {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ name: "", until: "" });
  const { name, until } = draft;
  // A cached mutation result would hold the token longer than the page shows it.
  const issuing = useAction(
    () => issue({ name, ...(until && { expires_at: new Date(`${until}T23:59:59`).toISOString() }) }),
    renewed,
    { gcTime: 0 },
  );
  const token = issuing.data?.token;
  if (token) {
    return (
      <ShownOnce
        says={t`The new token. It is shown only once: copy it now.`}
        secret={token}
        what={t`the token`}
        forget={() => issuing.reset()}
      />
    );
  }
  return (
    <Form of={issuing} primary send={t`Create a token`}>
      <Field label={t`Name, to recognize the token`} maxLength={200} {...bind("name")} />
      <Field label={t`Last day (without one it has no end)`} type="date" {...bind("until")} />
    </Form>
  );
}
