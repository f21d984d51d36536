import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Tabs } from "@/ui/controls";

/** The parts of the settlement's room. */
export function SettlementTabs() {
  const { t } = useLingui();
  return (
    <Tabs label={t`Settlement`}>
      <Link to="/desk/settlement" activeOptions={{ exact: true }}>
        <Trans>Finals and boards</Trans>
      </Link>
      <Link to="/desk/settlement/rescorings">
        <Trans>Rescorings</Trans>
      </Link>
      <Link to="/desk/settlement/annulments">
        <Trans>Annulments</Trans>
      </Link>
    </Tabs>
  );
}
