import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { post } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { useCycle } from "@/ui/contest";
import { PageLink, Tabs } from "@/ui/controls";
import { FilterBar, FilterChoice, FilterField, Reasoned, useFilter } from "@/ui/forms";
import { AskedPage, NextPage, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { DeclarationOf } from "./PrivateTest";
import { Course, LogOf, ReportOf, SubmissionTable } from "./Submission";
import {
  type Line,
  STATES,
  type State,
  type Submission,
  type SubmissionPageProps,
  submissionQuery,
  useSubmissions,
} from "./words";

type Search = { state?: string; team?: string };

/** The states that submissions are filtered by, in the order in which a submission comes to them. */
const STATES_FOR_ALL: readonly State[] = [
  "uploading",
  "checking",
  "queued",
  "running",
  "scoring",
  "scored",
  "refused",
  "failed",
];

/**
 * All teams' submissions, for organizers and the commission.
 *
 * Clause: TS T13, platform §8 organizers
 */
export function Submitted() {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const pages = useSubmissions("/v1/conduct/submissions");
  const search = useSearch({ from: "/desk/submitted" });
  const filter = useFilter(search);
  const cycle = useCycle();
  return (
    <AskedPage title={t`Submissions`} of={pages}>
      {({ pages: entries }) => {
        if (cycle?.submissions.length === 0)
          return <p>{t`This contest takes no submissions: its programs answer in sessions.`}</p>;
        const all = entries.flatMap((page) => page.submissions);
        const matching = all.filter((submission) => isWanted(submission, search, nameOf));
        return (
          <>
            {cycle?.submissions.includes("program") && (
              <p>
                <Link to="/desk/submitted/private">{t`Private test: runs, final boards, prizes`}</Link>
              </p>
            )}
            <FilterBar>
              <FilterChoice
                label={<Trans>State</Trans>}
                {...filter("state")}
                options={STATES_FOR_ALL}
                named={(state) => STATES[state as State]}
              />
              <FilterField data-filter label={<Trans>Team</Trans>} {...filter("team")} />
            </FilterBar>
            {matching.length === 0 ? (
              <p>
                {all.length === 0
                  ? t`No submissions yet. New ones appear here by themselves.`
                  : t`No matching submissions. Choose another state, or another team.`}
              </p>
            ) : (
              <SubmissionTable
                lines={matching}
                team={nameOf}
                link={(submissionId) => (
                  <PageLink to="/desk/submitted/$submissionId" id={submissionId}>
                    {submissionId}
                  </PageLink>
                )}
              />
            )}
            <NextPage nextPages={pages}>{t`Earlier submissions`}</NextPage>
          </>
        );
      }}
    </AskedPage>
  );
}

function isWanted(submission: Line, { state, team }: Search, nameOf: (team: string) => string): boolean {
  const query = team?.toLocaleLowerCase();
  const called = [submission.team_id, nameOf(submission.team_id)].map((name) => name.toLocaleLowerCase());
  return (
    (!STATES_FOR_ALL.some((name) => name === state) || submission.state === state) &&
    (!query || called.some((name) => name.includes(query)))
  );
}

/**
 * Progress of a team's submission, with the organizers' actions on it.
 *
 * Clause: TS F-4, TS F-5, TS F-8
 */
export function CoursePage() {
  const { t } = useLingui();
  return <OfSubmission title={(submissionId) => t`Submission ${submissionId}`} of={CourseOf} />;
}

function CourseOf({ submission }: { submission: Submission }) {
  return (
    <>
      {submission.failed_at && (
        <p>
          <Trans>
            Its job is among the <Link to="/desk/operations">dead letters</Link>, from where you can send it again.
          </Trans>
        </p>
      )}
      <Rerun submission={submission} />
      <Course submission={submission} />
      <Declaration submission={submission} />
    </>
  );
}

export function ReportPage() {
  const { t } = useLingui();
  return <OfSubmission title={(submissionId) => t`Report of submission ${submissionId}`} of={ReportOf} />;
}

export function LogPage() {
  const { t } = useLingui();
  return <OfSubmission title={(submissionId) => t`Log of submission ${submissionId}`} of={LogOf} />;
}

function OfSubmission({ title, of: Shown }: SubmissionPageProps) {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const { submissionId = "" } = useParams({ strict: false });
  return (
    <AskedPage title={title(submissionId)} asks={submissionQuery(submissionId)}>
      {(submission) => (
        <>
          <p>
            <Link to="/desk/submitted" search={{ team: submission.team_id }}>
              {nameOf(submission.team_id)}
            </Link>
          </p>
          <Tabs
            label={t`Submission`}
            params={{ submissionId }}
            of={[
              ["/desk/submitted/$submissionId", t`Course`],
              ["/desk/submitted/$submissionId/report", t`Report`],
              ["/desk/submitted/$submissionId/log", t`Log`],
            ]}
          />
          <Shown submission={submission} />
        </>
      )}
    </AskedPage>
  );
}

function Rerun({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  const organizes = useMay("organize");
  if (submission.cause !== "platform") return null;
  return (
    <div className={parts.actions}>
      {organizes ? (
        <Reasoned
          primary
          label={t`Run it again`}
          asks={
            <Trans>
              The program runs again under another name. It costs the team nothing and counts for the day on which it
              was handed in.
            </Trans>
          }
          act={(reason) => {
            const params = { submission_id: submission.submission_id };
            return post("/v1/conduct/submissions/{submission_id}/rerun", params, { reason });
          }}
        />
      ) : (
        <p>{t`The organizers can run it again.`}</p>
      )}
    </div>
  );
}

function Declaration({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  const verifies = useMay("verify_results");
  if (submission.kind !== "program") return null;
  const decide = (confirmed: boolean) => (reason: string) => {
    const params = { submission_id: submission.submission_id };
    return post("/v1/conduct/submissions/{submission_id}/declaration", params, { confirmed, reason });
  };
  return (
    <PageSection id="declared-title" title={t`Declaration of the model`}>
      {submission.declaration ? (
        <>
          <p role="status">
            <DeclarationOf declaration={submission.declaration} />
          </p>
          {verifies && (
            <div className={parts.actions}>
              <Reasoned
                label={t`Confirm`}
                asks={t`The model takes part in the prizes of those that solve several tasks.`}
                act={decide(true)}
              />
              <Reasoned
                label={t`Refuse`}
                asks={t`The model takes no part in the prizes of those that solve several tasks.`}
                act={decide(false)}
              />
            </div>
          )}
        </>
      ) : (
        <p>{t`The team has declared nothing of this model: it takes no part in the prizes of several tasks.`}</p>
      )}
    </PageSection>
  );
}
