import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api } from "@/api/client";
import { queryClient } from "@/api/queries";
import { Button } from "@/ui/Button";
import { Problem } from "@/ui/Problem";
import styles from "./cabinet.module.css";

/** The captain takes the team out of the contest, with the reason that is kept. */
export function Withdrawal() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const leaving = useMutation({
    mutationFn: () => api.POST("/v1/team/withdraw", { body: { reason } }),
    onSuccess: async () => {
      dialog.current?.close();
      await queryClient.invalidateQueries();
    },
  });
  return (
    <section aria-labelledby="withdrawal-title">
      <h2 id="withdrawal-title">
        <Trans>Leaving the contest</Trans>
      </h2>
      <p>
        <Trans>The team's programs are refused within a minute. The organizers can take it back.</Trans>
      </p>
      <Button onPress={() => dialog.current?.showModal()}>
        <Trans>Withdraw the team</Trans>
      </Button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby="withdraw-question">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            leaving.mutate();
          }}
        >
          <h3 id="withdraw-question">
            <Trans>Withdraw the team from the contest?</Trans>
          </h3>
          {leaving.error && <Problem error={leaving.error} />}
          <label className={styles.field}>
            <Trans>Why (it is kept with the team)</Trans>
            <textarea
              required
              maxLength={2000}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          </label>
          <div className={styles.actions}>
            <Button primary type="submit" isDisabled={leaving.isPending}>
              <Trans>Withdraw</Trans>
            </Button>
            <Button onPress={() => dialog.current?.close()}>
              <Trans>Cancel</Trans>
            </Button>
          </div>
        </form>
      </dialog>
    </section>
  );
}
