import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import parts from "@/ui/parts.module.css";

/** The parts of the settlement's room. */
export function SettlementTabs() {
  const { t } = useLingui();
  return (
    <nav aria-label={t`Settlement`} className={parts.tabs}>
      <ul>
        <li>
          <Link to="/desk/settlement" activeOptions={{ exact: true }}>
            <Trans>Finals and boards</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/settlement/rescorings">
            <Trans>Rescorings</Trans>
          </Link>
        </li>
        <li>
          <Link to="/desk/settlement/annulments">
            <Trans>Annulments</Trans>
          </Link>
        </li>
      </ul>
    </nav>
  );
}
