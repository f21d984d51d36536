import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Drawn, joined, kindOf, nameOf, rowsOf, toneOf } from "./drawn";
import { hardText } from "./samples";
import { hits, lanes, outward, overlap, paragraphAt, paragraphs, type Span } from "./spans";

const LINE = {
  start: 0,
  end: 1,
  tone: "logic",
  stroke: "solid",
  block: false,
  above: false,
  label: "",
  lane: 0,
} as const;

function keysOf(groups: readonly (readonly Drawn[])[]): string[][] {
  return groups.map((group) => group.map(({ key }) => key));
}

test("only the active fragment's pair and its links' group are joined", () => {
  const drawn: Drawn[] = [
    { ...LINE, key: "xX1", pair: "X1", group: "x1" },
    { ...LINE, key: "yX1", pair: "X1", group: "y1" },
    { ...LINE, key: "xX2", pair: "X2", group: "x1" },
    { ...LINE, key: "yX3", pair: "X3", group: "y2" },
    { ...LINE, key: "xX4", pair: "X4" },
  ];
  expect(keysOf(joined(drawn, null))).toEqual([]);
  expect(keysOf(joined(drawn, "X1"))).toEqual([
    ["xX1", "yX1"],
    ["xX1", "xX2"],
  ]);
  expect(keysOf(joined(drawn, "X2"))).toEqual([["xX1", "xX2"]]);
  expect(keysOf(joined(drawn, "X3"))).toEqual([]);
  expect(keysOf(joined(drawn, "X4"))).toEqual([]);
});

const span = fc
  .tuple(fc.nat(60), fc.integer({ min: 1, max: 20 }))
  .map(([start, size]) => ({ start, end: start + size }));
const spans = fc.array(span, { maxLength: 20 });

function keyed(all: readonly Span[]): Map<number, Span> {
  return new Map(all.map((span, place) => [place, span]));
}

describe("paragraphs", () => {
  test("joined are the text, and every place is in the one that says so", () => {
    fc.assert(
      fc.property(hardText, (text) => {
        const all = paragraphs(text);
        expect(all.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
        for (let at = 0; at < text.length; at += 1) {
          const paragraph = all[paragraphAt(all, at)] as Span;
          expect(paragraph.start <= at && at < paragraph.end).toBe(true);
        }
      }),
    );
  });

  test("end with their line end, of whichever kind", () => {
    const text = "раз\r\nдва\n\nтри\rчетыре";
    expect(paragraphs(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      "раз\r\n",
      "два\n",
      "\n",
      "три\r",
      "четыре",
    ]);
    expect(paragraphs("")).toEqual([{ start: 0, end: 0 }]);
  });
});

describe("lanes", () => {
  test("no two that overlap share one, and there are no more than lie over one another", () => {
    fc.assert(
      fc.property(spans, (all) => {
        const laneOf = lanes(keyed(all));
        all.forEach((one, a) => {
          all.forEach((other, b) => {
            if (a < b && overlap(one, other)) expect(laneOf.get(a)).not.toBe(laneOf.get(b));
          });
        });
        const deepest = Math.max(
          0,
          ...all.map((mark) => all.filter((o) => o.start <= mark.start && mark.start < o.end).length),
        );
        expect(new Set(laneOf.values()).size).toBe(deepest);
      }),
    );
  });

  test("a new span moves nothing outside its own group", () => {
    fc.assert(
      fc.property(spans, span, (all, added) => {
        const before = lanes(keyed(all));
        const after = lanes(keyed([...all, added]));
        const group = new Set<number>();
        const grow = (by: Span) => {
          all.forEach((mark, place) => {
            if (!group.has(place) && overlap(mark, by)) {
              group.add(place);
              grow(mark);
            }
          });
        };
        grow(added);
        all.forEach((_, place) => {
          if (!group.has(place)) expect(after.get(place)).toBe(before.get(place));
        });
      }),
    );
  });
});

describe("what lies at a place", () => {
  test("is walked from the shortest outward and round again", () => {
    const [outer, middle, inner] = [
      { start: 0, end: 30 },
      { start: 5, end: 20 },
      { start: 8, end: 12 },
    ] as const;
    const hit = hits([outer, inner, middle, { start: 40, end: 50 }], 10);
    expect(hit).toEqual([inner, middle, outer]);
    expect(outward(hit, undefined)).toBe(inner);
    expect(outward(hit, inner)).toBe(middle);
    expect(outward(hit, outer)).toBe(inner);
    expect(outward([], undefined)).toBeUndefined();
  });
});

const EQUAL = { x: 0, y: 0, j: 0, start_differs: false, code_differs: false, loss: 0 };
const SAID = { subtype: "equal", comment: "equal", correction: "absent" };

test("a pair is of the first kind in which it differs", () => {
  const pair = { ...EQUAL, ...SAID };
  expect(kindOf(pair)).toBe("same");
  expect(kindOf({ ...pair, correction: "differs" })).toBe("correction");
  expect(kindOf({ ...pair, correction: "differs", comment: "differs" })).toBe("subtype");
  expect(kindOf({ ...pair, comment: "paraphrase" })).toBe("same");
  expect(kindOf({ ...pair, j: 0.2, subtype: "differs" })).toBe("place");
  expect(kindOf({ ...pair, j: 0.2, code_differs: true })).toBe("code");
  expect(["same", "place", "only-x"].map((kind) => toneOf(kind as never))).toEqual(["same", "partial", "only"]);
});

test("rows stand in the order of the text and have names for addresses", () => {
  const compared = { pairs: [{ ...EQUAL, ...SAID, x: 1, y: 0 }], unmatched_x: [0], unmatched_y: [1] };
  const rows = rowsOf(compared, [50, 10], [12, 30]);
  expect(rows.map((row) => [row.kind, nameOf(row)])).toEqual([
    ["same", "X2"],
    ["only-y", "Y2"],
    ["only-x", "X1"],
  ]);
});
