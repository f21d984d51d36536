import { expect, test } from "vitest";
import { nextOf, type Replay, reviewsOf } from "./replay";

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
