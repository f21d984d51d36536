import { Trans } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";

/** Where an assignment is, in words. */
export function StateOf({ state }: { state: Schemas["AssignmentState"] }) {
  switch (state) {
    case "assigned":
      return <Trans>not opened yet</Trans>;
    case "opened":
      return <Trans>in work</Trans>;
    case "handed_in":
      return <Trans>handed in</Trans>;
    case "expired":
      return <Trans>the time ran out</Trans>;
    case "handed_back":
      return <Trans>given back</Trans>;
    case "reassigned":
      return <Trans>given to another expert</Trans>;
    case "released":
      return <Trans>taken back</Trans>;
  }
}
