import { expect, test } from "vitest";
import { cellText, kindOf, nameText } from "./numbers";

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
