import { expect, test } from "vitest";
import { kindOf, nameOf, rowsOf, toneOf } from "./drawn";

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
