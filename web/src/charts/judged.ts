import type { Language } from "@/i18n/i18n";
import { kindOf, nameText } from "@/ui/numbers";
import type { Section } from "./Part";

/** A value held against what it has to reach. */
export interface JudgedValue {
  /** What the value is: a row's name, or a column's. */
  name: string;
  value: number | null;
  /** The lower end of its confidence, which decides where there is one. */
  bound: number | null;
  barrier: number | null;
}

/** The values of a row that have something to reach, each under its column's title. */
export function judgedOf(
  { columns, judged = [] }: Section,
  row: readonly unknown[],
  language: Language,
): JudgedValue[] {
  return judged.map(({ value, barrier, bound }) => ({
    name: columns[value]?.[language] ?? "",
    value: numberAt(row, value),
    bound: numberAt(row, bound),
    barrier: numberAt(row, barrier),
  }));
}

/** All values of a table that have something to reach, each under its row's name. */
export function judgedRows(section: Section, language: Language): JudgedValue[] {
  return section.rows.flatMap((row) =>
    judgedOf(section, row, language).map((each) => ({ ...each, name: nameText(row[0], language) })),
  );
}

/** The number that decides: the bound where there is one. */
export function deciding({ value, bound }: JudgedValue): number | null {
  return bound ?? value;
}

/** Whether a value reaches its barrier; what is undefined does not, and null where there is nothing to reach. */
export function reaches(of: JudgedValue): boolean | null {
  if (of.barrier === null) return null;
  const decides = deciding(of);
  return decides !== null && decides >= of.barrier;
}

/** Every number that an axis of these values must hold. */
export function extent(values: readonly JudgedValue[]): number[] {
  return values.flatMap(({ value, bound, barrier }) => [value, bound, barrier]).filter((each) => each !== null);
}

/** Whether all judged columns of a table are shares from 0 to 1. */
export function areShares({ judged = [], shares = [] }: Section): boolean {
  return judged.every(({ value }) => shares.includes(value));
}

export interface MatrixCell {
  /** What the cell counts, as its column is called. */
  name: string;
  count: number;
  /** Of all that are in truth what these are, from 0 to 1; null where there are none. */
  share: number | null;
}

/** Counts by truth (down) and answer (across), as D-App1а, figure 1; null for a row without counts. */
export function matrixOf(section: Section, row: readonly unknown[], language: Language): MatrixCell[][] | null {
  const places = section.matrix ?? [];
  const counts = places.map((place) => row[place]);
  if (counts.length !== 4 || kindOf(counts, false) !== "whole" || counts.some((each) => typeof each !== "number")) {
    return null;
  }
  return [places.slice(0, 2), places.slice(2)].map((pair) => {
    const all = pair.reduce((sum, place) => sum + Number(row[place]), 0);
    return pair.map((place) => {
      const count = Number(row[place]);
      return { name: section.columns[place]?.[language] ?? "", count, share: all > 0 ? count / all : null };
    });
  });
}

function numberAt(row: readonly unknown[], place: number | null | undefined): number | null {
  const found = place === null || place === undefined ? null : row[place];
  return typeof found === "number" ? found : null;
}
