import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adoptedFrom, adoption, agreement, difference, earlierOf, ownOf } from "./adoption";
import { advance, begin, type Command } from "./commands";
import type { Matched, Row } from "./drawn";
import type { Fragment } from "./markup";

const BLANK = { subtype: "", comment: "", explanation: "", correction: "", tag: "" };
const fragment = (id: number, start: number, end: number, code: string, rest: Partial<Fragment> = {}): Fragment => ({
  ...BLANK,
  id,
  start,
  end,
  code,
  ...rest,
});
const pair = (x: number, y: number, fields: Partial<Matched> = {}): Matched => ({
  x,
  y,
  j: 0,
  start_differs: false,
  code_differs: false,
  loss: 0,
  subtype: "both_empty",
  comment: "both_empty",
  correction: "both_empty",
  ...fields,
});
const done = (fragments: readonly Fragment[], step: Command | null) =>
  step ? advance(begin(fragments), { do: step }).fragments : fragments;

const X = [
  fragment(1, 0, 4, "A", { tag: "1" }),
  fragment(2, 5, 9, "B"),
  fragment(3, 10, 14, "C", { comment: "first" }),
  fragment(4, 20, 24, "D", { tag: "1" }),
];
const Y = [
  fragment(1, 0, 4, "A", { tag: "1" }),
  fragment(2, 5, 9, "Z", { subtype: "other" }),
  fragment(3, 11, 14, "C", { comment: "second" }),
  fragment(4, 30, 34, "E", { tag: "1" }),
];
const EARLIER = earlierOf(X, Y, {
  pairs: [
    pair(0, 0),
    pair(1, 1, { code_differs: true, loss: 1 }),
    pair(2, 2, { start_differs: true, j: 0.25, loss: 1.25 }),
  ],
  unmatched_x: [3],
  unmatched_y: [3],
});
const [SAME, CODE, PLACE, ONLY_X, ONLY_Y] = [0, 1, 2, 3, 4].map((at) => EARLIER.rows[at] as Row) as [
  Row,
  Row,
  Row,
  Row,
  Row,
];

const both = (x: Partial<Fragment>, y: Partial<Fragment>, fields: Partial<Matched> = {}) =>
  earlierOf([fragment(1, 0, 4, "A", x)], [fragment(1, 0, 4, "A", y)], {
    pairs: [pair(0, 0, fields)],
    unmatched_x: [],
    unmatched_y: [],
  });

