import type { Schemas } from "@/api/client";
import type { Language } from "@/i18n/i18n";

/** Unit of a board's values. */
export type Unit = Schemas["Unit"];

/** Decimals of percentages that no board ranks by: parts of a session, of an upload. */
const PART_PLACES = 1;
/** Factor from a share to per cent. */
export const HUNDRED = 100;
/** Least number of decimals by unit; the platform has the same, and a board may have more. */
export const PLACES: Record<Unit, number> = { percent: 2, share: 3, points: 3 };
/** Most decimals; beyond them lies only the noise of binary fractions. */
const MOST_PLACES = 12;
const HALF = 5;

/**
 * A number with exactly so many decimals, halves away from zero on the number as it is written: 1.005 is 1.01. It is the
 * platform's one rounding (`markup_core/rounding.py`); both are tested with the cases of `tests/rounding.json`.
 */
export function fixed(value: number, places: number): string {
  const [mantissa = "0", exponent = "0"] = Math.abs(value).toString().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const cut = whole.length + Number(exponent) + places;
  const digits = (whole + fraction).padEnd(cut, "0");
  const rest = cut < 0 ? 0 : Number(digits[cut] ?? 0);
  const scaled = BigInt(cut > 0 ? digits.slice(0, cut) : 0) + (rest >= HALF ? 1n : 0n);
  const text = scaled.toString().padStart(places + 1, "0");
  const sign = value < 0 && scaled > 0n ? "-" : "";
  const end = text.length - places;
  return `${sign}${text.slice(0, end)}${places > 0 ? `.${text.slice(end)}` : ""}`;
}

/** Return the decimals, `least` or more, that keep different values apart and each on its side of each limit. */
export function placesApart(values: readonly (number | null)[], limits: readonly (number | null)[], least: number) {
  const distinct = [...new Set(values.filter((value) => value !== null))].sort((one, other) => one - other);
  const bounds = limits.filter((limit) => limit !== null);
  for (let places = least; places < MOST_PLACES; places++) {
    const rounded = distinct.map((value) => Number(fixed(value, places)));
    const beside = bounds.every((limit) =>
      distinct.every((value, at) => Math.sign(value - limit) === Math.sign((rounded[at] ?? 0) - limit)),
    );
    if (beside && rounded.every((value, at) => at === 0 || (rounded[at - 1] ?? 0) < value)) return places;
  }
  return MOST_PLACES;
}

/** Format a number with so many decimals for the reader; zeros at its end are left out down to `least`. */
export function decimal(value: number, places: number, language: Language, least = places): string {
  const digits = { minimumFractionDigits: least, maximumFractionDigits: places };
  return new Intl.NumberFormat(language, digits).format(Number(fixed(value, places)));
}

/** Format a percentage with one decimal, without the sign; with more if it would round to a limit that it is not. */
export function percent(value: number | null, language: Language, limit: number | null = null): string {
  return value === null ? "—" : decimal(value, placesApart([value], [limit], PART_PLACES), language);
}

/** Format a share (0 to 1) as per cent with one decimal and the sign; "—" for null. */
export function share(value: number | null, language: Language): string {
  if (value === null) return "—";
  return decimal(Number(fixed(value, PART_PLACES + 2)) * HUNDRED, PART_PLACES, language) + SIGN.percent;
}

/** Format a limit (a share) as per cent with the sign, without zeros at its end: 0.125 is 12.5 %. */
export function limitShare(limit: number, language: Language): string {
  return decimal(limit * HUNDRED, MOST_PLACES, language, 0) + SIGN.percent;
}

/** Format a number that may be a fraction, without zeros at its end, with at most three decimals. */
export function plain(value: number, language: Language): string {
  return decimal(value, PLACES.points, language, 0);
}

/** Format an accuracy in per cent, with the decimals of its unit. */
export function accuracy(value: number | null, language: Language): string {
  return inUnit(value, "percent", language);
}

/** Format a place of a board, or the range of places that equal results share; "—" for null. */
export function placeOf({ place, place_to }: { place: number | null; place_to: number | null }): string {
  if (place === null) return "—";
  return place === place_to ? String(place) : `${place}–${place_to}`;
}

/** Format a value with the decimals of its unit or of a board; `short` leaves out zeros at its end. */
export function inUnit(
  value: number | null,
  unit: Unit,
  language: Language,
  { short = false, places = PLACES[unit] } = {},
): string {
  return value === null ? "—" : decimal(value, places, language, short ? 0 : places);
}

/** Sign after a value of each unit, with a no-break space before it. */
export const SIGN: Record<Unit, string> = { percent: "\u00a0%", share: "", points: "" };

export type Cell = string | number | null;

/** Kind of a report table's column: words, counts, shares from 0 to 1, or other fractions. */
export type Kind = "words" | "whole" | "share" | "fraction";

/** Return a column's kind by all its cells, as a fraction may be whole by chance; the platform names the shares. */
export function kindOf(cells: readonly unknown[], isShare: boolean): Kind {
  const filled = cells.filter((cell) => cell !== null && cell !== undefined && cell !== "");
  if (filled.some((cell) => typeof cell !== "number")) return "words";
  if (isShare) return "share";
  return filled.every((cell) => Number.isInteger(cell)) ? "whole" : "fraction";
}

/** Name in both languages, as in the platform's tables: `all · все`. */
const IN_BOTH = /^(?<en>[^·]*[A-Za-z][^·]*) · (?<ru>[^·]*[А-Яа-яЁё][^·]*)$/;

/** Return a row's name or another text of a table in the reader's language; "—" for none. */
export function nameText(cell: unknown, language: Language): string {
  if (cell === null || cell === undefined || cell === "") return "—";
  const text = String(cell);
  return IN_BOTH.exec(text)?.groups?.[language] ?? text;
}

/** Format a cell for people: fractions have the decimals that the platform gives for their column. */
export function cellText(cell: unknown, kind: Kind, places: number, language: Language): string {
  if (typeof cell !== "number") return nameText(cell, language);
  return kind === "words" || kind === "whole" ? String(cell) : decimal(cell, places, language);
}
