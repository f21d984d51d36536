import fc from "fast-check";
import { expect, test } from "vitest";
import type { WatchedTeam } from "./data";
import { CELLS, inView, moved, worstFirst } from "./gridView";

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
  expect(worstFirst(teams).map((each) => each.team_id)).toEqual(["annulled", "away", "missed", "fine"]);
});
