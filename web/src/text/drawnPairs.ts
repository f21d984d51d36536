import type { Drawn } from "./drawn";
import type { Fragment } from "./markup";
import { nameOf, type Row, SIGNS, toneOf } from "./pairs";

const STROKES = { same: "solid", partial: "dashed", only: "dotted" } as const;

/** What is painted of one of two compared markups; the key is the side's letter and the row's name. */
export function linesOf(
  rows: readonly Row[],
  side: "x" | "y",
  fragments: readonly Fragment[],
  above: boolean,
): Omit<Drawn, "lane">[] {
  return rows.flatMap((row) => {
    const place = row[side];
    const of = place === null ? undefined : fragments[place];
    if (!of) return [];
    const tone = toneOf(row.kind);
    return [
      {
        key: side + nameOf(row),
        pair: nameOf(row),
        start: of.start,
        end: of.end,
        tone,
        stroke: STROKES[tone as keyof typeof STROKES],
        block: false,
        above,
        label: `${SIGNS[row.kind]} ${of.code}`,
      },
    ];
  });
}
