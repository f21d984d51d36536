import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CATEGORIES, FAMILIES, familyOf, MARKS, markOf, UNKNOWN } from "./codes";
import { STROKES } from "./drawn";

const FILE = new URL("../../../layers/markup_core/src/markup_core/data/classifier.json", import.meta.url);
type Listed = { category: string; group: "meaning" | "error" };
const { subjects } = JSON.parse(readFileSync(FILE, "utf8")) as { subjects: Record<string, Listed[]> };
const codes = Object.values(subjects).flat();

describe("families of codes", () => {
  test("the map has every category of errors of the contest's classifier, and no other", () => {
    const errors = new Set(codes.filter(({ group }) => group === "error").map(({ category }) => category));
    expect(Object.keys(CATEGORIES).sort()).toEqual([...errors].sort());
  });

  test("all eight are in use, and blocks of meaning are one of them", () => {
    expect(new Set(codes.map(familyOf))).toEqual(new Set(FAMILIES));
    expect(new Set(codes.filter(({ group }) => group === "meaning").map(familyOf))).toEqual(new Set(["meaning"]));
  });

  test("what resembles another family's word stays in its own", () => {
    const of = (category: string) => familyOf({ category, group: "error" });
    expect(of("Композиционная цельность и логичность")).toBe("composition");
    expect(of("Ошибки при указании исторического события")).toBe("fact");
    expect(of("Ошибки при раскрытии смысла высказывания")).toBe("task");
    expect(of("Ошибки в использовании исторической терминологии")).toBe("task");
  });

  test("an organizer's own category takes the task's line and its initial", () => {
    for (const [category, mark] of [
      ["étude", "É"],
      ["𝒜bc", "𝒜"],
      ["Логическая нить", "Л"],
      ["constructor", "C"],
    ] as const) {
      expect([familyOf({ category, group: "error" }), markOf({ category, group: "error" })]).toEqual(["task", mark]);
    }
    expect([familyOf(UNKNOWN), markOf(UNKNOWN)]).toEqual(["task", "З"]);
  });

  test("whoever sees no colours tells the eight apart by line and by mark", () => {
    expect(new Set(FAMILIES.map((each) => MARKS[each])).size).toBe(FAMILIES.length);
    const lines = FAMILIES.filter((each) => each !== "meaning").map((each) => STROKES[each]);
    expect(new Set(lines).size).toBe(FAMILIES.length - 1);
  });
});
