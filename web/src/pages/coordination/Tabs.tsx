import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import parts from "@/ui/parts.module.css";

/** What is given to experts, and who they are. */
export function RoomTabs() {
  const { t } = useLingui();
  return (
    <nav aria-label={t`Experts`} className={parts.tabs}>
      <ul>
        <li>
          <Link to="/desk/experts" activeOptions={{ exact: true }}>
            <Trans>Work given out</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/experts/people">
            <Trans>People</Trans>
          </Link>
        </li>
      </ul>
    </nav>
  );
}

/** One body of work's pages. */
export function MarkingTabs({ markingId }: { markingId: string }) {
  const { t } = useLingui();
  const params = { markingId };
  return (
    <nav aria-label={t`The work`} className={parts.tabs}>
      <ul>
        <li>
          <Link to="/desk/experts" activeOptions={{ exact: true }}>
            <Trans>All work</Trans>
          </Link>
        </li>
        <li>
          <Link
            to="/desk/experts/markings/$markingId"
            params={params}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            <Trans>Progress</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/experts/markings/$markingId/agreement" params={params}>
            <Trans>Agreement and speed</Trans>
          </Link>
        </li>
      </ul>
    </nav>
  );
}
