import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { deedText, differences } from "./audit";

test("an entry of the audit log is read in the reader's language, with somebody's own words behind it as they are", () => {
  expect(deedText("run planned", "en")).toBe("run planned");
  expect(deedText("run planned", "ru")).toBe("прогон запланирован");
  expect(deedText("run amended: pause", "ru")).toBe("прогон приостановлен");
  expect(deedText("role given: expert", "ru")).toBe("роль изменена: expert");
  expect(deedText("staff dismissed: he moved: away", "ru")).toBe("сотрудник отстранён: he moved: away");
  expect(deedText("something new", "ru")).toBe("something new");
});

describe("differences", () => {
  it("names each field that changed, by its way from the top", () => {
    const before = { status: "applied", form: { about: "a", contact: "c" }, tags: [1] };
    const after = { status: "approved", form: { about: "b", contact: "c" }, tags: [1, 2] };
    expect(differences(before, after)).toEqual([
      { field: "status", before: "applied", after: "approved" },
      { field: "form.about", before: "a", after: "b" },
      { field: "tags", before: [1], after: [1, 2] },
    ]);
  });

  it("reads what was made, and what was taken away, field by field", () => {
    expect(differences(null, { name: "A" })).toEqual([{ field: "name", before: undefined, after: "A" }]);
    expect(differences({ name: "A" }, null)).toEqual([{ field: "name", before: "A", after: undefined }]);
  });

  it("finds none between equal values, and one at least between others", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(differences(value, structuredClone(value))).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        expect(differences({ in: { a } }, { in: { a: b } })).toHaveLength(a === b ? 0 : 1);
      }),
    );
  });
});
