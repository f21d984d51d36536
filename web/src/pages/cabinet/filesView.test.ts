import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReportBody } from "./filesView";
import { fileRows, readFilesSearch, shownRows, valueColumns } from "./filesView";

function reportOf(values: readonly (number | null)[]): ReportBody {
  const files = values.map((value, at) => ({
    number: at + 1,
    file_id: `f${at + 1}`,
    group: at % 2 ? "eng" : "rus",
    state: value === null ? "voided" : "answered",
    processing_ms: value === null ? null : at,
  }));
  const title = (text: string) => ({ en: text, ru: text });
  const columns = [title("File"), title("Type"), title("M1")];
  const rows = files.map((file, at) => [file.file_id, file.group, values[at]]);
  return { files, sections: [{ key: "files", title: title("Files"), columns, rows }] } as unknown as ReportBody;
}

const numbersOf = (values: readonly (number | null)[], search: object) =>
  shownRows(fileRows(reportOf(values)), search).map((row) => row.number);

test("sorts by a metric either way and leaves what is undefined last", () => {
  const values = [50, null, 0, 100];
  expect(numbersOf(values, { sort: "v1" })).toEqual([3, 1, 4, 2]);
  expect(numbersOf(values, { sort: "-v1" })).toEqual([4, 1, 3, 2]);
});

test("filters by state, type, name and a range that excludes the undefined", () => {
  const values = [50, null, 0, 100];
  expect(numbersOf(values, { state: "voided" })).toEqual([2]);
  expect(numbersOf(values, { group: "eng" })).toEqual([2, 4]);
  expect(numbersOf(values, { name: "f4" })).toEqual([4]);
  expect(numbersOf(values, { by: "v1", from: 50 })).toEqual([1, 4]);
  expect(numbersOf(values, { by: "v1", to: 0 })).toEqual([3]);
});

test("no filter loses no row, whatever the order", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.double({ min: 0, max: 100, noNaN: true }))), fc.boolean(), (values, down) => {
      const numbers = numbersOf(values, { sort: down ? "-v1" : "v1" });
      expect(numbers.toSorted((a, b) => a - b)).toEqual(values.map((_, at) => at + 1));
      const sorted = numbers.map((number) => values[number - 1] ?? null);
      const present = sorted.filter((value) => value !== null);
      expect(sorted.slice(0, present.length)).toEqual(present);
      expect(present).toEqual(present.toSorted((a, b) => (down ? b - a : a - b)));
    }),
  );
});

test("takes from the address only what it knows", () => {
  expect(readFilesSearch({ sort: "-v1", from: 3, to: "x", file: 2, more: 1 })).toEqual({
    sort: "-v1",
    from: 3,
    file: 2,
  });
  expect(valueColumns(reportOf([1]), "percent").map((column) => column.key)).toEqual(["v1"]);
});
