import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { GetAnswer, Schemas } from "@/api/client";
import type { Language } from "@/i18n/i18n";
import { texts } from "@/ui/keys";

/**
 * Return a version's parameters as a cycle's file writes them, for editing: track fields are among the others, fields
 * of the cycle itself and empty ones are left out, and a final has one interval and no bounds of its size.
 */
export function asWritten(body: GetAnswer<"/v1/parameters/{version}">["parameters"]): Record<string, unknown> {
  const { version: _, announced_at: __, track, final, ...rest } = body;
  const { languages: ___, classifier: ____, ...own }: Record<string, unknown> = track;
  const { files: _____, interval_s: interval, ...rules } = final;
  const parameters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return { ...parameters, final: { ...rules, interval_s: interval[0] }, ...own };
}

/** Return the parameters in a JSON text or in a whole file of a cycle, or a fault if the text is no JSON object. */
export function readWritten(text: string): { parameters: Record<string, unknown> } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: String(error instanceof Error ? error.message : error) };
  }
  if (!isObject(value)) return { fault: "" };
  return { parameters: isObject(value.parameters) ? value.parameters : value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Figures that can be given in place of the cycle's own, with the route's limits. */
export const FIGURES = [
  { name: "teams", least: 1, most: 10_000 },
  { name: "files", least: 1, most: 1_000 },
  { name: "listening", least: 0, most: 10_000 },
  { name: "days", least: 0, most: 3_660 },
  { name: "armed_hours", least: 0, most: 100_000 },
] as const;

/** Optional parts of a deployment that cost by the month or the hour, as the cycle's file calls them. */
export const CHOICES = ["dashboard", "snapshots", "route-metrics", "programs"] as const;

type Name = (typeof FIGURES)[number]["name"];
export type CostSearch = { [name in Name]?: number } & { with?: string };

/** Return the figures and choices of an address or a form, in the route's format; the rest is left out. */
export function readCost(search: Record<string, unknown>): CostSearch {
  const whole = FIGURES.filter(({ name }) => /^\d+$/.test(String(search[name] ?? "")));
  const named = String(search.with ?? "").split(",");
  const choices = CHOICES.filter((name) => named.includes(name)).join(",");
  const figures = Object.fromEntries(whole.map(({ name }) => [name, Number(search[name])]));
  return choices ? { ...figures, with: choices } : figures;
}

/** Format an amount of money; one below 1, unless zero, has up to three significant digits. */
export function money(value: number, currency: string, language: Language): string {
  const digits = value !== 0 && value < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(language, { style: "currency", currency, ...digits }).format(value);
}

/** Format a count as a whole number; one below 1 has up to three significant digits. */
export function numberOf(value: number, language: Language): string {
  const digits = value < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 };
  return new Intl.NumberFormat(language, digits).format(value);
}

/** Labels of the evidence in the doctor's findings on stuck work, by the evidence's field. */
export const EVIDENCE: Readonly<Record<string, MessageDescriptor>> = {
  answers: msg`answers without a score`,
  attempt: msg`attempt`,
  done: msg`done`,
  error: msg`error`,
  files: msg`files`,
  given: msg`experts who have it`,
  item_id: msg`item`,
  kind: msg`kind`,
  language: msg`language`,
  letters: msg`messages`,
  looked_at: msg`looked at`,
  made: msg`teams' results made`,
  marking_id: msg`work given out`,
  mode: msg`mode`,
  read: msg`files read`,
  seen_at: msg`last heard`,
  set: msg`set`,
  state: msg`state`,
  subject: msg`about`,
  team_id: msg`team`,
  teams: msg`teams`,
  ticked_at: msg`last ticked`,
  total: msg`of all`,
  unscored: msg`answers without a score`,
};

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

export function readAudit(search: Record<string, unknown>): AuditSearch {
  const { from, to, ...rest } = texts(search, ["from", "to", "who", "what", "subject"]);
  return { ...(from && DAY.test(from) ? { from } : {}), ...(to && DAY.test(to) ? { to } : {}), ...rest };
}

/** Return the query of the audit log; a missing `to` is today, or `from` if that is later; a missing `from` is `to`. */
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
