import { expect, test } from "vitest";
import { money, numberOf, readCost } from "./cost";

test("figures of an address are what the route takes, and what is no number is left out", () => {
  expect(readCost({ teams: 20, files: "500", listening: 0, days: "x", other: 1 })).toEqual({
    teams: 20,
    files: 500,
    listening: 0,
  });
  expect(readCost({ teams: "-1", days: "1.5" })).toEqual({});
});

test("a small amount is never shown as nothing, a large one has cents", () => {
  expect(money(0.0000133334, "USD", "en")).toBe("$0.0000133");
  expect(money(0, "USD", "en")).toBe("$0.00");
  expect(money(1234.567, "USD", "en")).toBe("$1,234.57");
  expect(numberOf(0.00123, "en")).toBe("0.00123");
  expect(numberOf(12_345.6, "en")).toBe("12,346");
});
