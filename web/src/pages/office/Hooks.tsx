import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/queries";
import { Hooks } from "@/pages/cabinet/Hooks";
import { AskedPage } from "@/shell/AskedPage";

/** Webhooks of the organizers, shared by all of them. */
export function OfficeHooks() {
  const { t } = useLingui();
  const hooks = useQuery(get("/v1/hooks", {}));
  return (
    <AskedPage title={t`Webhooks`} of={hooks}>
      {() => (
        <Hooks
          title={<Trans>Addresses</Trans>}
          command="contest hooks verify FILE"
          intro={
            <Trans>
              The platform sends signed JSON to these addresses when a team applies or asks, and when something is
              announced to everybody: schedules, results, answers. It holds nothing secret. All organizers share them.
            </Trans>
          }
          empty={<Trans>There are no webhooks yet: add an address below.</Trans>}
        />
      )}
    </AskedPage>
  );
}
