import { expect, test } from "vitest";
import { datedParts } from "./time";

const AT = "2026-11-21T03:57:32.123Z";

test("a text is cut at its moments, and together the parts are the text", () => {
  const text = `Final 😀: ${AT}. Files: 3, until ${AT}`;
  const parts = datedParts(text);
  expect(parts.filter(({ isMoment }) => isMoment).map((part) => part.text)).toEqual([AT, AT]);
  expect(parts.map((part) => part.text).join("")).toBe(text);
});

test("a moment alone is one part, and what is no moment is a text", () => {
  expect(datedParts(AT)).toEqual([{ text: AT, isMoment: true }]);
  expect(datedParts("")).toEqual([]);
  for (const text of ["2026-11-21", "2026-99-21T03:57:32.123Z", "at 12:00"]) {
    expect(datedParts(text)).toEqual([{ text, isMoment: false }]);
  }
});
