import fc from "fast-check";
import { expect, test } from "vitest";
import { csvOf, next, short } from "./Chart";

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
      const [head, ...lines] = read(csvOf(["name", "value"], rows));
      expect(head).toEqual(["name", "value"]);
      expect(lines).toEqual(rows.map((row) => row.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell))));
    }),
  );
});

test("a negative number stays a number, what is undefined is an empty cell", () => {
  expect(csvOf(["a", "b"], [[-1.5, null]])).toBe("\uFEFFa,b\r\n-1.5,\r\n");
});

test("a label is cut between characters as people see them, never within an emoji or off a combining mark", () => {
  const family = "👨‍👩‍👧‍👦";
  expect(short(`${family}${family}${family}`, 2)).toBe(`${family}…`);
  expect(short("и\u0301и\u0301и\u0301", 2)).toBe("и\u0301…");
  expect(short("Сахарный диабет", 9)).toBe("Сахарный…");
});

test("what has room stays whole", () => {
  expect(short("", 3)).toBe("");
  expect(short("😀😀😀", 3)).toBe("😀😀😀");
});

test("a walk of any steps stays in the chart, and as many steps as there are points reach its end", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.array(fc.constantFrom(1, -1)), (count, steps) => {
      let at: number | null = null;
      for (const step of steps) {
        at = next(at, step, count);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(at).toBeLessThan(count);
      }
      for (let remaining = count; remaining > 0; remaining -= 1) at = next(at, 1, count);
      expect(at).toBe(count - 1);
    }),
  );
});

test("the first step enters at the end from which it comes", () => {
  expect(next(null, 1, 5)).toBe(0);
  expect(next(null, -1, 5)).toBe(4);
});
