import type { Family } from "./families";
import type { LineBox } from "./geometry";
import { overlap, type Span } from "./graphemes";
import { lanes } from "./lanes";

/** How a line is dashed: the same distinction as its colour, for who sees no colours. */
export type Stroke = "solid" | "dotted" | "dash-dot" | "double" | "wavy" | "dashed" | "thin" | "half";
export type Tone = Family | "same" | "partial" | "only" | "third";

/** A fragment as it is painted. */
export interface Drawn extends Span {
  readonly key: string;
  /** What it is active with: the name of the pair whose fragments stand on both sides. */
  readonly pair?: string;
  /** Fragments with the same one are linked: a cause and its effect. */
  readonly group?: string;
  readonly tone: Tone;
  readonly stroke: Stroke;
  /** Brackets at both ends instead of a line: a block is often a paragraph long. */
  readonly block: boolean;
  readonly above: boolean;
  readonly label: string;
  readonly lane: number;
}

export const STROKES: Record<Family, Stroke> = {
  grammar: "solid",
  speech: "dotted",
  logic: "dash-dot",
  composition: "double",
  fact: "wavy",
  task: "dashed",
  meaning: "solid",
  ethics: "thin",
};

/** Lanes for what is painted on one side of the lines; brackets and lines do not take each other's. */
export function withLanes(all: readonly Omit<Drawn, "lane">[]): Drawn[] {
  const kinds = new Map(
    [...new Set(all.map(kindOf))].map((kind) => [kind, all.filter((each) => kindOf(each) === kind)]),
  );
  const found = new Map<string, number>();
  for (const [kind, some] of kinds) {
    for (const [key, lane] of lanes(new Map(some.map((each) => [each.key, each])))) found.set(`${kind}${key}`, lane);
  }
  return all
    .filter((each) => each.start < each.end)
    .map((each) => ({ ...each, lane: found.get(`${kindOf(each)}${each.key}`) ?? 0 }));
}

function kindOf(of: Omit<Drawn, "lane">): string {
  return `${of.block ? "block" : "line"}${of.above ? "above" : "below"}:`;
}

export function within(drawn: readonly Drawn[], paragraph: Span): Drawn[] {
  return drawn.filter((each) => overlap(each, paragraph));
}

/** So many lanes are painted on a side; what lies deeper is counted in the margin. */
export const MOST_LANES = 6;

export function isTooDeep(of: Drawn): boolean {
  return !of.block && of.lane >= MOST_LANES;
}

/** Whether this is what is looked at, by its own key or as one of a pair. */
export function isActive(each: Drawn, active: string | null): boolean {
  return active !== null && (each.key === active || each.pair === active);
}

/** What is to be seen as belonging together while one is active: its pair, and the group of its link. */
export function joined(drawn: readonly Drawn[], active: string | null): Drawn[][] {
  const pair = drawn.filter((each) => isActive(each, active));
  const groups = new Set(pair.flatMap(({ group }) => group ?? []));
  const linked = [...groups].map((group) => drawn.filter((each) => each.group === group));
  return [pair, ...linked].filter((each) => each.length > 1);
}

const LANE = 4;

/** At which height a fragment's line is painted, above or below one of its lines of text. */
export function heightOf({ above, lane }: Drawn, box: LineBox): number {
  return above ? box.top - 1 - lane * LANE : box.bottom + 1 + lane * LANE;
}

/** Lanes below the lines of a paragraph, and above them. */
export function depth(drawn: readonly Drawn[], above: boolean): number {
  const shown = drawn.filter((each) => each.above === above && !each.block && !isTooDeep(each));
  return Math.max(0, ...shown.map((each) => each.lane + 1));
}

export function sameDrawn(one: readonly Drawn[], other: readonly Drawn[]): boolean {
  return one.length === other.length && one.every((each, place) => sameOne(each, other[place] as Drawn));
}

function sameOne(one: Drawn, other: Drawn): boolean {
  return one === other || (Object.keys(one) as (keyof Drawn)[]).every((name) => one[name] === other[name]);
}
