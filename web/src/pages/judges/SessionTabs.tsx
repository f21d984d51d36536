import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Tabs } from "@/ui/controls";

/** One session's pages at the desk. */
export function SessionTabs({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  const params = { sessionId };
  return (
    <Tabs label={t`Session`}>
      <Link to="/desk/sessions/$sessionId" params={params} activeOptions={{ exact: true }}>
        <Trans>Conclusion</Trans>
      </Link>
      <Link to="/desk/sessions/$sessionId/report" params={params}>
        <Trans>Report</Trans>
      </Link>
      <Link to="/desk/sessions/$sessionId/files" params={params} activeOptions={{ includeSearch: false }}>
        <Trans>Files and comparison</Trans>
      </Link>
      <Link to="/desk/sessions/$sessionId/course" params={params}>
        <Trans>Course</Trans>
      </Link>
    </Tabs>
  );
}
