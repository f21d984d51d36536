import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Cabinet } from "@/pages/cabinet/Cabinet";
import { Tabs } from "@/ui/controls";
import { Answered } from "@/ui/Page";
import { LogOf } from "./LogOf";
import { Prize } from "./Prize";
import { useSubmission } from "./questions";
import { ReceiptOf } from "./ReceiptOf";
import { ReportOf } from "./ReportOf";
import { Course } from "./State";
import { Uploading } from "./Uploading";
import type { Submission } from "./words";

/** How far one of the team's submissions is. */
export function OwnCourse() {
  const { submissionId } = useParams({ from: "/cabinet/submissions/$submissionId" });
  const { t } = useLingui();
  return (
    <Framed title={t`Submission ${submissionId}`} submissionId={submissionId}>
      {(of) => (
        <>
          {of.state === "uploading" && <Uploading of={of} />}
          <Course of={of} />
          {of.kind === "program" && of.state === "scored" && <Prize of={of} />}
        </>
      )}
    </Framed>
  );
}

export function OwnReport() {
  const { submissionId } = useParams({ from: "/cabinet/submissions/$submissionId/report" });
  const { t } = useLingui();
  return (
    <Framed title={t`Report of submission ${submissionId}`} submissionId={submissionId}>
      {(of) => <ReportOf of={of} />}
    </Framed>
  );
}

export function OwnLog() {
  const { submissionId } = useParams({ from: "/cabinet/submissions/$submissionId/log" });
  const { t } = useLingui();
  return (
    <Framed title={t`Log of submission ${submissionId}`} submissionId={submissionId}>
      {(of) => <LogOf of={of} />}
    </Framed>
  );
}

export function OwnReceipt() {
  const { submissionId } = useParams({ from: "/cabinet/submissions/$submissionId/receipt" });
  const { t } = useLingui();
  return (
    <Framed title={t`Receipt of submission ${submissionId}`} submissionId={submissionId}>
      {(of) => <ReceiptOf of={of} />}
    </Framed>
  );
}

interface FramedProps {
  title: string;
  submissionId: string;
  children: (of: Submission) => ReactNode;
}

/** A page of one submission, with the way to its others. */
function Framed({ title, submissionId, children }: FramedProps) {
  return (
    <Cabinet title={title}>
      {() => (
        <>
          <OwnTabs submissionId={submissionId} />
          <One submissionId={submissionId}>{children}</One>
        </>
      )}
    </Cabinet>
  );
}

function One({ submissionId, children }: Omit<FramedProps, "title">) {
  return <Answered of={useSubmission(submissionId)}>{children}</Answered>;
}

function OwnTabs({ submissionId }: { submissionId: string }) {
  const { t } = useLingui();
  const params = { submissionId };
  return (
    <Tabs label={t`Submission`}>
      <Link to="/cabinet/submissions/$submissionId" params={params} activeOptions={{ exact: true }}>
        <Trans>Course</Trans>
      </Link>
      <Link to="/cabinet/submissions/$submissionId/report" params={params}>
        <Trans>Report</Trans>
      </Link>
      <Link to="/cabinet/submissions/$submissionId/log" params={params}>
        <Trans>Log</Trans>
      </Link>
      <Link to="/cabinet/submissions/$submissionId/receipt" params={params}>
        <Trans>Receipt</Trans>
      </Link>
    </Tabs>
  );
}
