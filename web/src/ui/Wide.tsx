import type { ReactNode } from "react";
import parts from "./parts.module.css";

/** A table that may be wider than the page: it scrolls by itself, by keyboard, too. */
export function Wide({
  label,
  className,
  children,
}: {
  label: string;
  /** The table's own. */
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={parts.wide} tabIndex={0} aria-label={label}>
      <table className={className}>{children}</table>
    </section>
  );
}
