import { type Drawn, STROKES } from "./drawn";
import { type Categorized, familyOf, UNKNOWN } from "./families";
import type { Fragment } from "./markup";

const LONGEST = 60;
const CIRCLED = 0x2460;

/** Fragments as the surface paints them: a colour and a stroke for each family, brackets for semantic blocks. */
export function painted(
  fragments: readonly Fragment[],
  codeOf: (name: string) => Categorized | undefined,
): Omit<Drawn, "lane">[] {
  return fragments.map((each) => {
    const family = familyOf(codeOf(each.code) ?? UNKNOWN);
    return {
      key: String(each.id),
      start: each.start,
      end: each.end,
      ...(each.tag && { group: each.tag }),
      tone: family,
      stroke: STROKES[family],
      block: family === "meaning",
      above: false,
      label: [each.code, linkOf(each.tag)].filter(Boolean).join(" "),
    };
  });
}

/** A link's number as one sign where there is one: ①. */
export function linkOf(tag: string): string {
  const number = /^\d{1,2}$/.test(tag) ? Number(tag) : 0;
  return number >= 1 && number <= 20 ? String.fromCodePoint(CIRCLED + number - 1) : tag && `#${tag}`;
}

/** The beginning of what a fragment covers, for a list. */
export function quoteOf(text: string, { start, end }: { start: number; end: number }): string {
  const whole = text.slice(start, end).replace(/\s+/gu, " ");
  const signs = Array.from(whole);
  return signs.length > LONGEST ? `${signs.slice(0, LONGEST).join("")}…` : whole;
}
