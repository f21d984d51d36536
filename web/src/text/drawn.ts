import { type Categorized, type Family, familyOf, UNKNOWN } from "./codes";
import type { Fragment } from "./markup";
import { lanes, overlap, type Span } from "./spans";

/** Dash pattern of a line: the same distinction as its colour, for readers who see no colours. */
type Stroke = "solid" | "dotted" | "dash-dot" | "double" | "wavy" | "dashed" | "thin" | "half";
type Tone = Family | "same" | "partial" | "only" | "third";

/** Fragment with its style on the surface. */
export interface Drawn extends Span {
  readonly key: string;
  /** Name of the pair whose fragments stand on both sides; they become active together. */
  readonly pair?: string;
  /** Group of linked fragments, such as a cause and its effect: they have the same value. */
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

/** Assign lanes to fragments painted on one side of the lines; brackets and lines have separate lanes. */
export function withLanes(all: readonly Omit<Drawn, "lane">[]): Drawn[] {
  const kinds = new Map(
    [...new Set(all.map(layerOf))].map((kind) => [kind, all.filter((mark) => layerOf(mark) === kind)]),
  );
  const laneOf = new Map<string, number>();
  for (const [kind, some] of kinds) {
    for (const [key, lane] of lanes(new Map(some.map((mark) => [mark.key, mark])))) laneOf.set(`${kind}${key}`, lane);
  }
  return all
    .filter((mark) => mark.start < mark.end)
    .map((mark) => ({ ...mark, lane: laneOf.get(`${layerOf(mark)}${mark.key}`) ?? 0 }));
}

function layerOf(mark: Omit<Drawn, "lane">): string {
  return `${mark.block ? "block" : "line"}${mark.above ? "above" : "below"}:`;
}

export function within(drawn: readonly Drawn[], paragraph: Span): Drawn[] {
  return drawn.filter((mark) => overlap(mark, paragraph));
}

/** Number of lanes painted on a side; fragments in deeper lanes are counted in the margin. */
const MOST_LANES = 6;

export function isTooDeep(mark: Drawn): boolean {
  return !mark.block && mark.lane >= MOST_LANES;
}

/** True if the fragment is active, by its own key or as one of a pair. */
export function isActive(mark: Drawn, active: string | null): boolean {
  return active !== null && (mark.key === active || mark.pair === active);
}

/** Return the groups shown as connected with the active fragment: its pair, and the groups of its links. */
export function joined(drawn: readonly Drawn[], active: string | null): Drawn[][] {
  const pair = drawn.filter((mark) => isActive(mark, active));
  const groups = new Set(pair.flatMap(({ group }) => group ?? []));
  const linked = [...groups].map((group) => drawn.filter((mark) => mark.group === group));
  return [pair, ...linked].filter((marks) => marks.length > 1);
}

const LANE = 4;

/** Return the height at which a fragment's line is painted, above or below one of its lines of text. */
export function heightOf({ above, lane }: Drawn, box: LineBox): number {
  return above ? box.top - 1 - lane * LANE : box.bottom + 1 + lane * LANE;
}

/** Return the number of painted lanes below the lines of a paragraph, or above them. */
export function depth(drawn: readonly Drawn[], above: boolean): number {
  const visible = drawn.filter((mark) => mark.above === above && !mark.block && !isTooDeep(mark));
  return Math.max(0, ...visible.map((mark) => mark.lane + 1));
}

export function sameDrawn(one: readonly Drawn[], other: readonly Drawn[]): boolean {
  return one.length === other.length && one.every((mark, place) => sameOne(mark, other[place] as Drawn));
}

function sameOne(one: Drawn, other: Drawn): boolean {
  return one === other || (Object.keys(one) as (keyof Drawn)[]).every((name) => one[name] === other[name]);
}

const AGREEMENT = { same: "solid", partial: "dashed", only: "dotted" } as const;

/** Style of a compared fragment. */
type Look = Pick<Drawn, "tone" | "stroke" | "block">;
export type LookOf = (row: Row, of: Fragment) => Look;

/** Return the style by agreement: colour and line show how far the two annotations agree. */
export function byAgreement(row: Row): Look {
  const tone = toneOf(row.kind);
  return { tone, stroke: AGREEMENT[tone as keyof typeof AGREEMENT], block: false };
}

/** Return the style by code family; a block has brackets on its own side of the lines only. */
export function byFamily(codeOf: (name: string) => Categorized): LookOf {
  return (_, { code }) => {
    const tone = familyOf(codeOf(code));
    const block = tone === "meaning";
    return { tone, stroke: block ? "half" : STROKES[tone], block };
  };
}

/** Return the lines of one of two compared annotations; the key is the side's letter and the row's name. */
export function linesOf(
  rows: readonly Row[],
  side: "x" | "y",
  fragments: readonly Fragment[],
  above: boolean,
  look: LookOf,
): Omit<Drawn, "lane">[] {
  return rows.flatMap((row) => {
    const place = row[side];
    const fragment = place === null ? undefined : fragments[place];
    if (!fragment) return [];
    return [
      {
        ...look(row, fragment),
        key: side + nameOf(row),
        pair: nameOf(row),
        ...(fragment.tag && { group: `${side} ${fragment.tag}` }),
        start: fragment.start,
        end: fragment.end,
        above,
        label: `${SIGNS[row.kind]} ${fragment.code}`,
      },
    ];
  });
}

const LONGEST = 60;
const CIRCLED = 0x2460;

/** Fragments as the surface paints them: a colour and a stroke for each family, brackets for semantic blocks. */
export function painted(
  fragments: readonly Fragment[],
  codeOf: (name: string) => Categorized | undefined,
): Omit<Drawn, "lane">[] {
  return fragments.map((fragment) => {
    const family = familyOf(codeOf(fragment.code) ?? UNKNOWN);
    return {
      key: String(fragment.id),
      start: fragment.start,
      end: fragment.end,
      ...(fragment.tag && { group: fragment.tag }),
      tone: family,
      stroke: STROKES[family],
      block: family === "meaning",
      above: false,
      label: [fragment.code, linkOf(fragment.tag)].filter(Boolean).join(" "),
    };
  });
}

/** Return a link's number as one character if there is one: ①. */
export function linkOf(tag: string): string {
  const number = /^\d{1,2}$/.test(tag) ? Number(tag) : 0;
  return number >= 1 && number <= 20 ? String.fromCodePoint(CIRCLED + number - 1) : tag && `#${tag}`;
}

/** Return the beginning of a fragment's text, for a list. */
export function quoteOf(text: string, { start, end }: { start: number; end: number }): string {
  const whole = text.slice(start, end).replace(/\s+/gu, " ");
  const signs = Array.from(whole);
  return signs.length > LONGEST ? `${signs.slice(0, LONGEST).join("")}…` : whole;
}

/** Pair of fragments that correspond, with their differences as the platform reports them. */
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

/** Row of the comparison: a pair, or a fragment without a pair. */
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

/** Return the kind of difference of two corresponding fragments; the first one if there are several. */
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

/** Return all rows of the comparison, in the order of the text. */
export function rowsOf(compared: Compared, startX: readonly number[], startY: readonly number[]): Row[] {
  const rows: Row[] = [
    ...compared.pairs.map((pair) => ({ kind: kindOf(pair), x: pair.x, y: pair.y, loss: pair.loss })),
    ...compared.unmatched_x.map((x) => ({ kind: "only-x" as const, x, y: null, loss: null })),
    ...compared.unmatched_y.map((y) => ({ kind: "only-y" as const, x: null, y, loss: null })),
  ];
  const start = ({ x, y }: Row) => (x !== null ? (startX[x] ?? 0) : (startY[y ?? 0] ?? 0));
  return rows.sort((one, other) => start(one) - start(other));
}

/** Return a row's name in addresses: the place of its fragment of X from 1, else of that of Y. */
export function nameOf({ x, y }: Row): string {
  return x !== null ? `X${x + 1}` : `Y${(y ?? 0) + 1}`;
}

/** Box of one painted line of a span, relative to the surface. */
export interface LineBox {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Element of the surface, and the paragraphs of its text as spans. */
export interface Laid {
  readonly surface: HTMLElement;
  readonly paragraphs: readonly Span[];
}

function nodeAt({ surface, paragraphs }: Laid, paragraph: number, at: number): [Text, number] | null {
  const node = surface.children[paragraph]?.firstChild;
  const span = paragraphs[paragraph];
  if (!(node instanceof Text) || !span) return null;
  return [node, Math.min(Math.max(at - span.start, 0), node.length)];
}

/** The lines on which a span stands, within one paragraph. */
export function lineBoxes(laid: Laid, paragraph: number, span: Span): LineBox[] {
  const start = nodeAt(laid, paragraph, span.start);
  const end = nodeAt(laid, paragraph, span.end);
  if (!start || !end) return [];
  const range = document.createRange();
  range.setStart(...start);
  range.setEnd(...end);
  const origin = laid.surface.getBoundingClientRect();
  const lines: LineBox[] = [];
  for (const { left, right, top, bottom } of range.getClientRects()) {
    if (right - left < 0.5) continue;
    const box = {
      left: left - origin.left,
      right: right - origin.left,
      top: top - origin.top,
      bottom: bottom - origin.top,
    };
    const last = lines.at(-1);
    // Characters of another font (an emoji) make boxes of their own on the same line.
    if (last && box.top < last.bottom - 2 && box.bottom > last.top + 2) lines[lines.length - 1] = around(last, box);
    else lines.push(box);
  }
  return lines;
}

function around(one: LineBox, other: LineBox): LineBox {
  return {
    left: Math.min(one.left, other.left),
    right: Math.max(one.right, other.right),
    top: Math.min(one.top, other.top),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** Return the place in the text of an end of the browser's selection; null outside the surface. */
export function placeOf({ surface, paragraphs }: Laid, node: Node, offset: number): number | null {
  if (!surface.contains(node)) return null;
  if (node === surface) return paragraphs[offset]?.start ?? paragraphs.at(-1)?.end ?? 0;
  const element = node instanceof Text ? node.parentElement : node;
  const span = paragraphs[Array.prototype.indexOf.call(surface.children, element)];
  if (!span) return null;
  if (node instanceof Text) return span.start + offset;
  return offset === 0 ? span.start : span.end;
}

/** Select a span as if the user had dragged over it, or set the caret there. */
export function select(laid: Laid, span: Span, paragraphOf: (at: number) => number): void {
  const start = nodeAt(laid, paragraphOf(span.start), span.start);
  const last = span.end > span.start ? paragraphOf(span.end - 1) : paragraphOf(span.end);
  const end = nodeAt(laid, last, span.end);
  if (start && end) document.getSelection()?.setBaseAndExtent(...start, ...end);
}
