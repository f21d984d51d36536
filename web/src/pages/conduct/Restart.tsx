import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { api } from "@/api/client";
import { renewed } from "@/api/queries";
import { Button } from "@/ui/controls";
import { ReasonField } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { ownZone } from "@/ui/time";
import { Consequences } from "./Consequences";
import styles from "./conduct.module.css";
import { Notices } from "./Notices";

const NO_REASON_YET = "—";

/** The run is stopped and a new one planned on the reserve set: one decision, with one preview (R 7.16). */
export function Restart({ runId }: { runId: string }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const [start, setStart] = useState("");
  const [reason, setReason] = useState("");
  const zone = ownZone();
  const path = { params: { path: { run_id: runId } } };
  const body = (why: string) => ({ reason: why, starts_at: new Date(start).toISOString() });
  const previewing = useMutation({
    mutationFn: async () =>
      (await api.POST("/v1/conduct/runs/{run_id}/restart/preview", { ...path, body: body(NO_REASON_YET) })).data,
  });
  const preview = previewing.data;
  const restarting = useMutation({
    mutationFn: async () =>
      (await api.POST("/v1/conduct/runs/{run_id}/restart", { ...path, body: body(reason.trim()) })).data,
    onSuccess: async (made) => {
      dialog.current?.close();
      await renewed();
      if (made) await navigate({ to: "/desk/runs/$runId", params: { runId: made.run_id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (preview) restarting.mutate();
    else previewing.mutate();
  };
  return (
    <>
      <Button onPress={() => dialog.current?.showModal()}>
        <Trans>Restart…</Trans>
      </Button>
      <dialog ref={dialog} className={`${parts.dialog} ${styles.decide}`} aria-labelledby="restart-title">
        <form onSubmit={submit}>
          <h2 id="restart-title">
            <Trans>Restart on the reserve set?</Trans>
          </h2>
          <p>
            <Trans>
              This run is stopped and counts for nothing; a new one takes its place, on files nobody has seen.
            </Trans>
          </p>
          <label className={parts.field}>
            <Trans>First file opens (your time, {zone})</Trans>
            <input
              type="datetime-local"
              step={1}
              required
              value={start}
              onChange={(event) => {
                setStart(event.currentTarget.value);
                previewing.reset();
                restarting.reset();
              }}
            />
          </label>
          {previewing.error && <Problem error={previewing.error} />}
          {preview && (
            <section className={styles.preview} aria-label={t`What would change`} aria-live="polite">
              <p>
                <Trans>
                  A new run of {preview.files} files of the set {preview.set} would start{" "}
                  <Moment at={preview.starts_at} />.
                </Trans>
              </p>
              <Consequences of={preview.stop} />
              <Notices of={preview.notices} />
            </section>
          )}
          {preview && (
            <ReasonField
              label={<Trans>Reason (kept, and published with the decision)</Trans>}
              value={reason}
              change={setReason}
            />
          )}
          {restarting.error && <Problem error={restarting.error} />}
          <div className={parts.actions}>
            {preview ? (
              <Button primary type="submit" isDisabled={restarting.isPending || reason.trim() === ""}>
                <Trans>Stop this run and plan the new one</Trans>
              </Button>
            ) : (
              <Button primary type="submit" isDisabled={previewing.isPending || start === ""}>
                <Trans>Show what would change</Trans>
              </Button>
            )}
            <Button onPress={() => dialog.current?.close()}>
              <Trans>Cancel</Trans>
            </Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
