import { useLingui } from "@lingui/react/macro";
import type { ReactNode, Ref } from "react";
import { isPhone } from "./phone";
import styles from "./sheet.module.css";

interface SheetProps {
  /** The id of the heading within. */
  labelledBy: string;
  /** Puts what is told away; the focus must go to something that stays. */
  close: () => void;
  className?: string | undefined;
  /** The name of the annotator's zone that it is. */
  zone?: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

/**
 * What is told of one thing of a text: a part of the page where there is room; on a phone it lies over the page's lower
 * part, so that the thing and what is told of it are seen together. Not modal: the text above it stays in reach.
 */
export function Sheet({ labelledBy, close, className, zone, ref, children }: SheetProps) {
  const { t } = useLingui();
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-labelledby={labelledBy}
      data-zone={zone}
      data-sheet
      className={`${styles.sheet} ${className ?? ""}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isPhone()) return;
        event.stopPropagation();
        close();
      }}
    >
      <button type="button" className={styles.close} aria-label={t`Close the details`} onClick={close}>
        ✕
      </button>
      {children}
    </section>
  );
}
