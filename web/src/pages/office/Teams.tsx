import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ChangeEvent, ReactNode } from "react";
import { api, EVERY, get, post, readFile, renewed, type Schemas } from "@/api/client";
import { SelectionFact, TokenList } from "@/pages/cabinet/Team";
import { STATUSES } from "@/pages/public/team";
import type { Cited } from "@/ui/contest";
import { PageLink, ShownOnce } from "@/ui/controls";
import {
  Check,
  Done,
  Downloads,
  Field,
  FilterBar,
  FilterChoice,
  Form,
  Reasoned,
  useAction,
  useDraft,
  useFilter,
} from "@/ui/forms";
import { AskedPage, Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";

type TeamRow = Schemas["TeamRow"];
type Status = TeamRow["status"];

const ALL = get("/v1/teams", {}, EVERY.idle);
/** Order of statuses in the list: teams that wait for a decision stand first. */
const ORDER: readonly Status[] = ["applied", "approved", "suspended", "rejected", "withdrawn", "disqualified"];

/** List all teams with their states; new ones are entered by hand or from a table. */
export function Teams() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/teams" });
  const { status } = search;
  const filter = useFilter(search);
  return (
    <AskedPage title={t`Teams`} asks={ALL}>
      {({ teams }) => {
        const waiting = teams.filter((team) => team.status === "applied").length;
        const visible = teams
          .filter((team) => !status || team.status === status)
          .toSorted(
            (a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || a.created_at.localeCompare(b.created_at),
          );
        return (
          <>
            <p role="status" className={waiting === 0 ? parts.good : undefined}>
              {waiting === 0 ? (
                t`✓ No application waits for a decision.`
              ) : (
                <Plural
                  value={waiting}
                  one="# application waits for a decision."
                  other="# applications wait for a decision."
                />
              )}
            </p>
            <FilterBar>
              <FilterChoice
                label={<Trans>State</Trans>}
                data-filter
                {...filter("status")}
                options={ORDER}
                named={(status) => STATUSES[status as Status]}
              />
            </FilterBar>
            <TeamTable teams={visible} />
            <Downloads title={t`Export all teams`} name="teams" of={[["CSV", () => readFile("/v1/teams.csv", {})]]} />
            <PageSection id="entering-title" title={<Trans>Add teams without an application</Trans>}>
              <One />
              <TeamsFile />
            </PageSection>
          </>
        );
      }}
    </AskedPage>
  );
}

function TeamTable({ teams }: { teams: readonly TeamRow[] }) {
  const { i18n, t } = useLingui();
  return (
    <Table
      label={t`Table of teams`}
      empty={t`No teams with this status. Teams apply by themselves, or you enter them below.`}
      rows={teams}
      rowKey={(row) => row.team_id}
      columns={[
        {
          header: <Trans>Team</Trans>,
          cell: (row) => (
            <>
              <PageLink to="/desk/teams/$teamId" id={row.team_id}>
                {row.name}
              </PageLink>{" "}
              <code>{row.team_id}</code>
            </>
          ),
        },
        {
          header: <Trans>State</Trans>,
          cell: (row) => (
            <>
              {i18n._(STATUSES[row.status])}
              {row.baseline && ` · ${t`baseline`}`}
              {row.selection && ` · ${row.selection.passed ? t`selected` : t`not selected`}`}
            </>
          ),
        },
        { header: <Trans>Reason</Trans>, cell: (row) => row.reason || "—", className: parts.prose },
        { header: <Trans>Since</Trans>, cell: (row) => <Moment at={row.created_at} /> },
      ]}
    />
  );
}

/** Form for one team that has not applied. */
function One() {
  const { t } = useLingui();
  const { draft, bind, change } = useDraft({ name: "", team_id: "" });
  const adding = useAction(
    () => post("/v1/teams", {}, draft),
    () => {
      change({ name: "", team_id: "" });
      return renewed();
    },
  );
  const hint = t`Short name: small Latin letters, digits and hyphens`;
  return (
    <Form of={adding} primary send={t`Add the team`}>
      <Field label={t`Name of the team`} required maxLength={200} {...bind("name")} />
      <Field label={hint} required maxLength={40} {...bind("team_id")} />
    </Form>
  );
}

/** Choice of a table of teams, which are entered all or none. */
function TeamsFile() {
  const bringing = useAction(async (file: File) => {
    const body = await file.text();
    const headers = { "content-type": "text/csv" };
    return (await api.POST("/v1/teams.csv", { body, headers, bodySerializer: (text) => text })).data;
  }, renewed);
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.currentTarget.files?.[0];
    // The same file, mended, may be chosen again.
    event.currentTarget.value = "";
    if (file) bringing.mutate(file);
  };
  return (
    <>
      {bringing.problem}
      <label className={parts.field}>
        <Trans>A table (CSV in UTF-8 with the columns team_id and name): all rows are entered, or none</Trans>
        <input type="file" accept=".csv,text/csv" disabled={bringing.isPending} onChange={choose} />
      </label>
      {bringing.data && (
        <Done>
          <Plural value={bringing.data.added.length} one="✓ # team was entered." other="✓ # teams were entered." />
        </Done>
      )}
    </>
  );
}

