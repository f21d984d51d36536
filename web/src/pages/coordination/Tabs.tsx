import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Tabs } from "@/ui/controls";

/** What is given to experts, and who they are. */
export function RoomTabs() {
  const { t } = useLingui();
  return (
    <Tabs label={t`Experts`}>
      <Link to="/desk/experts" activeOptions={{ exact: true }}>
        <Trans>Work given out</Trans>
      </Link>
      <Link to="/desk/experts/people">
        <Trans>People</Trans>
      </Link>
    </Tabs>
  );
}

/** One body of work's pages. */
export function MarkingTabs({ markingId }: { markingId: string }) {
  const { t } = useLingui();
  const params = { markingId };
  return (
    <Tabs label={t`The work`}>
      <Link to="/desk/experts" activeOptions={{ exact: true }}>
        <Trans>All work</Trans>
      </Link>
      <Link
        to="/desk/experts/markings/$markingId"
        params={params}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        <Trans>Progress</Trans>
      </Link>
      <Link to="/desk/experts/markings/$markingId/agreement" params={params}>
        <Trans>Agreement and speed</Trans>
      </Link>
    </Tabs>
  );
}
