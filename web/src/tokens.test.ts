import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SOURCE = new URL(".", import.meta.url);
const PATHS = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".css"));
const SHEETS: Record<string, string> = Object.fromEntries(
  PATHS.map((path) => [path, readFileSync(new URL(path, SOURCE), "utf8")]),
);
const COLOUR = /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|lab)a?\(/gi;

test("colours stand in tokens.css and nowhere else", () => {
  const elsewhere = Object.entries(SHEETS).filter(([path]) => path !== "tokens.css");
  expect(elsewhere.length).toBeGreaterThan(10);
  expect(elsewhere.filter(([, css]) => css.match(COLOUR)).map(([path]) => path)).toEqual([]);
  expect(SHEETS["tokens.css"]?.match(COLOUR)?.length).toBeGreaterThan(20);
});

test("every token that a style uses is there, and every colour is used", () => {
  const [named, used] = [new Set<string>(), new Set<string>()];
  for (const css of Object.values(SHEETS)) {
    for (const [, name] of css.matchAll(/(--[\w-]+):/g)) named.add(name as string);
    for (const [, name] of css.matchAll(/var\((--[\w-]+)\)/g)) used.add(name as string);
  }
  expect([...used].filter((name) => !named.has(name) && !name.startsWith("--lane"))).toEqual([]);
  const tokens = [...(SHEETS["tokens.css"] ?? "").matchAll(/(--[\w-]+): (?:light-dark|rgb|#)/g)].map(
    ([, name]) => name,
  );
  const families = (name: string | undefined) => name?.startsWith("--family");
  expect(tokens.filter((name) => !families(name) && !used.has(name as string))).toEqual([]);
});
