import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { api } from "@/api/client";
import { renewed } from "@/api/queries";
import { causeWord } from "@/pages/cabinet/words";
import { Button } from "@/ui/controls";
import { ReasonField } from "@/ui/forms";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Consequences } from "./Consequences";
import styles from "./conduct.module.css";
import { Deed, Heading } from "./Deed";
import { CAUSES, type Cause, type Decision, type Kind } from "./data";
import { readNumbers } from "./fileNumbers";

/** A decision that somebody is about to make; files may still be named in the dialogue. */
export interface Asked {
  kind: Kind;
  /** As people write them. */
  numbers?: string;
  /** The files that everybody missed. */
  proposal?: boolean;
  team_id?: string;
  number?: number;
  cause?: Cause;
  amendment?: number;
}

/** The preview asks with this where no reason is written yet: the platform wants one, and writes nothing. */
const NO_REASON_YET = "—";

/** A decision about a run: first what it would change, by the platform, then the typed reason, then the deed. */
export function Decide({ runId, asked, close }: { runId: string; asked: Asked; close: () => void }) {
  const { i18n, t } = useLingui();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [said, setSaid] = useState(asked);
  const [reason, setReason] = useState("");
  const path = { params: { path: { run_id: runId } } };
  const previewing = useMutation({
    mutationFn: async (wish: Asked) => {
      const body = { ...bodyOf(wish), reason: NO_REASON_YET };
      return (await api.POST("/v1/conduct/runs/{run_id}/decisions/preview", { ...path, body })).data;
    },
  });
  const preview = previewing.data;
  const deciding = useMutation({
    mutationFn: () => {
      // The preview's version is the run's after the decision; decided is only about the run that was previewed.
      const version = preview ? preview.version - 1 : null;
      const body = { ...bodyOf(said), reason: reason.trim(), version };
      return api.POST("/v1/conduct/runs/{run_id}/decisions", { ...path, body });
    },
    onSuccess: async () => {
      dialog.current?.close();
      await renewed();
    },
  });
  const namesFiles = (asked.kind === "void" || asked.kind === "replace") && !asked.proposal;
  const first = useRef(() => {
    if (!namesFiles) previewing.mutate(said);
  });
  useEffect(() => {
    dialog.current?.showModal();
    first.current();
  }, []);
  const change = (more: Partial<Asked>) => {
    setSaid({ ...said, ...more });
    previewing.reset();
    deciding.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (preview) deciding.mutate();
    else previewing.mutate(said);
  };
  const readable = !namesFiles || readNumbers(said.numbers ?? "") !== null;
  return (
    <dialog ref={dialog} className={`${parts.dialog} ${styles.decide}`} aria-labelledby={title} onClose={close}>
      <form onSubmit={submit}>
        <h2 id={title}>
          <Heading of={said} />
        </h2>
        {namesFiles && (
          <label className={parts.field}>
            <Trans>Files (3, 5-7)</Trans>
            <input
              required
              value={said.numbers ?? ""}
              onChange={(event) => change({ numbers: event.currentTarget.value })}
              aria-invalid={said.numbers !== undefined && said.numbers !== "" && !readable}
            />
          </label>
        )}
        {asked.kind === "rule" && (
          <label className={parts.field}>
            <Trans>Cause</Trans>
            <select
              value={said.cause ?? ""}
              onChange={(event) => change({ cause: event.currentTarget.value as Cause })}
            >
              {CAUSES.map((cause) => (
                <option key={cause} value={cause}>
                  {i18n._(causeWord(cause))}
                </option>
              ))}
            </select>
          </label>
        )}
        {previewing.error && <Problem error={previewing.error} />}
        {previewing.isPending && (
          <p role="status">
            <Trans>The platform is computing what would change …</Trans>
          </p>
        )}
        {preview && (
          <section className={styles.preview} aria-label={t`What would change`} aria-live="polite">
            <Consequences of={preview} />
          </section>
        )}
        {preview && (
          <ReasonField
            label={<Trans>Reason (kept, and published with the decision)</Trans>}
            value={reason}
            change={setReason}
          />
        )}
        {deciding.error && <Problem error={deciding.error} />}
        <div className={parts.actions}>
          {preview ? (
            <Button primary type="submit" isDisabled={deciding.isPending || reason.trim() === ""}>
              <Deed of={said} teams={preview.teams.length} />
            </Button>
          ) : (
            <Button primary type="submit" isDisabled={previewing.isPending || !readable}>
              <Trans>Show what would change</Trans>
            </Button>
          )}
          <Button onPress={() => dialog.current?.close()}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </form>
    </dialog>
  );
}

function bodyOf({ numbers, proposal = false, ...rest }: Asked): Omit<Decision, "reason"> {
  const read = numbers === undefined ? null : readNumbers(numbers);
  return { ...rest, proposal, ...(read ? { numbers: read } : {}) };
}
