import fc from "fast-check";
import { expect, test } from "vitest";
import { readNumbers, sayNumbers } from "./fileNumbers";

test("lists and ranges are read, each number once", () => {
  expect(readNumbers("3, 5-7")).toEqual([3, 5, 6, 7]);
  expect(readNumbers("7;6 – 7,1")).toEqual([1, 6, 7]);
});

test.each(["", "x", "0", "5-3", "1,,2", "1-99999", "-1"])("%j is no list of files", (text) => {
  expect(readNumbers(text)).toBeNull();
});

test("what is said is read as the same numbers", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1 }), (numbers) => {
      expect(readNumbers(sayNumbers(numbers))).toEqual([...numbers].sort((a, b) => a - b));
    }),
  );
  expect(sayNumbers([3, 5, 6, 7, 9, 10])).toBe("3, 5–7, 9, 10");
});
