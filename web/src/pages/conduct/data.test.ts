import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CELLS,
  figureWords,
  fitted,
  inView,
  moved,
  NO_PLAN,
  NO_SELECTION,
  newName,
  nextOf,
  type Replay,
  readNumbers,
  requestOf,
  reviewsOf,
  type Settled,
  sayNumbers,
  selected,
  setsOf,
  stepsOf,
  type WatchedTeam,
  worstFirst,
} from "./data";

test("lists and ranges are read, each number once", () => {
  expect(readNumbers("3, 5-7")).toEqual([3, 5, 6, 7]);
  expect(readNumbers("7;6 – 7,1")).toEqual([1, 6, 7]);
});

test.each(["", "x", "0", "5-3", "1,,2", "1-99999", "-1"])("%j is no list of files", (text) => {
  expect(readNumbers(text)).toBeNull();
});

test("what is said is read as the same numbers", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1 }), (numbers) => {
      expect(readNumbers(sayNumbers(numbers))).toEqual([...numbers].sort((a, b) => a - b));
    }),
  );
  expect(sayNumbers([3, 5, 6, 7, 9, 10])).toBe("3, 5–7, 9, 10");
});

test("every glyph is one state's alone", () => {
  const glyphs = Object.values(CELLS).map(({ glyph }) => glyph);
  expect(new Set(glyphs).size).toBe(glyphs.length);
  expect(Object.entries(CELLS).filter(([, { look }]) => look === "ours")).toHaveLength(1);
});

test("the drawn part covers the view and stays inside", () => {
  fc.assert(
    fc.property(fc.nat(20_000), fc.nat(2_000), fc.nat(600), (scrolled, view, count) => {
      const { first, last } = inView(scrolled, view, 28, count);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThanOrEqual(count);
      for (let at = Math.ceil(scrolled / 28); at * 28 < scrolled + view && at < count; at += 1) {
        expect(first <= at && at < last).toBe(true);
      }
    }),
  );
});

test("keys walk the grid and stop at its edges", () => {
  expect(moved("ArrowRight", { row: 0, column: 1 }, 2, 3)).toEqual({ row: 0, column: 2 });
  expect(moved("ArrowRight", { row: 0, column: 2 }, 2, 3)).toEqual({ row: 0, column: 2 });
  expect(moved("ArrowUp", { row: 0, column: 2 }, 2, 3)).toEqual({ row: 0, column: 2 });
  expect(moved("PageDown", { row: 1, column: 0 }, 2, 300)).toEqual({ row: 1, column: 10 });
  expect(moved("End", { row: 1, column: 0 }, 2, 300)).toEqual({ row: 1, column: 299 });
  expect(moved("a", { row: 1, column: 0 }, 2, 300)).toBeUndefined();
});

test("annulled teams come first, then those away, then who missed most", () => {
  const team = (team_id: string, more: Partial<WatchedTeam>) =>
    ({ team_id, connected: true, solution_voided: false, voided_share: 0, ...more }) as WatchedTeam;
  const teams = [
    team("fine", {}),
    team("missed", { voided_share: 0.04 }),
    team("away", { connected: false }),
    team("annulled", { solution_voided: true, voided_share: 0.2 }),
  ];
  expect(worstFirst(teams).map((team) => team.team_id)).toEqual(["annulled", "away", "missed", "fine"]);
});

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

const AT = Date.parse("2026-12-12T12:00:00.000Z");
const MADE: Replay = {
  run_id: "r",
  seed: 7,
  files: [3, 1],
  systems: [{ id: "red", name: "С1" }],
  people: [
    { id: "anna", name: "КС1" },
    { id: "olga", name: "КС2" },
  ],
  limit_s: 600,
  begun_at: "2026-12-12T11:00:00.000Z",
  opened: [],
  until: null,
  questions: [],
  reviews: [],
  works: [],
  results: null,
};
const until = (ms: number) => new Date(AT + ms).toISOString();

test("rounds are opened one after another, each when the one before it is over", () => {
  expect(nextOf(MADE, AT)).toEqual({ kind: "open", round: 1 });
  const first = { ...MADE, opened: ["a"], until: until(0) };
  expect(nextOf(first, AT)).toEqual({ kind: "running", round: 1, until: until(0) });
  expect(nextOf(first, AT + 1)).toEqual({ kind: "open", round: 2 });
});

test("after the last round it is closed, once", () => {
  const last = { ...MADE, opened: ["a", "b"], until: until(0) };
  expect(nextOf(last, AT)).toMatchObject({ kind: "running", round: 2 });
  expect(nextOf(last, AT + 1)).toEqual({ kind: "close" });
  const results = { key: "interpretability" } as Replay["results"];
  expect(nextOf({ ...last, results }, AT + 1)).toEqual({ kind: "closed" });
});

test("a round's reviews stand by the lot's order, and nobody is left out", () => {
  const review = { round: 2, person: "КС2", system: "С1", answers: {}, comment: "", saved_at: null };
  const replay = { ...MADE, reviews: [{ ...review, round: 1 }, review] };
  expect(reviewsOf(replay, 2)).toEqual([
    ["КС1", null],
    ["КС2", review],
  ]);
});

test("what was not said is not sent", () => {
  expect(selected(NO_SELECTION, "why")).toEqual({ reason: "why", sessions: [] });
});

test("what was said is", () => {
  expect(selected({ ...NO_SELECTION, mode: "answers", set: "test", since: "2027-01-01", version: "3" }, "why")).toEqual(
    { reason: "why", sessions: [], mode: "answers", set: "test", since: "2027-01-01", parameters_version: 3 },
  );
});

test("a figure of a group stands behind its group's name, and what is not known behind its key", () => {
  expect(figureWords("concentrated.recall").map(({ message }) => message)).toEqual(["Context-dependent", "Recall"]);
  expect(figureWords("relative_accuracy").map(({ message }) => message)).toEqual(["OTAR, %"]);
  expect(figureWords("tasks.odd")).toHaveLength(2);
});

const states = (settled: Settled) => stepsOf(settled).map(({ state }) => state);

test("what is done stands before what is under way, and the rest after it", () => {
  expect(states("running")).toEqual(["now", "later", "later", "later", "later", "later", "later"]);
  expect(states("scoring")).toEqual(["done", "done", "done", "now", "later", "later", "later"]);
  expect(states("ready")).toEqual(["done", "done", "done", "done", "done", "done", "now"]);
  expect(states("published").every((state) => state === "done")).toBe(true);
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