type Team = Schemas["TeamBody"];

/** Show a team to organizers: its application, the decisions about it, its people and its programs. */
export function TeamPage() {
  const { t } = useLingui();
  const { teamId } = useParams({ from: "/desk/teams/$teamId" });
  return (
    <AskedPage title={t`Team ${teamId}`} asks={get("/v1/teams/{team_id}", { team_id: teamId }, EVERY.idle)}>
      {(team) => (
        <>
          <State team={team} />
          <TeamDecisions team={team} />
          <Application application={team.application} version={team.rules_version} />
          <Members members={team.members} />
          <Invite teamId={teamId} />
          <Tokens teamId={teamId} />
        </>
      )}
    </AskedPage>
  );
}

function State({ team }: { team: Team }) {
  const { i18n, t } = useLingui();
  const teamId = team.team_id;
  return (
    <dl className={parts.facts}>
      <Fact name={t`Name`}>{team.name}</Fact>
      <Fact name={t`State`}>
        <strong>{i18n._(STATUSES[team.status])}</strong>
        {team.reason && `: ${team.reason}`}
      </Fact>
      {team.banned_until && <Fact name={t`Excluded until`} at={team.banned_until} />}
      <SelectionFact selection={team.selection} />
      <Fact name={t`On boards`}>{team.baseline ? t`a baseline, without a place` : t`takes a place`}</Fact>
      <Fact name={t`Next cycle`}>{team.agrees ? t`may have the team's data` : t`gets nothing of the team`}</Fact>
      <Fact name={t`Since`} at={team.created_at} />
      <Fact name={t`Sessions`}>
        <Link to="/desk/teams/$teamId/sessions" params={{ teamId }}>
          {t`All sessions with their reports`}
        </Link>
      </Fact>
    </dl>
  );
}

function Application({ application, version }: { application: Team["application"]; version: number | null }) {
  const { t } = useLingui();
  return (
    <PageSection id="application-title" title={t`Application`}>
      {application ? (
        <dl className={parts.facts}>
          <Fact name={t`Sent`} at={application.submitted_at} />
          <Fact name={t`Organization`}>{application.organization || "—"}</Fact>
          <Fact name={t`Contact`}>{application.contact}</Fact>
          <Fact name={t`Accepted regulation`}>
            {version === null ? (
              "—"
            ) : (
              <Link to="/knowledge/$name" params={{ name: "rules" }} search={{ version: String(version) }}>
                <Trans>version {version}</Trans>
              </Link>
            )}
          </Fact>
          <Fact name={t`About the team`}>{application.about || "—"}</Fact>
        </dl>
      ) : (
        <p>{t`The team was entered by the organizers.`}</p>
      )}
    </PageSection>
  );
}

