import { Children, type ReactNode } from "react";
import parts from "./parts.module.css";

/** The links to the pages of one thing, each child one. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={parts.tabs}>
      <ul>{Children.map(children, (link) => link && <li>{link}</li>)}</ul>
    </nav>
  );
}
