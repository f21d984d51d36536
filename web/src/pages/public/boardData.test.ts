import { expect, test } from "vitest";
import { type Row, withLevels } from "./boardData";

const people = { title: { en: "people", ru: "люди" }, value: 0.701 };

function placed(...values: (number | null)[]): string[] {
  const rows = values.map((value, at) => ({ team: `T${at + 1}`, value }) as Row);
  return withLevels(rows, [people]).map((row) => ("title" in row ? row.title.en : row.team));
}

test("people stand before the first team that is not above them", () => {
  expect(placed(0.9, 0.5)).toEqual(["T1", "people", "T2"]);
  expect(placed(0.701)).toEqual(["people", "T1"]);
  expect(placed(0.9, 0.8)).toEqual(["T1", "T2", "people"]);
  expect(placed(0.9, null)).toEqual(["T1", "people", "T2"]);
  expect(placed()).toEqual(["people"]);
});