function Members({ members }: { members: Team["members"] }) {
  const { t } = useLingui();
  return (
    <PageSection id="members-title" title={t`Members`}>
      {members.length === 0 && <p>{t`None yet. Invite a captain below.`}</p>}
      <ul>
        {members.map((person) => (
          <li key={person.person_id}>
            <strong>{person.name}</strong> · {person.email}
            {person.is_captain && ` · ${t`captain`}`}
            {person.dismissed_at && (
              <>
                {" · "}
                <Trans>
                  left <Moment at={person.dismissed_at} />
                </Trans>
              </>
            )}
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function Invite({ teamId }: { teamId: string }) {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ note: "", as_captain: false });
  // The query cache would keep the code longer than the page shows it.
  const inviting = useAction(() => post("/v1/teams/{team_id}/invitations", { team_id: teamId }, draft), undefined, {
    gcTime: 0,
  });
  const code = inviting.data?.code;
  return (
    <PageSection id="invite-title" title={t`Invite to the team`}>
      {code ? (
        <ShownOnce
          says={t`The invitation's code. It is shown only once and lasts a week: send it to the person you invite.`}
          secret={code}
          what={t`the code`}
          forget={() => inviting.reset()}
        />
      ) : (
        <Form of={inviting} send={t`Make an invitation`}>
          <Field label={t`For whom (a note for the team)`} maxLength={200} {...bind("note")} />
          <p>
            <Check label={t`as the team's captain`} {...bind("as_captain")} />
          </p>
        </Form>
      )}
    </PageSection>
  );
}

function Tokens({ teamId }: { teamId: string }) {
  const path = { team_id: teamId };
  return (
    <PageSection id="tokens-title" title={<Trans>Tokens of the team's programs</Trans>}>
      <TokenList
        of={useQuery(get("/v1/teams/{team_id}/tokens", path, EVERY.idle))}
        issue={(body) => post("/v1/teams/{team_id}/tokens", path, body)}
        revoke={(token_id) => post("/v1/teams/{team_id}/tokens/{token_id}/revoke", { ...path, token_id })}
      />
    </PageSection>
  );
}

type Decision = NonNullable<Schemas["DecisionRequest"]["status"]>;

/** The organizers' decisions about a team, each with its reason; every one can be taken back. */
function TeamDecisions({ team }: { team: Schemas["TeamBody"] }) {
  const { t } = useLingui();
  const { name, status, team_id, selection, baseline } = team;
  const decide = (body: Schemas["DecisionRequest"]) => post("/v1/teams/{team_id}/decision", { team_id }, body);
  const words: Record<Decision, { label: ReactNode; asks: ReactNode; clause?: Cited }> = {
    approved:
      status === "applied"
        ? { label: <Trans>Approve</Trans>, asks: <Trans>Approve {name}? Its members may make tokens then.</Trans> }
        : {
            label: <Trans>Approve again</Trans>,
            asks: <Trans>Take back the decision on {name}? Its programs are admitted within a minute.</Trans>,
          },
    rejected: {
      label: <Trans>Reject</Trans>,
      asks: <Trans>Reject the application of {name}? The team may correct it and apply again.</Trans>,
    },
    suspended: {
      label: <Trans>Suspend</Trans>,
      asks: <Trans>Suspend {name}? Its programs are refused within a minute, until it is approved again.</Trans>,
    },
    withdrawn: {
      label: <Trans>Withdraw</Trans>,
      asks: <Trans>Withdraw {name} from the contest? Its programs are refused within a minute.</Trans>,
    },
    disqualified: {
      label: <Trans>Disqualify</Trans>,
      asks: <Trans>Disqualify {name}? Its programs are refused within a minute.</Trans>,
      clause: "R 11.7",
    },
  };
  const decisions = Object.keys(words).filter((status) => team.may_become.includes(status as Decision)) as Decision[];
  return (
    <div className={parts.actions}>
      {decisions.map((decision, at) => (
        <Reasoned
          key={decision}
          primary={at === 0 && decision === "approved"}
          {...words[decision]}
          act={(reason) => decide({ status: decision, reason })}
        />
      ))}
      {(selection?.passed ? [false] : selection ? [true] : [true, false]).map((passed) => (
        <Reasoned
          key={String(passed)}
          label={passed ? <Trans>Pass the selection</Trans> : <Trans>Do not pass the selection</Trans>}
          asks={
            passed ? (
              t`Does ${name} pass the selection? It may open sessions and join finals then.`
            ) : (
              <Trans>
                {name} does not pass the selection? Where the cycle selects teams by decision, it opens no session and
                leaves the boards.
              </Trans>
            )
          }
          act={(reason) => decide({ passed, reason })}
        />
      ))}
      <Reasoned
        label={baseline ? <Trans>Give places again</Trans> : <Trans>Make it a baseline</Trans>}
        asks={
          baseline
            ? t`${name} takes places on boards again?`
            : t`${name} stands on boards for comparison only, marked and without a place?`
        }
        act={(reason) => decide({ baseline: !baseline, reason })}
      />
    </div>
  );
}
