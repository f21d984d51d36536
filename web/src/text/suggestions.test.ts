import { describe, expect, it } from "vitest";
import { advance, begin } from "./commands";
import type { Fragment } from "./markup";
import { acceptance, nextOpen, suggestionsOf } from "./suggestions";

const BLANK = { subtype: "", comment: "", explanation: "", correction: "", tag: "" };
const fragment = (id: number, start: number, code: string, tag = ""): Fragment => ({
  ...BLANK,
  id,
  start,
  end: start + 4,
  code,
  tag,
});
const SUGGESTED = [fragment(1, 20, "C", "1"), fragment(2, 0, "A"), fragment(3, 10, "B", "1")];
const NONE: ReadonlySet<string> = new Set();
const standings = (own: readonly Fragment[], rejected = NONE) =>
  suggestionsOf(SUGGESTED, own, rejected).map(({ suggestion, standing }) => `${suggestion.code} ${standing}`);

describe("suggestions", () => {
  it("stand in the text's order, and are told by place and code", () => {
    expect(standings([])).toEqual(["A open", "B open", "C open"]);
    expect(standings([fragment(7, 10, "B"), fragment(8, 20, "D")])).toEqual(["A open", "B accepted", "C open"]);
    expect(standings([], new Set(["0-4-A"]))).toEqual(["A rejected", "B open", "C open"]);
    expect(standings([fragment(1, 0, "A")], new Set(["0-4-A"])), "marked by hand after all").toContain("A accepted");
  });

  it("are accepted in one step, which undoing takes back", () => {
    const step = acceptance([fragment(1, 40, "Z")], SUGGESTED, SUGGESTED[1] as Fragment);
    const done = advance(begin([fragment(1, 40, "Z")]), { do: step });
    expect(done.fragments.at(-1)).toEqual({ ...SUGGESTED[1], id: 2 });
    expect(advance(done, { undo: true }).fragments).toEqual([fragment(1, 40, "Z")]);
  });

  it("keep their link among themselves, and take another number where the own one means something else", () => {
    const tagOf = (own: readonly Fragment[], place: number) => {
      const step = acceptance(own, SUGGESTED, SUGGESTED[place] as Fragment);
      return advance(begin(own), { do: step }).fragments.at(-1)?.tag;
    };
    expect(tagOf([], 0)).toBe("1");
    expect(tagOf([fragment(1, 20, "C", "1")], 2)).toBe("1");
    expect(tagOf([fragment(1, 40, "Z", "1")], 2)).toBe("2");
  });

  it("are walked through, those that are open, from either end and around", () => {
    const all = suggestionsOf(SUGGESTED, [fragment(1, 10, "B")], NONE);
    const [a, b, c] = all.map(({ key }) => key) as [string, string, string];
    expect(nextOpen(all, null, 1)?.key).toBe(a);
    expect(nextOpen(all, null, -1)?.key).toBe(c);
    expect(nextOpen(all, a, 1)?.key).toBe(c);
    expect(nextOpen(all, c, 1)?.key).toBe(a);
    expect(nextOpen(all, b, -1)?.key).toBe(a);
    expect(nextOpen(suggestionsOf([], [], NONE), null, 1)).toBeUndefined();
    expect(nextOpen(suggestionsOf(SUGGESTED, SUGGESTED, NONE), a, 1)).toBeUndefined();
  });
});
