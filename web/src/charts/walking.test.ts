import fc from "fast-check";
import { expect, test } from "vitest";
import { next } from "./Chart";

test("a walk of any steps stays in the chart, and as many steps as there are points reach its end", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.array(fc.constantFrom(1, -1)), (count, steps) => {
      let at: number | null = null;
      for (const step of steps) {
        at = next(at, step, count);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(at).toBeLessThan(count);
      }
      for (let left = count; left > 0; left -= 1) at = next(at, 1, count);
      expect(at).toBe(count - 1);
    }),
  );
});

test("the first step enters at the end from which it comes", () => {
  expect(next(null, 1, 5)).toBe(0);
  expect(next(null, -1, 5)).toBe(4);
});
