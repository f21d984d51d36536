import { expect, test } from "vitest";
import cases from "../../../tests/rounding.json";
import {
  cellText,
  decimal,
  fixed,
  inUnit,
  kindOf,
  limitShare,
  nameText,
  PLACES,
  percent,
  placeOf,
  placesApart,
  share,
} from "./numbers";

test("a place alone is a number, a shared one the range of all that it takes", () => {
  expect(placeOf({ place: 3, place_to: 3 })).toBe("3");
  expect(placeOf({ place: 1, place_to: 2 })).toBe("1–2");
});

test("halves go up on the number as it is written, as the platform's own do", () => {
  expect(cases.fixed.length).toBeGreaterThan(20);
  for (const [value, places, text] of cases.fixed) expect(fixed(Number(value), Number(places))).toBe(text);
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
  expect(share(0.0125, "en")).toBe("1.3\u00a0%");
  const limits = [0.8, 0.125, 0.005, 0.07].map((limit) => limitShare(limit, "en"));
  expect(limits).toEqual(["80\u00a0%", "12.5\u00a0%", "0.5\u00a0%", "7\u00a0%"]);
});

test("a column is words as soon as one cell is a word, whatever numbers stand beside it", () => {
  expect(kindOf(["8_0", "11", null], false)).toBe("words");
  expect(kindOf([1, 0, null], false)).toBe("whole");
  expect(kindOf([3, 23.835], false)).toBe("fraction");
  expect(kindOf([1, 1, null], true)).toBe("share");
});

test("a task's number stays what it is, shares and means keep the decimals that tell them apart", () => {
  expect(cellText("11", "words", 3, "en")).toBe("11");
  expect(cellText("text", "words", 2, "en")).toBe("text");
  expect(cellText(0.70588, "share", 3, "en")).toBe("0.706");
  expect(cellText(0.701, "share", 3, "ru")).toBe("0,701");
  expect(cellText(23.835, "fraction", 3, "en")).toBe("23.835");
  expect(cellText(80.125, "fraction", 2, "en")).toBe("80.13");
  expect(cellText(null, "share", 3, "en")).toBe("—");
});

test("what has a name in both languages is called by the reader's, what has one name by that", () => {
  expect(cellText("Files · Файлы", "words", 3, "en")).toBe("Files");
  expect(cellText("Files · Файлы", "words", 3, "ru")).toBe("Файлы");
  expect(nameText("to the final · в финал", "ru")).toBe("в финал");
  expect(nameText("left 1 · слева 1", "en")).toBe("left 1");
  for (const alone of ["Se ↓", "1 · 2", "Альфа · Бета", "A · B · В", "😀 · 😀"]) {
    expect(nameText(alone, "ru")).toBe(alone);
  }
});

test("an empty text is a dash as undefined is, and makes no column one of words", () => {
  expect(cellText("", "words", 3, "en")).toBe("—");
  expect(nameText(null, "ru")).toBe("—");
  expect(kindOf(["", 2], false)).toBe("whole");
});
