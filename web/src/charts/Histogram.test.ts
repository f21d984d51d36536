import fc from "fast-check";
import { expect, test } from "vitest";
import { binsOf, fullest } from "./Histogram";

test("every value is counted once, in the bin in which it lies", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1_000, noNaN: true }), { maxLength: 60 }), (values) => {
      const bins = binsOf(values);
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
      const last = bins.at(-1);
      for (const bin of bins) {
        const inside = values.filter(
          (value) => value >= bin.from && (value < bin.to || (bin === last && value === bin.to)),
        );
        expect(bin.count).toBe(inside.length);
      }
    }),
  );
});

test("the axis goes to 100 and, where a value lies beyond, further", () => {
  expect(binsOf([100]).at(-1)).toEqual({ from: 90, to: 100, count: 1 });
  expect(binsOf([101]).at(-1)?.to).toBe(200);
  expect(binsOf([]).map(({ count }) => count)).toEqual(Array(10).fill(0));
});

test("the fullest bin is one that no other equals", () => {
  expect(fullest(binsOf([95, 96, 12]))).toEqual({ from: 90, to: 100, count: 2 });
  expect(fullest(binsOf([95, 12]))).toBeNull();
  expect(fullest(binsOf([]))).toBeNull();
});
