import type { ReactNode } from "react";
import { useLanguage } from "@/ui/cycle";

type Ranged = readonly [number, number] | null | undefined;

/** Numbers with their 95 % intervals, in the reader's writing. */
export function useNumbers() {
  const language = useLanguage();
  const writer = (digits: number) =>
    new Intl.NumberFormat(language === "ru" ? "ru-RU" : "en-GB", {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  return (value: number | null | undefined, interval: Ranged, digits = 1): string => {
    if (value === null || value === undefined) return "—";
    const write = writer(digits);
    return write.format(value) + (interval ? ` [${write.format(interval[0])}; ${write.format(interval[1])}]` : "");
  };
}

export function Head({ of }: { of: readonly ReactNode[] }) {
  return (
    <thead>
      <tr>
        {of.map((each, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place alone
          <th key={place} scope="col">
            {each}
          </th>
        ))}
      </tr>
    </thead>
  );
}
