import { expect, test } from "vitest";
import { fitted, NO_PLAN, newName, requestOf, setsOf } from "./plan";

test("what is left empty is not said", () => {
  const start = "2027-06-15T12:00";
  expect(requestOf({ ...NO_PLAN, start })).toEqual({
    mode: "final",
    set: "final",
    language: "all",
    trial: false,
    limits: {},
    starts_at: new Date(start).toISOString(),
  });
});

test("what is said is sent as numbers, with the name", () => {
  const plan = { ...NO_PLAN, start: "2027-06-15T12:00", files: "30", interval: "2.5", total: "0", admitted: ["red"] };
  expect(requestOf(plan, "x")).toMatchObject({
    files: 30,
    interval_s: 2.5,
    limits: { total_s: 0 },
    admitted: ["red"],
    run_id: "x",
  });
});

test("names have the platform's form and differ", () => {
  expect(newName()).toMatch(/^[a-z0-9]{20}$/);
  expect(newName()).not.toBe(newName());
});

test("a kind of run is offered the sets that it may draw from, a trial all of them", () => {
  const sets = {
    lessons: { kind: "training", files: { rus: 3 }, runs: ["technical"] },
    hidden: { kind: "test", files: { rus: 3 }, runs: [] },
    last: { kind: "final", files: { rus: 3 }, runs: ["final"] },
  } as never;
  expect(Object.keys(setsOf(NO_PLAN, sets))).toEqual(["last"]);
  expect(fitted(NO_PLAN, sets).set).toBe("last");
  expect(fitted({ ...NO_PLAN, mode: "technical", set: "last" }, sets).set).toBe("lessons");
  expect(fitted({ ...NO_PLAN, trial: true, set: "hidden" }, sets).set).toBe("hidden");
  expect(fitted(NO_PLAN, {}).set).toBe("");
});
