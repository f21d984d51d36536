import { describe, expect, test } from "vitest";
import { type Code, countUses, findCodes, isKnownSubtype, recentCodes } from "./codes";

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
  return findCodes(CODES, typed, uses, wholeText).map((each) => each.code.code);
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
    expect(findCodes([code("ROLE")], "кщду", NONE).map((each) => each.code.code)).toEqual(["ROLE"]);
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
  expect(recentCodes(CODES, countUses(["И.факт", "РОЛЬ", "И.факт"])).map((each) => each.code)).toEqual([
    "И.факт",
    "РОЛЬ",
  ]);
});
