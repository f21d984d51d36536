import { expect, test } from "vitest";
import { type Drawn, joined } from "./drawn";

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
