import type { ReactNode } from "react";
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
