import { type Drawn, STROKES } from "./drawn";
import { type Categorized, familyOf } from "./families";
import type { Fragment } from "./markup";
import { nameOf, type Row, SIGNS, toneOf } from "./pairs";

const AGREEMENT = { same: "solid", partial: "dashed", only: "dotted" } as const;

/** How a compared fragment looks. */
export type Look = Pick<Drawn, "tone" | "stroke" | "block">;
export type LookOf = (row: Row, of: Fragment) => Look;

/** Colour and line say how far the two markups agree. */
export function byAgreement(row: Row): Look {
  const tone = toneOf(row.kind);
  return { tone, stroke: AGREEMENT[tone as keyof typeof AGREEMENT], block: false };
}

/** Colour and line say of which family a code is; a block has brackets on its own side of the lines only. */
export function byFamily(codeOf: (name: string) => Categorized): LookOf {
  return (_, { code }) => {
    const tone = familyOf(codeOf(code));
    const block = tone === "meaning";
    return { tone, stroke: block ? "half" : STROKES[tone], block };
  };
}

/** What is painted of one of two compared markups; the key is the side's letter and the row's name. */
export function linesOf(
  rows: readonly Row[],
  side: "x" | "y",
  fragments: readonly Fragment[],
  above: boolean,
  look: LookOf,
): Omit<Drawn, "lane">[] {
  return rows.flatMap((row) => {
    const place = row[side];
    const of = place === null ? undefined : fragments[place];
    if (!of) return [];
    return [
      {
        ...look(row, of),
        key: side + nameOf(row),
        pair: nameOf(row),
        ...(of.tag && { group: `${side} ${of.tag}` }),
        start: of.start,
        end: of.end,
        above,
        label: `${SIGNS[row.kind]} ${of.code}`,
      },
    ];
  });
}
