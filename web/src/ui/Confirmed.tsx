import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useRef } from "react";
import { Button } from "./Button";
import { Problem } from "./Problem";
import parts from "./parts.module.css";

interface ConfirmedProps {
  label: ReactNode;
  /** What will happen, before it does. */
  asks: ReactNode;
  act: () => Promise<unknown>;
  done: () => unknown;
}

/** A button whose effect is said before it is had. */
export function Confirmed({ label, asks, act, done }: ConfirmedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const acting = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      dialog.current?.close();
      await done();
    },
  });
  return (
    <>
      <Button onPress={() => dialog.current?.showModal()}>{label}</Button>
      <dialog ref={dialog} className={parts.dialog} aria-labelledby={title} onClose={() => acting.reset()}>
        <p id={title}>{asks}</p>
        {acting.error && <Problem error={acting.error} />}
        <div className={parts.actions}>
          <Button primary isDisabled={acting.isPending} onPress={() => acting.mutate()}>
            {label}
          </Button>
          <Button onPress={() => dialog.current?.close()}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </dialog>
    </>
  );
}
