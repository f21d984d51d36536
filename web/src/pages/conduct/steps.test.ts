import { expect, test } from "vitest";
import type { Settled } from "./data";
import { stepsOf } from "./steps";

const told = (settled: Settled) => stepsOf(settled).map(({ state }) => state);

test("what is done stands before what is under way, and the rest after it", () => {
  expect(told("running")).toEqual(["now", "later", "later", "later", "later", "later", "later"]);
  expect(told("scoring")).toEqual(["done", "done", "done", "now", "later", "later", "later"]);
  expect(told("ready")).toEqual(["done", "done", "done", "done", "done", "done", "now"]);
  expect(told("published").every((state) => state === "done")).toBe(true);
});

test("a difference stops at the recomputation", () => {
  expect(stepsOf("differences_found").find(({ state }) => state === "stopped")?.name).toBe("recomputed");
});

test("a run without results has a record and nothing after it", () => {
  expect(stepsOf("no_results")).toEqual([
    { name: "ended", state: "done" },
    { name: "record", state: "done" },
  ]);
});
