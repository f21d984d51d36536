import fc from "fast-check";
import { expect, test } from "vitest";
import {
  areShares,
  deciding,
  extent,
  type JudgedValue,
  judgedOf,
  judgedRows,
  matrixOf,
  reaches,
  type Section,
} from "./Judgements";
import { axisOf, rulerOf } from "./Whisker";

const both = (text: string) => ({ en: text, ru: `${text}ы` });

/** Matrix, share, bound and barrier of one thing, as a platform's table has them. */
function sectionOf(rows: unknown[][]): Section {
  const columns = ["Name", "TP", "FN", "FP", "TN", "Se", "Se, bound", "Barrier"].map(both);
  const judged = [{ value: 5, bound: 6, barrier: 7 }];
  return { key: "k", title: both("T"), columns, rows, places: [], shares: [5, 6, 7], judged, matrix: [1, 2, 3, 4] };
}

const FIGURE_1 = ["Lung 😀 · Лёгкое 😀", 68, 7, 4, 41, 0.907, 0.819, 0.8];

test("counts stand as in the regulation's figure 1: truth down, answers across, each with its share of its line", () => {
  const matrix = matrixOf(sectionOf([FIGURE_1]), FIGURE_1, "en");
  expect(matrix?.map((line) => line.map(({ name, count }) => [name, count]))).toEqual([
    [
      ["TP", 68],
      ["FN", 7],
    ],
    [
      ["FP", 4],
      ["TN", 41],
    ],
  ]);
  expect(matrix?.[0]?.[0]?.share).toBeCloseTo(68 / 75);
  expect(matrix?.[1]?.[1]?.share).toBeCloseTo(41 / 45);
});

test("a line without anybody in it has no share, a row without counts no matrix, a table without one none either", () => {
  const nobodyIll = ["x", 0, 0, 4, 41, null, null, 0.8];
  expect(matrixOf(sectionOf([nobodyIll]), nobodyIll, "en")?.[0]?.map(({ share }) => share)).toEqual([null, null]);
  const missing = ["x", null, null, null, null, null, null, 0.8];
  expect(matrixOf(sectionOf([missing]), missing, "en")).toBeNull();
  expect(matrixOf({ ...sectionOf([FIGURE_1]), matrix: [] }, FIGURE_1, "en")).toBeNull();
});

test("shares of a line are from 0 to 1 and make one together", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { minLength: 4, maxLength: 4 }), (counts) => {
      const row = ["x", ...counts, null, null, null];
      for (const line of matrixOf(sectionOf([row]), row, "en") ?? []) {
        const shares = line.map(({ share }) => share);
        if (line.every(({ count }) => count === 0)) expect(shares).toEqual([null, null]);
        else expect(Number(shares[0]) + Number(shares[1])).toBeCloseTo(1);
      }
    }),
  );
});

const value = (fields: Partial<JudgedValue>): JudgedValue => ({
  name: "x",
  value: 0.9,
  bound: null,
  barrier: 0.8,
  ...fields,
});

test("the bound decides where there is one; a value that equals its barrier reaches it, an undefined one does not", () => {
  expect(deciding(value({ bound: 0.7 }))).toBe(0.7);
  expect(reaches(value({ bound: 0.7 }))).toBe(false);
  expect(reaches(value({}))).toBe(true);
  expect(reaches(value({ value: 0.8 }))).toBe(true);
  expect(reaches(value({ value: null }))).toBe(false);
  expect(reaches(value({ barrier: null }))).toBeNull();
});

test("values are called by their columns in a row, by their rows in a table, in the reader's language", () => {
  const section = sectionOf([FIGURE_1]);
  expect(judgedOf(section, FIGURE_1, "ru")).toEqual([{ name: "Seы", value: 0.907, bound: 0.819, barrier: 0.8 }]);
  expect(judgedRows(section, "en").map(({ name }) => name)).toEqual(["Lung 😀"]);
  expect(judgedRows(section, "ru").map(({ name }) => name)).toEqual(["Лёгкое 😀"]);
  expect(areShares(section)).toBe(true);
  expect(areShares({ ...section, shares: [] })).toBe(false);
});

test("an empty table, one point and ties all have an axis that holds them and their barriers", () => {
  expect(judgedRows(sectionOf([]), "en")).toEqual([]);
  expect(extent([value({ value: null, barrier: null })])).toEqual([]);
  const ruler = (values: number[]) => rulerOf([0, ...values], "points", null).axis.domain() as [number, number];
  for (const values of [[], [1.3], [2, 2, 2], [0.5, 1.7]]) {
    const [from, to] = ruler(values);
    expect(to).toBeGreaterThan(from);
    expect(from).toBeLessThanOrEqual(Math.min(0, ...values));
    expect(to).toBeGreaterThanOrEqual(Math.max(0, ...values));
  }
});

test("an axis has a length and holds everything, whatever it is to hold", () => {
  const numbers = fc.integer({ min: -200_000, max: 200_000 }).map((number) => number / 1000);
  fc.assert(
    fc.property(fc.array(numbers), fc.option(numbers, { nil: undefined }), (values, mark) => {
      const [from, to] = axisOf(values, mark).domain() as [number, number];
      expect(to).toBeGreaterThan(from);
      for (const number of mark === undefined ? values : [...values, mark]) {
        expect(number).toBeGreaterThanOrEqual(from);
        expect(number).toBeLessThanOrEqual(to);
      }
    }),
  );
});
