import type { Language } from "@/i18n/i18n";

const STEP = 1024;
const UNITS = {
  en: ["bytes", "KiB", "MiB", "GiB"],
  ru: ["байт", "КиБ", "МиБ", "ГиБ"],
} as const;

/** A number of bytes as people read it: the unit in which it is at least one, with one decimal. */
export function bytesText(bytes: number, language: Language): string {
  const at = Math.max(0, Math.min(UNITS.en.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP))));
  const digits = { maximumFractionDigits: at === 0 ? 0 : 1 };
  return `${new Intl.NumberFormat(language, digits).format(bytes / STEP ** at)} ${UNITS[language][at]}`;
}
