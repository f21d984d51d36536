import type { Language } from "@/i18n/i18n";

/** Figures that may be named in the place of the cycle's own, within what the route takes. */
export const FIGURES = [
  { name: "teams", least: 1, most: 10_000 },
  { name: "files", least: 1, most: 1_000 },
  { name: "listening", least: 0, most: 10_000 },
  { name: "days", least: 0, most: 3_660 },
] as const;

type Name = (typeof FIGURES)[number]["name"];
export type CostSearch = { [name in Name]?: number };

/** What an address or a form says of the figures, as the route takes it; what is no whole number is left out. */
export function readCost(said: Record<string, unknown>): CostSearch {
  const whole = FIGURES.filter(({ name }) => /^\d+$/.test(String(said[name] ?? "")));
  return Object.fromEntries(whole.map(({ name }) => [name, Number(said[name])]));
}

/** An amount; of a small one the first digits that say anything, for it is not nothing. */
export function money(value: number, currency: string, language: Language): string {
  const digits = value !== 0 && value < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(language, { style: "currency", currency, ...digits }).format(value);
}

/** A count; of less than one the first digits that say anything. */
export function numberOf(value: number, language: Language): string {
  const digits = value < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 };
  return new Intl.NumberFormat(language, digits).format(value);
}
