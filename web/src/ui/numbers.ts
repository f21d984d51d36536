import type { Language } from "@/i18n/i18n";

const ONE: Intl.NumberFormatOptions = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

/** A number of per cent with one decimal, without the sign; "—" for what is undefined. */
export function percent(value: number | null, language: Language): string {
  return value === null ? "—" : new Intl.NumberFormat(language, ONE).format(value);
}

const SHARE_DIGITS = 3;
const VALUE_DIGITS = 2;

/** A share of one, as per cent with one decimal and the sign; "—" for what is undefined. */
export function share(value: number | null, language: Language): string {
  return value === null ? "—" : new Intl.NumberFormat(language, { style: "percent", ...ONE }).format(value);
}

/** A place of a board, or the places that equal results share. */
export function placeOf({ place, place_to }: { place: number; place_to: number }): string {
  return place === place_to ? String(place) : `${place}–${place_to}`;
}

/** A value of a board in the board's unit: shares with three decimals, others with the usual two. */
export function inUnit(value: number | null, unit: "percent" | "share" | "points", language: Language): string {
  if (value === null) return "—";
  const digits = unit === "share" ? SHARE_DIGITS : VALUE_DIGITS;
  return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    value,
  );
}
