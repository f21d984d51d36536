import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";
import { useCycle } from "@/ui/contest";
import { Button } from "@/ui/controls";
import parts from "@/ui/parts.module.css";
import { useEverybodys } from "./questions";
import { SubmissionTable } from "./SubmissionTable";
import { STATES_FOR_ALL, type SubmittedSearch } from "./searches";
import { type Line, STATES } from "./words";

/**
 * All teams' submissions, for organizers and the commission.
 *
 * Clause: TS T13, platform §8 organizers
 */
export function Submitted() {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const pages = useEverybodys();
  const search = useSearch({ from: "/desk/submitted" });
  const cycle = useCycle();
  return (
    <AskedPage title={t`Submissions`} of={pages}>
      {({ pages: told }) => {
        const all = told.flatMap((each) => each.submissions);
        const found = all.filter((each) => isWanted(each, search, nameOf));
        return (
          <>
            {cycle?.submissions.length === 0 && (
              <p>
                <Trans>This contest takes no submissions: its programs answer in sessions.</Trans>
              </p>
            )}
            {cycle?.submissions.includes("program") && (
              <p>
                <Link to="/desk/submitted/private">
                  <Trans>Private test: runs, final boards, prizes</Trans>
                </Link>
              </p>
            )}
            <Filters search={search} />
            {found.length === 0 ? (
              <p>
                {all.length === 0 ? (
                  <Trans>No team has submitted anything yet. What comes shows here by itself.</Trans>
                ) : (
                  <Trans>None is like that. Choose another state, or another team.</Trans>
                )}
              </p>
            ) : (
              <SubmissionTable
                of={found}
                team={nameOf}
                link={(submissionId) => (
                  <Link to="/desk/submitted/$submissionId" params={{ submissionId }}>
                    {submissionId}
                  </Link>
                )}
              />
            )}
            {pages.hasNextPage && (
              <Button isDisabled={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
                <Trans>Earlier submissions</Trans>
              </Button>
            )}
          </>
        );
      }}
    </AskedPage>
  );
}

function isWanted(each: Line, { state, team }: SubmittedSearch, nameOf: (team: string) => string): boolean {
  const wanted = team?.toLocaleLowerCase();
  const called = [each.team_id, nameOf(each.team_id)].map((name) => name.toLocaleLowerCase());
  return (!state || each.state === state) && (!wanted || called.some((name) => name.includes(wanted)));
}

function Filters({ search }: { search: SubmittedSearch }) {
  const { i18n } = useLingui();
  const navigate = useNavigate({ from: "/desk/submitted" });
  const change = (name: keyof SubmittedSearch, value: string) => {
    const { [name]: _, ...rest } = search;
    void navigate({ search: value ? { ...rest, [name]: value } : rest, replace: true, resetScroll: false });
  };
  return (
    <search className={parts.filters}>
      <label>
        <Trans>State</Trans>
        <select value={search.state ?? ""} onChange={(event) => change("state", event.currentTarget.value)}>
          <option value="">—</option>
          {STATES_FOR_ALL.map((each) => (
            <option key={each} value={each}>
              {i18n._(STATES[each])}
            </option>
          ))}
        </select>
      </label>
      <label>
        <Trans>Team</Trans>
        <input
          data-filter
          key={search.team ?? ""}
          defaultValue={search.team ?? ""}
          onBlur={(event) => change("team", event.currentTarget.value.trim())}
          onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        />
      </label>
    </search>
  );
}
