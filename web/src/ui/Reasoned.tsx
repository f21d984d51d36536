import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useRef, useState } from "react";
import { Button } from "./Button";
import { type Cited, Clause, useCited } from "./Clause";
import { Problem } from "./Problem";
import parts from "./parts.module.css";
import { ReasonField } from "./ReasonField";

interface ReasonedProps {
  label: ReactNode;
  /** What will happen, before it does. */
  asks: ReactNode;
  /** The clause by which it is decided. */
  clause?: Cited | undefined;
  act: (reason: string) => Promise<unknown>;
  done: () => unknown;
  primary?: boolean;
  /** What else is chosen with it. */
  children?: ReactNode;
}

/** A decision that is kept with its reason: what it does is said first, and it is refused in the place where it was made. */
export function Reasoned({ label, asks, clause, act, done, primary = false, children }: ReasonedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const cited = useId();
  const by = useCited(clause);
  const [reason, setReason] = useState("");
  const acting = useMutation({
    mutationFn: () => act(reason.trim()),
    onSuccess: async () => {
      dialog.current?.close();
      setReason("");
      await done();
    },
  });
  return (
    <>
      <Button primary={primary} onPress={() => dialog.current?.showModal()}>
        {label}
      </Button>
      <dialog
        ref={dialog}
        className={parts.dialog}
        aria-labelledby={title}
        aria-describedby={by && cited}
        onClose={() => acting.reset()}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            acting.mutate();
          }}
        >
          <p id={title}>{asks}</p>
          {by && <Clause of={by} id={cited} />}
          {acting.error && <Problem error={acting.error} />}
          {children}
          <ReasonField label={<Trans>Reason (it is kept)</Trans>} value={reason} change={setReason} />
          <div className={parts.actions}>
            <Button primary type="submit" isDisabled={acting.isPending || reason.trim() === ""}>
              {label}
            </Button>
            <Button onPress={() => dialog.current?.close()}>
              <Trans>Cancel</Trans>
            </Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
