import fc from "fast-check";
import { expect, test } from "vitest";
import { csvOf } from "./Chart";

/** A reader of RFC 4180 of its own, so that the writer is not checked by itself. */
function read(csv: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let quoted = false;
  for (let at = 1; at < csv.length; at += 1) {
    const letter = csv[at] as string;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (csv[at + 1] === '"') [cell, at] = [`${cell}"`, at + 1];
      else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === ",") {
      rows.at(-1)?.push(cell);
      cell = "";
    } else if (letter === "\r" && csv[at + 1] === "\n") {
      rows.at(-1)?.push(cell);
      rows.push([]);
      [cell, at] = ["", at + 1];
    } else cell += letter;
  }
  return rows.slice(0, -1);
}

test("every text comes back as it was, but for an apostrophe before what would be a formula", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom("=1+1", "+7", "-2", "@a", 'a"b', "a,b", "a\r\nb", "\t=1"));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
      const [head, ...told] = read(csvOf(["name", "value"], rows));
      expect(head).toEqual(["name", "value"]);
      expect(told).toEqual(rows.map((row) => row.map((each) => (/^[=+\-@\t\r\n]/.test(each) ? `'${each}` : each))));
    }),
  );
});

test("a negative number stays a number, what is undefined is an empty cell", () => {
  expect(csvOf(["a", "b"], [[-1.5, null]])).toBe("\uFEFFa,b\r\n-1.5,\r\n");
});
