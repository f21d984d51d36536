import fc from "fast-check";
import { expect, test } from "vitest";
import { hardText } from "./samples";
import { Offsets } from "./spans";

test("an emoji is one code point and two units", () => {
  const text = "Привет 😀 мир";
  const offsets = new Offsets(text);
  expect(offsets.toCodePoints(text.indexOf("мир"))).toBe(9);
  expect(offsets.toUnits(9)).toBe(10);
  expect([offsets.codePoints, offsets.units]).toEqual([12, 13]);
});

test("every code point is where counting them one by one says", () => {
  fc.assert(
    fc.property(hardText, (text) => {
      const offsets = new Offsets(text);
      let unit = 0;
      const points: string[] = Array.from(text);
      points.forEach((point: string, place: number) => {
        expect(offsets.toUnits(place)).toBe(unit);
        expect(offsets.toCodePoints(unit)).toBe(place);
        unit += point.length;
      });
      expect(offsets.toUnits(points.length)).toBe(text.length);
      expect(offsets.toCodePoints(text.length)).toBe(points.length);
    }),
  );
});
