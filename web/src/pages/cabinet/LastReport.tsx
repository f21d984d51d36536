import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Answered } from "@/ui/Answered";
import { Conclusion, InTheMaking } from "./Conclusion";
import { isReport, useReport } from "./reportData";

/** The conclusion of the newest session that has ended. */
export function LastReport({ sessionId }: { sessionId: string }) {
  const report = useReport(sessionId);
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
      <Answered of={report}>
        {(told) => (isReport(told) ? <Conclusion report={told} /> : <InTheMaking scoring={told} />)}
      </Answered>
    </section>
  );
}
