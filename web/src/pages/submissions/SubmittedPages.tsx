import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api } from "@/api/client";
import { renewed } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";
import { Tabs } from "@/ui/controls";
import { Reasoned } from "@/ui/forms";
import parts from "@/ui/parts.module.css";
import { LogOf } from "./LogOf";
import { DeclarationOf } from "./Prize";
import { useSubmission } from "./questions";
import { ReportOf } from "./ReportOf";
import { Course } from "./State";
import type { Submission } from "./words";

/**
 * How far a team's submission is, and what may be done about it.
 *
 * Clause: TS F-4, TS F-5, TS F-8
 */
export function CoursePage() {
  const { t } = useLingui();
  const { submissionId } = useParams({ from: "/desk/submitted/$submissionId" });
  return (
    <OfSubmission title={t`Submission ${submissionId}`} submissionId={submissionId}>
      {(of) => (
        <>
          {of.failed_at && (
            <p>
              <Trans>
                Its job lies among the <Link to="/desk/operations">dead letters</Link>, from where it is sent again.
              </Trans>
            </p>
          )}
          <Rerun of={of} />
          <Course of={of} />
          <Declaration of={of} />
        </>
      )}
    </OfSubmission>
  );
}

export function ReportPage() {
  const { t } = useLingui();
  const { submissionId } = useParams({ from: "/desk/submitted/$submissionId/report" });
  return (
    <OfSubmission title={t`Report of submission ${submissionId}`} submissionId={submissionId}>
      {(of) => <ReportOf of={of} />}
    </OfSubmission>
  );
}

export function LogPage() {
  const { t } = useLingui();
  const { submissionId } = useParams({ from: "/desk/submitted/$submissionId/log" });
  return (
    <OfSubmission title={t`Log of submission ${submissionId}`} submissionId={submissionId}>
      {(of) => <LogOf of={of} />}
    </OfSubmission>
  );
}

interface OfSubmissionProps {
  title: string;
  submissionId: string;
  children: (of: Submission) => ReactNode;
}

function OfSubmission({ title, submissionId, children }: OfSubmissionProps) {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const params = { submissionId };
  return (
    <AskedPage title={title} of={useSubmission(submissionId)}>
      {(of) => (
        <>
          <p>
            <Link to="/desk/submitted" search={{ team: of.team_id }}>
              {nameOf(of.team_id)}
            </Link>
          </p>
          <Tabs label={t`Submission`}>
            <Link to="/desk/submitted/$submissionId" params={params} activeOptions={{ exact: true }}>
              <Trans>Course</Trans>
            </Link>
            <Link to="/desk/submitted/$submissionId/report" params={params}>
              <Trans>Report</Trans>
            </Link>
            <Link to="/desk/submitted/$submissionId/log" params={params}>
              <Trans>Log</Trans>
            </Link>
          </Tabs>
          {children(of)}
        </>
      )}
    </AskedPage>
  );
}

function Rerun({ of }: { of: Submission }) {
  const organizes = useMay("organize");
  if (of.cause !== "platform") return null;
  return (
    <div className={parts.actions}>
      {organizes ? (
        <Reasoned
          primary
          label={<Trans>Run it again</Trans>}
          asks={
            <Trans>
              The program is run again, under another name. It costs the team nothing and counts for the day on which it
              was handed in.
            </Trans>
          }
          act={(reason) => {
            const params = { path: { submission_id: of.submission_id } };
            return api.POST("/v1/conduct/submissions/{submission_id}/rerun", { params, body: { reason } });
          }}
          done={renewed}
        />
      ) : (
        <p>
          <Trans>The organizers can have it run again.</Trans>
        </p>
      )}
    </div>
  );
}

function Declaration({ of }: { of: Submission }) {
  const verifies = useMay("verify_results");
  if (of.kind !== "program") return null;
  const decide = (confirmed: boolean) => (reason: string) => {
    const params = { path: { submission_id: of.submission_id } };
    return api.POST("/v1/conduct/submissions/{submission_id}/declaration", { params, body: { confirmed, reason } });
  };
  return (
    <section aria-labelledby="declared-title">
      <h2 id="declared-title">
        <Trans>Declaration of the model</Trans>
      </h2>
      {of.declaration ? (
        <>
          <p role="status">
            <DeclarationOf of={of.declaration} />
          </p>
          {verifies && (
            <div className={parts.actions}>
              <Reasoned
                label={<Trans>Confirm</Trans>}
                asks={<Trans>The model takes part in the prizes of those that solve several tasks.</Trans>}
                act={decide(true)}
                done={renewed}
              />
              <Reasoned
                label={<Trans>Refuse</Trans>}
                asks={<Trans>The model takes no part in the prizes of those that solve several tasks.</Trans>}
                act={decide(false)}
                done={renewed}
              />
            </div>
          )}
        </>
      ) : (
        <p>
          <Trans>The team has declared nothing of this model: it takes no part in the prizes of several tasks.</Trans>
        </p>
      )}
    </section>
  );
}
