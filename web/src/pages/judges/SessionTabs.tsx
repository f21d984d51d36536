import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import parts from "@/ui/parts.module.css";

/** One session's pages at the desk. */
export function SessionTabs({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  const params = { sessionId };
  return (
    <nav aria-label={t`Session`} className={parts.tabs}>
      <ul>
        <li>
          <Link to="/desk/sessions/$sessionId" params={params} activeOptions={{ exact: true }}>
            <Trans>Conclusion</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/sessions/$sessionId/report" params={params}>
            <Trans>Report</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/sessions/$sessionId/files" params={params} activeOptions={{ includeSearch: false }}>
            <Trans>Files and comparison</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/sessions/$sessionId/course" params={params}>
            <Trans>Course</Trans>
          </Link>
        </li>
      </ul>
    </nav>
  );
}
