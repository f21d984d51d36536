import type { Tone } from "./drawn";

/** What the platform says of two fragments that correspond. */
export interface Matched {
  readonly x: number;
  readonly y: number;
  readonly j: number;
  readonly start_differs: boolean;
  readonly code_differs: boolean;
  readonly loss: number;
  readonly subtype: string;
  readonly comment: string;
  readonly correction: string;
}

export interface Compared {
  readonly pairs: readonly Matched[];
  readonly unmatched_x: readonly number[];
  readonly unmatched_y: readonly number[];
}

export const KINDS = ["same", "place", "code", "subtype", "correction", "only-x", "only-y"] as const;
export type Kind = (typeof KINDS)[number];

/** A row of the comparison: a pair, or a fragment that has none. */
export interface Row {
  readonly kind: Kind;
  readonly x: number | null;
  readonly y: number | null;
  readonly loss: number | null;
}

export const SIGNS: Record<Kind, string> = {
  same: "●",
  place: "◐",
  code: "◆",
  subtype: "▽",
  correction: "✎",
  "only-x": "○",
  "only-y": "○",
};

/** In what two fragments that correspond differ; the first of these where it is several things. */
export function kindOf(pair: Matched): Kind {
  if (pair.code_differs) return "code";
  if (pair.start_differs || pair.j > 0) return "place";
  if (pair.subtype === "differs" || pair.comment === "differs") return "subtype";
  return pair.correction === "differs" ? "correction" : "same";
}

export function toneOf(kind: Kind): Tone {
  if (kind === "same") return "same";
  return kind === "only-x" || kind === "only-y" ? "only" : "partial";
}

/** Everything that is compared, in the order in which it stands in the text. */
export function rowsOf(compared: Compared, startX: readonly number[], startY: readonly number[]): Row[] {
  const rows: Row[] = [
    ...compared.pairs.map((pair) => ({ kind: kindOf(pair), x: pair.x, y: pair.y, loss: pair.loss })),
    ...compared.unmatched_x.map((x) => ({ kind: "only-x" as const, x, y: null, loss: null })),
    ...compared.unmatched_y.map((y) => ({ kind: "only-y" as const, x: null, y, loss: null })),
  ];
  const start = ({ x, y }: Row) => (x !== null ? (startX[x] ?? 0) : (startY[y ?? 0] ?? 0));
  return rows.sort((one, other) => start(one) - start(other));
}

/** A row's name in addresses: its fragment of X by place from 1, else that of Y. */
export function nameOf({ x, y }: Row): string {
  return x !== null ? `X${x + 1}` : `Y${(y ?? 0) + 1}`;
}
