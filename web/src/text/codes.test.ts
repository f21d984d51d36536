import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  CATEGORIES,
  type Code,
  countUses,
  FAMILIES,
  familyOf,
  findCodes,
  isKnownSubtype,
  MARKS,
  markOf,
  partsOf,
  recentCodes,
  UNKNOWN,
} from "./codes";
import { STROKES } from "./drawn";

function code(name: string, more: Partial<Code> = {}): Code {
  return {
    code: name,
    category: "Ошибки",
    group: "error",
    subtypes: [],
    full_text: false,
    correction: false,
    relation: false,
    description: { ru: "", en: "" },
    ...more,
  };
}

const CODES = [
  code("И.личность", {
    subtypes: ["имя", "титул"],
    description: { ru: "Неверно назван деятель.", en: "A wrong person." },
  }),
  code("И.период"),
  code("И.лсвязь"),
  code("РОЛЬ", { group: "meaning" }),
  code("И.факт", { description: { ru: "Неверная роль события.", en: "A factual error." } }),
  code("Г.счёт"),
  code("С.тема", { full_text: true }),
];
const NONE = countUses([]);

function names(typed: string, uses = NONE, wholeText = false): string[] {
  return findCodes(CODES, typed, uses, wholeText).map((match) => match.code.code);
}

describe("searching for a code", () => {
  test("puts the code itself before beginnings, after-the-dot and words of the description", () => {
    expect(names("роль")).toEqual(["РОЛЬ", "И.факт"]);
    expect(names("и.л")).toEqual(["И.личность", "И.лсвязь"]);
    expect(names("лич")).toEqual(["И.личность"]);
    expect(names("деятель")).toEqual(["И.личность"]);
  });

  test("takes е for ё and any letter case", () => {
    expect(names("Г.СЧЕТ")).toEqual(["Г.счёт"]);
  });

  test("understands the other keyboard layout, after what was really typed", () => {
    expect(names("b/kb")).toEqual(["И.личность"]);
    expect(names("hjkm")[0]).toBe("РОЛЬ");
    expect(findCodes([code("ROLE")], "кщду", NONE).map((match) => match.code.code)).toEqual(["ROLE"]);
  });

  test("among equals prefers what this expert takes oftener and took lately", () => {
    expect(names("и.")[0]).toBe("И.личность");
    expect(names("и.", countUses(["И.факт", "И.факт", "И.период"]))).toEqual(
      expect.arrayContaining(["И.факт", "И.период"]),
    );
    expect(names("и.", countUses(["И.факт", "И.факт", "И.период"]))[0]).toBe("И.факт");
  });

  test("puts codes of the whole text first where one is looked for", () => {
    expect(names("е", NONE, true)).toEqual([]);
    expect(names("т", NONE, true)[0]).toBe("С.тема");
  });

  test("finds a subtype after a slash, and keeps a new one as it was typed", () => {
    const subtype = (typed: string) => findCodes(CODES, typed, NONE)[0]?.subtype;
    expect(subtype("и.личность/и")).toBe("имя");
    expect(subtype("и.личность/прозвище")).toBe("прозвище");
    expect(isKnownSubtype(CODES[0] as Code, "ИМЯ")).toBe(true);
    expect(isKnownSubtype(CODES[0] as Code, "прозвище")).toBe(false);
  });

  test("gives at most twelve, and nothing for nothing", () => {
    const many = Array.from({ length: 40 }, (_, place) => code(`Р.код${place}`));
    expect(findCodes(many, "р", NONE)).toHaveLength(12);
    expect(findCodes(many, " ", NONE)).toEqual([]);
  });
});

test("the last used codes come the latest first, nine at most", () => {
  expect(recentCodes(CODES, countUses(["И.факт", "РОЛЬ", "И.факт"])).map((code) => code.code)).toEqual([
    "И.факт",
    "РОЛЬ",
  ]);
});

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

  test("a code to which the label set gave a colour has this family's line and its own initial", () => {
    for (const [place, family] of FAMILIES.entries()) {
      const person = { code: "person", category: "ner", group: "meaning", colour: place + 1 } as const;
      expect([familyOf(person), markOf(person)]).toEqual([family, "P"]);
    }
    expect(familyOf({ category: "", group: "meaning", colour: 9 })).toBe("meaning");
  });

  test("whoever sees no colours tells the eight apart by line and by mark", () => {
    expect(new Set(FAMILIES.map((family) => MARKS[family])).size).toBe(FAMILIES.length);
    const lines = FAMILIES.filter((family) => family !== "meaning").map((family) => STROKES[family]);
    expect(new Set(lines).size).toBe(FAMILIES.length - 1);
  });
});

describe("what is typed into the picker", () => {
  test.each([
    ["И.личность", "И.личность", "", ""],
    ["и.личность/имя; не тот царь → Пётр I", "и.личность/имя", "не тот царь", "Пётр I"],
    ["исп -> так", "исп", "", "так"],
    ["исп => так", "исп", "", "так"],
    ["исп; только комментарий", "исп", "только комментарий", ""],
    ["исп;", "исп", "", ""],
    ["исп; a → b → c", "исп", "a", "b → c"],
    ["", "", "", ""],
  ])("%s", (typed, code, comment, correction) => {
    expect(partsOf(typed)).toEqual({ code, comment, correction });
  });
});
