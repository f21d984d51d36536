import { type ReactNode, useEffect, useId, useRef } from "react";
import styles from "./annotator.module.css";

/** A modal sheet: the browser keeps the focus in it, Esc closes it, and the focus goes back to where it was. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
