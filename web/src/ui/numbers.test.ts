import { expect, test } from "vitest";
import cases from "../../../tests/rounding.json";
import { decimal, fixed, inUnit, limitShare, PLACES, percent, placeOf, placesApart, share } from "./numbers";

test("a place alone is a number, a shared one the range of all that it takes", () => {
  expect(placeOf({ place: 3, place_to: 3 })).toBe("3");
  expect(placeOf({ place: 1, place_to: 2 })).toBe("1–2");
});

test("halves go up on the number as it is written, as the platform's own do", () => {
  expect(cases.fixed.length).toBeGreaterThan(20);
  for (const [value, places, shown] of cases.fixed) expect(fixed(Number(value), Number(places))).toBe(shown);
});

test("figures have as many decimals as tell them apart and show their side of a limit", () => {
  for (const [values, limits, least, places] of cases.apart as [number[], number[], number, number][]) {
    expect([values, placesApart(values, limits, least)]).toEqual([values, places]);
  }
});

test("a unit has as many decimals as the platform gives it", () => {
  expect(PLACES).toEqual(cases.places);
});

test("values are rounded before they are written in the reader's language", () => {
  expect(inUnit(65.625, "percent", "ru")).toBe("65,63");
  expect(inUnit(1.298, "points", "en")).toBe("1.298");
  expect(inUnit(0.70052, "share", "en", { places: 4 })).toBe("0.7005");
  expect(inUnit(0.7, "share", "en", { short: true })).toBe("0.7");
  expect(decimal(1.005, 2, "ru")).toBe("1,01");
  expect(percent(94.96, "en", 95)).toBe("94.96");
  expect(percent(95, "en", 95)).toBe("95.0");
  expect(share(0.0125, "en")).toBe("1.3%");
  expect([0.8, 0.125, 0.005, 0.07].map((limit) => limitShare(limit, "en"))).toEqual(["80%", "12.5%", "0.5%", "7%"]);
});
