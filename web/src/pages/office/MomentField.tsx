import type { ReactNode } from "react";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";

interface MomentFieldProps {
  label: ReactNode;
  /** As the browser's field writes it, in the reader's own zone; empty for none. */
  value: string;
  change: (value: string) => void;
  required?: boolean;
}

/** A moment in the reader's own zone, with the cycle's time beside it as soon as one is chosen. */
export function MomentField({ label, value, change, required = false }: MomentFieldProps) {
  return (
    <>
      <label className={parts.field}>
        {label}
        <input
          type="datetime-local"
          required={required}
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
      </label>
      {value && (
        <p>
          <Moment at={toIso(value)} />
        </p>
      )}
    </>
  );
}

/** The moment that a browser's field means. */
export function toIso(local: string): string {
  return new Date(local).toISOString();
}

/** A moment as the browser's field writes it. */
export function fromIso(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
