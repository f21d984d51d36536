import { useCallback, useMemo } from "react";
import { useLanguage } from "./cycle";

const SECOND = 1000;

/** Milliseconds as seconds with their unit, in the reader's language. */
export function useSeconds(): (ms: number) => string {
  const language = useLanguage();
  const format = useMemo(
    () => new Intl.NumberFormat(language, { style: "unit", unit: "second", maximumFractionDigits: 1 }),
    [language],
  );
  return useCallback((ms) => format.format(ms / SECOND), [format]);
}
