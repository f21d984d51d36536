import { Trans } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";

/** Where an assignment is, as its coordinator says it. */
export function StateWord({ of }: { of: Schemas["AssignmentState"] }) {
  switch (of) {
    case "assigned":
      return <Trans>not opened</Trans>;
    case "opened":
      return <Trans>at work</Trans>;
    case "handed_in":
      return <Trans>handed in</Trans>;
    case "expired":
      return <Trans>ran out</Trans>;
    case "handed_back":
      return <Trans>handed back</Trans>;
    case "reassigned":
      return <Trans>given to another</Trans>;
    case "released":
      return <Trans>taken back</Trans>;
  }
}
