import { Trans } from "@lingui/react/macro";
import { api } from "@/api/client";
import { queryClient } from "@/api/queries";
import { Reasoned } from "@/ui/forms";

/** The captain takes the team out of the contest, with the reason that is kept. */
export function Withdrawal() {
  return (
    <section aria-labelledby="withdrawal-title">
      <h2 id="withdrawal-title">
        <Trans>Leaving the contest</Trans>
      </h2>
      <p>
        <Trans>The team's programs are refused within a minute. The organizers can take it back.</Trans>
      </p>
      <Reasoned
        label={<Trans>Withdraw the team</Trans>}
        asks={<Trans>Withdraw the team from the contest?</Trans>}
        act={(reason) => api.POST("/v1/team/withdraw", { body: { reason } })}
        done={() => queryClient.invalidateQueries()}
      />
    </section>
  );
}