describe("adopting from two earlier markups", () => {
  it("takes what both agree in, in one step, once", () => {
    const earlier = both({ tag: "1" }, { tag: "5" });
    const own = done([], agreement([], earlier));
    expect(own).toEqual([{ ...X[0], id: 1 }]);
    expect(agreement(own, earlier)).toBeNull();
    expect(agreement([], EARLIER)).toBeNull(); // each links its first fragment with another one
  });

  it("takes all of one, then only the code of the other", () => {
    const first = done([], adoption([], EARLIER, CODE, "x"));
    expect(first.map(({ code, subtype }) => [code, subtype])).toEqual([["B", ""]]);
    expect(adoptedFrom(first[0] as Fragment, EARLIER, CODE)).toBe("x");
    const mixed = done(first, difference(first, EARLIER, CODE, "y"));
    expect(mixed.map(({ code, subtype }) => [code, subtype])).toEqual([["Z", ""]]);
    expect(adoptedFrom(mixed[0] as Fragment, EARLIER, CODE)).toBeNull();
    expect(ownOf(mixed, EARLIER, CODE)).toBe(mixed[0]);
    const second = done(mixed, adoption(mixed, EARLIER, CODE, "y"));
    expect(second.map(({ code, subtype }) => [code, subtype])).toEqual([["Z", "other"]]);
  });

  it("takes only the place that differs, and keeps what was said", () => {
    const first = done([], adoption([], EARLIER, PLACE, "x"));
    const moved = done(first, difference(first, EARLIER, PLACE, "y"));
    expect(moved.map(({ start, comment }) => [start, comment])).toEqual([[11, "first"]]);
  });

  it("takes nothing of a difference before one of the two was adopted, nor from who has no fragment", () => {
    expect(difference([], EARLIER, CODE, "y")).toBeNull();
    expect(adoption([], EARLIER, ONLY_X, "y")).toBeNull();
  });

  it("keeps links together and apart: each expert numbered them for itself", () => {
    const linked = done([], adoption([], EARLIER, SAME, "x"));
    const both = done(linked, adoption(linked, EARLIER, ONLY_X, "x"));
    expect(both.map(({ tag }) => tag)).toEqual(["1", "1"]);
    const own = [fragment(9, 40, 44, "Q", { tag: "1" })];
    const apart = done(own, adoption(own, EARLIER, ONLY_Y, "y"));
    expect(apart.map(({ tag }) => tag)).toEqual(["1", "2"]);
  });

  it("can be undone wholly, whatever was adopted in which order", () => {
    const step = fc.record({
      row: fc.nat(EARLIER.rows.length - 1),
      side: fc.constantFrom("x" as const, "y" as const),
      how: fc.constantFrom("all", "part", "agreed"),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let history = begin([]);
        for (const { row, side, how } of steps) {
          const pair = EARLIER.rows[row] as Row;
          const command =
            how === "agreed"
              ? agreement(history.fragments, EARLIER)
              : (how === "all" ? adoption : difference)(history.fragments, EARLIER, pair, side);
          if (command) history = advance(history, { do: command });
        }
        expect(new Set(history.fragments.map(({ id }) => id)).size).toBe(history.fragments.length);
        for (const row of EARLIER.rows) {
          const of = history.fragments.filter((own) => ownOf([own], EARLIER, row));
          expect(of.length).toBeLessThanOrEqual(1);
        }
        while (history.past.length > 0) history = advance(history, { undo: true });
        expect(history.fragments).toEqual([]);
      }),
    );
  });

  const fields = { subtype: "s", comment: "c", explanation: "e", correction: "k" };
  it.each(["subtype", "comment", "explanation", "correction"] as const)(
    "takes the words of whoever has a %s where the other has none, and agrees in nothing where both differ",
    (name) => {
      for (const [x, y] of [
        ["", "theirs"],
        ["theirs", " "],
      ] as const) {
        const earlier = both({ ...fields, [name]: x }, { ...fields, [name]: y }, { [name]: "differs" });
        expect(earlier.rows[0]?.kind).toBe("same");
        expect(done([], agreement([], earlier))[0]).toMatchObject({ ...fields, [name]: "theirs" });
      }
      // The platform calls a paraphrase agreement and looks at no explanation: one of the two would be lost.
      const apart = both({ ...fields, [name]: "one" }, { ...fields, [name]: "other" }, { comment: "paraphrase" });
      expect(apart.rows[0]?.kind).not.toBe("same");
      expect(agreement([], apart)).toBeNull();
    },
  );

  it("knows letters by their canonical form", () => {
    expect(both({ comment: "й" }, { comment: "й".normalize("NFD") }).rows[0]?.kind).toBe("same");
  });

  const three = (x: readonly string[], y: readonly string[]) => {
    const of = (tags: readonly string[]) => tags.map((tag, at) => fragment(at + 1, at * 5, at * 5 + 4, "A", { tag }));
    const pairs = [0, 1, 2].map((at) => pair(at, at));
    return earlierOf(of(x), of(y), { pairs, unmatched_x: [], unmatched_y: [] });
  };

  it.each([
    [
      ["1", "1", ""],
      ["2", "2", ""],
      ["same", "same", "same"],
      ["1", "1", ""],
    ],
    [
      ["1", "1", ""],
      ["", "", ""],
      ["same", "same", "same"],
      ["1", "1", ""],
    ],
    [
      ["", "", ""],
      ["7", "", "7"],
      ["same", "same", "same"],
      ["7", "", "7"],
    ],
    [["1", "1", ""], ["1", "", "1"], ["subtype", "subtype", "subtype"], []],
    [["1", "1", "2"], ["1", "1", "1"], ["subtype", "subtype", "subtype"], []],
  ])("agrees in links %j and %j where they link the same fragments", (x, y, kinds, tags) => {
    const earlier = three(x, y);
    expect(earlier.rows.map(({ kind }) => kind)).toEqual(kinds);
    expect(done([], agreement([], earlier)).map(({ tag }) => tag)).toEqual(tags);
  });

  it("takes the other's link as a difference", () => {
    const earlier = three(["1", "1", ""], ["1", "", "1"]);
    const row = earlier.rows[1] as Row;
    const first = done([], adoption([], earlier, row, "x"));
    expect(first.map(({ tag }) => tag)).toEqual(["1"]);
    expect(done(first, difference(first, earlier, row, "y")).map(({ tag }) => tag)).toEqual([""]);
  });

  const twice = (x: readonly string[], y: readonly string[]) => {
    const of = (comments: readonly string[]) => comments.map((comment, at) => fragment(at + 1, 0, 4, "A", { comment }));
    return earlierOf(of(x), of(y), { pairs: x.map((_, at) => pair(at, at)), unmatched_x: [], unmatched_y: [] });
  };

  it("takes each of two fragments of one place and code, which are counted twice in the grade", () => {
    for (const words of [
      ["first", "second"],
      ["", ""],
    ]) {
      const earlier = twice(words, words);
      const own = done([], agreement([], earlier));
      expect(own.map(({ comment }) => comment)).toEqual(words);
      expect(agreement(own, earlier)).toBeNull();
      expect(earlier.rows.map((row) => ownOf(own, earlier, row))).toEqual(own);
    }
  });

  it("takes the words and the link of whoever has them, also where one row is adopted from the other", () => {
    const earlier = both({ comment: "why", tag: "3" }, { explanation: "because" }, { comment: "differs" });
    for (const side of ["x", "y"] as const) {
      const [own] = done([], adoption([], earlier, earlier.rows[0] as Row, side));
      expect(own).toMatchObject({ comment: "why", explanation: "because", tag: "3" });
    }
  });

  it("tells two fragments of one place and code by their words, whatever was adopted or deleted first", () => {
    const earlier = twice(["first", "second"], ["first", "other"]);
    const [one, other] = earlier.rows as [Row, Row];
    const second = done([], adoption([], earlier, other, "y"));
    expect(second.map(({ comment }) => comment)).toEqual(["other"]);
    expect(ownOf(second, earlier, one)).toBeUndefined();
    const both = done(second, agreement(second, earlier));
    expect(both.map(({ comment }) => comment)).toEqual(["other", "first"]);
    expect(earlier.rows.map((row) => ownOf(both, earlier, row)?.comment)).toEqual(["first", "other"]);
    expect(done(both, adoption(both, earlier, other, "x")).map(({ comment }) => comment)).toEqual(["second", "first"]);
  });
});
