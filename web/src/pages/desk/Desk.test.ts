import { expect, test } from "vitest";
import { NAV } from "@/shell/nav";
import { ENTRIES } from "./Desk";

test("no two places have the same letter, and none has the one that begins a chord", () => {
  const keys = [...NAV, ...ENTRIES].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain("KeyG");
});
