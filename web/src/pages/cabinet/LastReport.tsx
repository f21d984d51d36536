import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Conclusion } from "./Conclusion";
import { ReportAnswer } from "./SessionPage";

/** The conclusion of the newest session that has ended. */
export function LastReport({ sessionId }: { sessionId: string }) {
  return (
    <section aria-labelledby="last-title">
      <h2 id="last-title">
        <Trans>Last report</Trans>
      </h2>
      <p>
        <Link to="/cabinet/sessions/$sessionId/report" params={{ sessionId }}>
          <Trans>Session {sessionId}</Trans>
        </Link>
      </p>
      <ReportAnswer sessionId={sessionId}>{(report) => <Conclusion report={report} />}</ReportAnswer>
    </section>
  );
}
