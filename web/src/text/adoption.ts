import { type Changes, type Command, change, type Edit } from "./commands";
import { type Compared, type Kind, nameOf, type Row, rowsOf } from "./drawn";
import { type Fragment, freshId, freshTag } from "./markup";

export type Side = "x" | "y";

/**
 * Two earlier markups of an essay, and what they have in common. A row is "same" where the two agree in everything that
 * adoption carries, or one of them says nothing of it: place, code, subtype, comment, explanation, correction, link.
 */
export interface Earlier {
  readonly x: readonly Fragment[];
  readonly y: readonly Fragment[];
  readonly rows: readonly Row[];
}

/** Fields of a fragment beside its place and its code. */
const SAID = ["subtype", "comment", "explanation", "correction"] as const;

export function earlierOf(x: readonly Fragment[], y: readonly Fragment[], compared: Compared): Earlier {
  const starts = (fragments: readonly Fragment[]) => fragments.map((fragment) => fragment.start);
  const earlier = { x, y, rows: rowsOf(compared, starts(x), starts(y)) };
  return { ...earlier, rows: earlier.rows.map((row) => ({ ...row, kind: kindOfAll(earlier, row) })) };
}

/** The kind of a row by all that adoption carries. Meaning the same in other words is no agreement: one would be lost. */
function kindOfAll(earlier: Earlier, row: Row): Kind {
  const [one, other] = [sideOf(earlier, row, "x"), sideOf(earlier, row, "y")];
  if (!one || !other || row.kind === "place" || row.kind === "code") return row.kind;
  const agree = SAID.every((name) => isOneText(one[name], other[name])) && isOneLink(earlier, row);
  return agree ? "same" : row.kind === "same" ? "subtype" : row.kind;
}

/** True if two texts are equal after normalizing and trimming, or if one of them is empty. */
function isOneText(one: string, other: string): boolean {
  const [first, second] = [one.normalize("NFC").trim(), other.normalize("NFC").trim()];
  return first === second || first === "" || second === "";
}

/** True if both experts link a row's fragments with the same others, or only one of them links any of these. */
function isOneLink(earlier: Earlier, row: Row): boolean {
  const [first, second] = [linkedWith(earlier, row, "x"), linkedWith(earlier, row, "y")];
  if (first.length > 0 && second.length > 0) return first.map(nameOf).join() === second.map(nameOf).join();
  const silent = first.length > 0 ? "y" : "x";
  return [...first, ...second].every((row) => !sideOf(earlier, row, silent)?.tag);
}

/** Return the rows that one side's fragment is linked with, itself among them; none if it has no link. */
function linkedWith(earlier: Earlier, row: Row, side: Side): Row[] {
  const tag = sideOf(earlier, row, side)?.tag;
  return tag ? earlier.rows.filter((row) => sideOf(earlier, row, side)?.tag === tag) : [];
}

/** Return the fragment of one of the two in a row. */
export function sideOf(earlier: Earlier, row: Row, side: Side): Fragment | undefined {
  const place = row[side];
  return place === null ? undefined : earlier[side][place];
}

/**
 * The own fragment that stands for a row: it covers what one of the two covers, under the code of one of the two. Told
 * from the fragments alone, so that it outlives a reload, undoing and changes of what is said of it. Of rows that share
 * place and code each has a fragment of its own: the one that says what the row says, else the next that is left.
 */
export function ownOf(fragments: readonly Fragment[], earlier: Earlier, row: Row): Fragment | undefined {
  const candidates = fragments.filter((own) => standsFor(own, earlier, row));
  const twins = candidates.length === 0 ? [] : earlier.rows.filter((other) => areTwins(earlier, other, row));
  if (twins.length < 2) return candidates[0];
  const matched = new Map<Row, Fragment>();
  for (const isOwn of [saysTheSame, () => true]) {
    for (const twin of twins) {
      const at = matched.has(twin) ? -1 : candidates.findIndex((own) => isOwn(own, earlier, twin));
      for (const own of at < 0 ? [] : candidates.splice(at, 1)) matched.set(twin, own);
    }
  }
  return matched.get(row);
}

function sidesOf(earlier: Earlier, row: Row): Fragment[] {
  return [sideOf(earlier, row, "x"), sideOf(earlier, row, "y")].filter((fragment) => fragment !== undefined);
}

function standsFor(own: Fragment, earlier: Earlier, row: Row): boolean {
  const two = sidesOf(earlier, row);
  return two.some((fragment) => samePlace(fragment, own)) && two.some((fragment) => fragment.code === own.code);
}

/** True if an own fragment of one row may be taken for another row's. */
function areTwins(earlier: Earlier, one: Row, other: Row): boolean {
  const couples = [
    [one, other],
    [other, one],
  ] as const;
  return (
    one === other || couples.some(([a, b]) => sidesOf(earlier, a).some((fragment) => standsFor(fragment, earlier, b)))
  );
}

/** True if each field of an own fragment equals that of one of the two; the fields may come from both. */
function saysTheSame(own: Fragment, earlier: Earlier, row: Row): boolean {
  const two = sidesOf(earlier, row);
  return SAID.every((name) => two.some((fragment) => fragment[name] === own[name]));
}

