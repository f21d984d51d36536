import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useSearch } from "@tanstack/react-router";
import { EVERY, get, post, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { standingWord } from "@/pages/cabinet/words";
import { PageLink } from "@/ui/controls";
import { Choice, FilterBar, Reasoned, useFilter } from "@/ui/forms";
import { AskedPage, Moment } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";

type Team = Schemas["TeamStandingBody"];
type Standing = Schemas["ClaimBody"]["standing"];

const STANDINGS: readonly Standing[] = [
  "awaits_judges",
  "awaits_commission",
  "verified",
  "rejected",
  "not_ready",
  "annulled",
];

/** Show the waiting conclusions by who decides next: judges, commission, then organizers, who admit (R 8.2). */
export function Conclusions() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/conclusions" });
  const mine = useWhatWaits();
  const standing = [...STANDINGS, "all" as const].find((standing) => standing === search.standing) ?? mine;
  const filter = useFilter({ standing });
  const query = standing === "all" ? {} : { standing };
  return (
    <AskedPage title={t`Conclusions`} asks={get("/v1/qualification", query, EVERY.idle)}>
      {({ teams }) => (
        <>
          <FilterBar>
            <Choice
              label={<Trans>State</Trans>}
              data-filter
              {...filter("standing")}
              options={["all", ...STANDINGS]}
              named={(standing) => (standing === "all" ? t`all` : standingWord(standing))}
            />
          </FilterBar>
          {teams.length > 0 ? (
            <Teams teams={teams} />
          ) : standing.startsWith("awaits_") ? (
            <p className={parts.good}>
              {t`✓ No conclusions wait. They appear here when a session with a positive report has ended.`}
            </p>
          ) : (
            <p>{t`No conclusions with this status.`}</p>
          )}
        </>
      )}
    </AskedPage>
  );
}

/** Return the standing that is shown by default: judges and commission have a queue each, organizers see all. */
function useWhatWaits(): Standing | "all" {
  const judges = useMay("confirm_conclusions");
  const verifies = useMay("verify_results");
  if (judges === verifies) return "all";
  return judges ? "awaits_judges" : "awaits_commission";
}

function Teams({ teams }: { teams: readonly Team[] }) {
  const { t } = useLingui();
  const decides = useMay("organize");
  return (
    <Table
      label={t`Table of conclusions`}
      rows={teams}
      rowKey={(team) => team.team_id}
      columns={[
        {
          header: t`Team`,
          cell: (team) => (
            <Link to="/desk/teams/$teamId/sessions" params={{ teamId: team.team_id }}>
              {team.name}
            </Link>
          ),
        },
        { header: t`Algorithmic`, cell: (team) => <Claim team={team} kind="algorithmic" /> },
        { header: t`Technical`, cell: (team) => <Claim team={team} kind="technical" /> },
        { header: t`Qualified`, cell: (team) => (team.qualified ? <span className={parts.good}>✓</span> : "—") },
        {
          header: t`Final`,
          cell: (team) => (
            <>
              <Admission team={team} />
              {decides && <Admitting team={team} />}
            </>
          ),
        },
      ]}
    />
  );
}

function Claim({ team, kind }: { team: Team; kind: Team["claims"][number]["kind"] }) {
  const { i18n } = useLingui();
  const claim = team.claims.find((claim) => claim.kind === kind);
  if (!claim) return "—";
  return (
    <PageLink to="/desk/sessions/$sessionId" id={claim.session_id}>
      {i18n._(standingWord(claim.standing))}
    </PageLink>
  );
}

function Admission({ team }: { team: Team }) {
  const { admission } = team;
  if (!admission) return <Trans>not decided</Trans>;
  const { reason } = admission;
  return (
    <>
      {admission.admitted ? <Trans>admitted</Trans> : <Trans>not admitted</Trans>}, <Moment at={admission.at} />
      <br />
      {reason}
    </>
  );
}

function Admitting({ team }: { team: Team }) {
  const { t } = useLingui();
  const { name } = team;
  const decide = (admitted: boolean) => (reason: string) =>
    post("/v1/teams/{team_id}/admission", { team_id: team.team_id }, { admitted, reason });
  return (
    <div className={parts.actions}>
      {team.admission?.admitted !== true && (
        <Reasoned
          label={<Trans>Admit to the final</Trans>}
          asks={
            team.qualified
              ? t`Admit ${name} to the final? Only admitted teams take part.`
              : t`${name} has not qualified: a verified conclusion of each kind is missing. Admit it all the same?`
          }
          clause="R 8.2.3"
          act={decide(true)}
        />
      )}
      {team.admission?.admitted !== false && (
        <Reasoned
          label={<Trans>Do not admit</Trans>}
          asks={<Trans>{name} does not take part in the final unless you decide otherwise.</Trans>}
          clause="R 8.2.3"
          act={decide(false)}
        />
      )}
    </div>
  );
}
