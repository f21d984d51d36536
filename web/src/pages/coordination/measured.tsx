import { useLanguage } from "@/ui/contest";
import { decimal } from "@/ui/numbers";

type Ranged = readonly [number, number] | null | undefined;

/** Numbers with their 95 % intervals, in the reader's writing. */
export function useNumbers() {
  const language = useLanguage();
  return (value: number | null | undefined, interval: Ranged, digits = 1): string => {
    if (value === null || value === undefined) return "—";
    const write = (each: number) => decimal(each, digits, language);
    return write(value) + (interval ? ` [${write(interval[0])}; ${write(interval[1])}]` : "");
  };
}
