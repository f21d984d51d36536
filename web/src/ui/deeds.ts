import type { Language } from "@/i18n/i18n";
import russian from "./deeds.json";

const RUSSIAN: Readonly<Record<string, string>> = russian;

/** What the audit log says was done, in the reader's language; behind a colon stands a role, or somebody's own words. */
export function deedText(what: string, language: Language, roleOf: (role: string) => string): string {
  if (language === "en") return what;
  const whole = RUSSIAN[what];
  if (whole !== undefined) return whole;
  const at = what.indexOf(": ");
  if (at < 0) return what;
  const [done, more] = [what.slice(0, at), what.slice(at + 2)];
  return `${RUSSIAN[done] ?? done}: ${roleOf(more)}`;
}
