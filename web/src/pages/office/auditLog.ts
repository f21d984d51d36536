import type { Schemas } from "@/api/client";
import { texts } from "@/ui/keys";

export interface AuditSearch {
  /** UTC days, both included; without them, today. */
  from?: string;
  to?: string;
  who?: string;
  what?: string;
  subject?: string;
}

/** An entry as a line of the log, with the cursor after which the next ones come. */
export type Entry = Schemas["ChangeBody"] & { cursor: string };

export const PAGE = 100;
const DAY = /^\d{4}-\d\d-\d\d$/;

export function readAudit(said: Record<string, unknown>): AuditSearch {
  const { from, to, ...rest } = texts(said, ["from", "to", "who", "what", "subject"]);
  return { ...(from && DAY.test(from) ? { from } : {}), ...(to && DAY.test(to) ? { to } : {}), ...rest };
}

/** What is asked of the log, with today's days where none are said. */
export function asked({ from, to, ...by }: AuditSearch, today: string) {
  const last = to ?? (from && from > today ? from : today);
  return { from: from ?? last, to: last, ...by };
}

export function entriesOf(lines: string): Entry[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}
