import type { Schemas } from "@/api/client";
import type { Language } from "@/i18n/i18n";

/** In what a board's value is told. */
export type Unit = Schemas["Unit"];

const ONE: Intl.NumberFormatOptions = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
/** With how many decimals people read a value. */
const DIGITS: Record<Unit, number> = { percent: 1, share: 3, points: 2 };
const MOST_DIGITS = 3;

/** A number of per cent with one decimal, without the sign; "—" for what is undefined. */
export function percent(value: number | null, language: Language): string {
  return inUnit(value, "percent", language);
}

/** A share of one, as per cent with one decimal and the sign; "—" for what is undefined. */
export function share(value: number | null, language: Language): string {
  return value === null ? "—" : new Intl.NumberFormat(language, { style: "percent", ...ONE }).format(value);
}

/** A number that may be a fraction, with no more decimals than it has, and at most three. */
export function plain(value: number, language: Language): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: MOST_DIGITS }).format(value);
}

/** A place of a board, or the places that equal results share. */
export function placeOf({ place, place_to }: { place: number; place_to: number }): string {
  return place === place_to ? String(place) : `${place}–${place_to}`;
}

/** A value in its unit: per cent with one decimal, shares with three, points with two; short: no more than it has. */
export function inUnit(value: number | null, unit: Unit, language: Language, { short = false } = {}): string {
  if (value === null) return "—";
  const digits = { maximumFractionDigits: DIGITS[unit], ...(short ? {} : { minimumFractionDigits: DIGITS[unit] }) };
  return new Intl.NumberFormat(language, digits).format(value);
}
