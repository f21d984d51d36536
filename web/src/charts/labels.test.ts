import { expect, test } from "vitest";
import { short } from "./Chart";

test("a label is cut between characters as people see them, never within an emoji or off a combining mark", () => {
  const family = "👨‍👩‍👧‍👦";
  expect(short(`${family}${family}${family}`, 2)).toBe(`${family}…`);
  expect(short("и\u0301и\u0301и\u0301", 2)).toBe("и\u0301…");
  expect(short("Сахарный диабет", 9)).toBe("Сахарный…");
});

test("what has room stays whole", () => {
  expect(short("", 3)).toBe("");
  expect(short("😀😀😀", 3)).toBe("😀😀😀");
});
