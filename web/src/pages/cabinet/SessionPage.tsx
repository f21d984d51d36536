import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useBoards } from "@/ui/contest";
import { Tabs } from "@/ui/controls";
import { Answered } from "@/ui/Page";
import { Cabinet } from "./Cabinet";
import { InTheMaking } from "./Conclusion";
import { isReport, type ReportBody, useReport } from "./reportData";

/** A page of one session, with the way to its others. */
export function SessionPage({ title, sessionId, children }: { title: string; sessionId: string; children: ReactNode }) {
  return (
    <Cabinet title={title}>
      {() => (
        <>
          <SessionTabs sessionId={sessionId} />
          {children}
        </>
      )}
    </Cabinet>
  );
}

/** A session's report, or how far its making has come. */
export function ReportAnswer({
  sessionId,
  children,
}: {
  sessionId: string;
  children: (report: ReportBody) => ReactNode;
}) {
  const report = useReport(sessionId);
  // In what the contest tells its results is a part of what is read.
  const boards = useBoards();
  return (
    <Answered of={report}>
      {(told) =>
        isReport(told) ? <Answered of={boards}>{() => children(told)}</Answered> : <InTheMaking scoring={told} />
      }
    </Answered>
  );
}

/** One session's pages. */
function SessionTabs({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  const params = { sessionId };
  return (
    <Tabs label={t`Session`}>
      <Link to="/cabinet/sessions/$sessionId" params={params} activeOptions={{ exact: true }}>
        <Trans>Course</Trans>
      </Link>
      <Link to="/cabinet/sessions/$sessionId/report" params={params}>
        <Trans>Report</Trans>
      </Link>
      <Link to="/cabinet/sessions/$sessionId/files" params={params} activeOptions={{ includeSearch: false }}>
        <Trans>Files</Trans>
      </Link>
      <Link to="/cabinet/sessions/$sessionId/receipts" params={params}>
        <Trans>Receipts</Trans>
      </Link>
    </Tabs>
  );
}
