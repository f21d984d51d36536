import { Trans, useLingui } from "@lingui/react/macro";
import { get } from "@/api/client";
import { Hooks } from "@/pages/cabinet/Hooks";
import { AskedPage } from "@/ui/Page";

/** Webhooks of the organizers, shared by all of them. */
export function OfficeHooks() {
  const { t } = useLingui();
  return (
    <AskedPage title={t`Webhooks`} asks={get("/v1/hooks", {})}>
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
