import type { ReactNode } from "react";
import parts from "./parts.module.css";

/** What the interface takes (`Why` of its document); a test compares the two. */
export const LONGEST_REASON = 4000;

interface ReasonFieldProps {
  label: ReactNode;
  value: string;
  change: (value: string) => void;
}

/** Why somebody decides something; without it nothing is sent. */
export function ReasonField({ label, value, change }: ReasonFieldProps) {
  return (
    <label className={parts.field}>
      {label}
      <textarea
        required
        rows={3}
        maxLength={LONGEST_REASON}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
