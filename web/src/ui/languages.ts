import type { Language } from "@/i18n/i18n";

/** What a language of the cycle (a code of ISO 639) is called; the code itself where nobody has a name for it. */
export function languageName(code: string, language: Language): string {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