/** Return the side that an own fragment equals in everything but its link's number; null if neither. */
export function adoptedFrom(own: Fragment, earlier: Earlier, row: Row): Side | null {
  const isOf = (side: Side) => {
    const chosen = sideOf(earlier, row, side);
    return (
      chosen !== undefined &&
      samePlace(chosen, own) &&
      chosen.code === own.code &&
      SAID.every((name) => chosen[name] === own[name])
    );
  };
  return isOf("x") ? "x" : isOf("y") ? "y" : null;
}

/**
 * One step that makes a row's fragment the own one, in everything; null where it is already, or there is none. Where the
 * two agree and one of them says nothing, the other's words and link come with it.
 */
export function adoption(fragments: readonly Fragment[], earlier: Earlier, row: Row, side: Side): Command | null {
  const adopted = carried(fragments, earlier, row, side);
  if (!adopted) return null;
  const own = ownOf(fragments, earlier, row);
  if (own) return changed(own, adopted);
  const fragment = { ...adopted, id: freshId(fragments) };
  return { deed: "adopt", edits: [{ op: "put", at: fragments.length, fragment }], about: fragment.id };
}

/** Return the fragment to adopt from one side of a row; null if that side has none. */
function carried(fragments: readonly Fragment[], earlier: Earlier, row: Row, side: Side): Omit<Fragment, "id"> | null {
  const [of, other] = [sideOf(earlier, row, side), sideOf(earlier, row, side === "x" ? "y" : "x")];
  if (!of) return null;
  const agreed = row.kind === "same" && other !== undefined;
  const tag =
    agreed && !of.tag
      ? tagFor(fragments, earlier, side === "x" ? "y" : "x", other)
      : tagFor(fragments, earlier, side, of);
  const { start, end, code } = of;
  return { start, end, code, ...said(of), ...(agreed ? saidByEither(of, other) : {}), tag };
}

/**
 * One step that takes from a row's fragment only what sets the two apart, and leaves the rest of the own one as it is;
 * null where nothing of the row was adopted yet.
 */
export function difference(fragments: readonly Fragment[], earlier: Earlier, row: Row, side: Side): Command | null {
  const chosen = sideOf(earlier, row, side);
  const own = ownOf(fragments, earlier, row);
  if (!chosen || !own) return null;
  const link = isOneLink(earlier, row) ? {} : { tag: tagFor(fragments, earlier, side, chosen) };
  return changed(own, { ...differing(row.kind, chosen), ...(row.kind === "subtype" ? link : {}) });
}

/**
 * One step that adopts every pair in which the two agree and of which nothing was adopted yet; null without any. Where
 * one of the two says nothing, the other's words and links are taken.
 */
export function agreement(fragments: readonly Fragment[], earlier: Earlier): Command | null {
  const next = [...fragments];
  const edits: Edit[] = [];
  for (const row of earlier.rows) {
    const adopted = row.kind === "same" && !ownOf(next, earlier, row) && carried(next, earlier, row, "x");
    if (!adopted) continue;
    const fragment = { ...adopted, id: freshId(next) };
    edits.push({ op: "put", at: next.length, fragment });
    next.push(fragment);
  }
  const [first] = edits;
  return first && "fragment" in first ? { deed: "adopt", edits, about: first.fragment.id } : null;
}

function differing(kind: Kind, fragment: Fragment): Changes {
  if (kind === "place") return { start: fragment.start, end: fragment.end };
  if (kind === "code") return { code: fragment.code };
  return said(fragment);
}

type Words = Pick<Fragment, (typeof SAID)[number]>;

function said(fragment: Fragment): Words {
  return Object.fromEntries(SAID.map((name) => [name, fragment[name]])) as unknown as Words;
}

function saidByEither(one: Fragment, other: Fragment): Words {
  return Object.fromEntries(SAID.map((name) => [name, one[name].trim() ? one[name] : other[name]])) as unknown as Words;
}

function changed(own: Fragment, changes: Changes): Command | null {
  const isSame = Object.entries(changes).every(([name, value]) => own[name as keyof Fragment] === value);
  return isSame ? null : change(own, changes, "adopt");
}

/**
 * A link's number among the own ones. The two numbered their links each for itself: what one of them linked stays
 * linked, and a number that means something else here is changed.
 */
function tagFor(fragments: readonly Fragment[], earlier: Earlier, side: Side, of: Fragment): string {
  if (!of.tag) return "";
  const linked = earlier[side].filter((fragment) => fragment.tag === of.tag);
  const partner = fragments.find(
    (own) =>
      own.tag && linked.some((fragment) => fragment !== of && samePlace(fragment, own) && fragment.code === own.code),
  );
  if (partner) return partner.tag;
  const isFree = fragments.every((own) => own.tag !== of.tag || (samePlace(of, own) && own.code === of.code));
  return isFree ? of.tag : freshTag(fragments);
}

function samePlace(one: Fragment, other: Fragment): boolean {
  return one.start === other.start && one.end === other.end;
}
