import { useLingui } from "@lingui/react";
import { useQuery } from "@tanstack/react-query";
import type { GetAnswer } from "@/api/client";
import { get } from "@/api/queries";
import type { Language } from "@/i18n/i18n";
import { ownZone } from "./time";

export type Cycle = GetAnswer<"/v1/cycle">;

export const cycleQuery = get("/v1/cycle", {}, 60_000);

export function useCycle(): Cycle | undefined {
  return useQuery(cycleQuery).data;
}

/** The cycle's zone; the reader's own until the platform has said it. */
export function useCycleZone(): string {
  return useCycle()?.time_zone ?? ownZone();
}

export function useLanguage(): Language {
  return useLingui().i18n.locale === "ru" ? "ru" : "en";
}

/** What is said in several languages, in the reader's. */
export function inLanguage(texts: Readonly<Record<string, string>>, language: Language): string {
  return texts[language] ?? texts.en ?? Object.values(texts)[0] ?? "";
}
