import type { Language } from "@/i18n/i18n";
import { decimal } from "./numbers";

export type Cell = string | number | null;

/** What a column of a report's table holds: words, counts, shares from 0 to 1, or other fractions. */
export type Kind = "words" | "whole" | "share" | "fraction";

/** By all its cells, for a fraction may be whole by chance; which columns are shares the platform says. */
export function kindOf(cells: readonly unknown[], isShare: boolean): Kind {
  const told = cells.filter((cell) => cell !== null && cell !== undefined && cell !== "");
  if (told.some((cell) => typeof cell !== "number")) return "words";
  if (isShare) return "share";
  return told.every((cell) => Number.isInteger(cell)) ? "whole" : "fraction";
}

/** One thing named in both languages, as the platform's tables have it: `all · все`. */
const IN_BOTH = /^(?<en>[^·]*[A-Za-z][^·]*) · (?<ru>[^·]*[А-Яа-яЁё][^·]*)$/;

/** The name of a row or another text of a table, in the reader's language; "—" for none. */
export function nameText(cell: unknown, language: Language): string {
  if (cell === null || cell === undefined || cell === "") return "—";
  const text = String(cell);
  return IN_BOTH.exec(text)?.groups?.[language] ?? text;
}

/** A cell as people read it: fractions with the decimals that the platform says of their column. */
export function cellText(cell: unknown, kind: Kind, places: number, language: Language): string {
  if (typeof cell !== "number") return nameText(cell, language);
  return kind === "words" || kind === "whole" ? String(cell) : decimal(cell, places, language);
}
