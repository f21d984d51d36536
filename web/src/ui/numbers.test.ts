import { expect, test } from "vitest";
import { placeOf } from "./numbers";

test("a place alone is a number, a shared one the range of all that it takes", () => {
  expect(placeOf({ place: 3, place_to: 3 })).toBe("3");
  expect(placeOf({ place: 1, place_to: 2 })).toBe("1–2");
});
