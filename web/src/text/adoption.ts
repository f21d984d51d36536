import { type Changes, type Command, change, type Edit } from "./commands";
import { type Compared, type Kind, nameOf, type Row, rowsOf } from "./drawn";
import { type Fragment, freshId, freshTag } from "./markup";

export type Side = "x" | "y";

/**
 * Two earlier annotations of an essay, with their comparison. A row is "same" if the two agree in everything that
 * adoption carries, or if a field of one is empty: place, code, subtype, comment, explanation, correction, link.
 */
export interface Earlier {
  readonly x: readonly Fragment[];
  readonly y: readonly Fragment[];
  readonly rows: readonly Row[];
}

/** Fields of a fragment beside its place and its code. */
const WORDS = ["subtype", "comment", "explanation", "correction"] as const;

export function earlierOf(x: readonly Fragment[], y: readonly Fragment[], compared: Compared): Earlier {
  const starts = (fragments: readonly Fragment[]) => fragments.map((fragment) => fragment.start);
  const earlier = { x, y, rows: rowsOf(compared, starts(x), starts(y)) };
  return { ...earlier, rows: earlier.rows.map((row) => ({ ...row, kind: kindOfAll(earlier, row) })) };
}

/** Return a row's kind by all that adoption carries. A paraphrase is no agreement: one of the two would be lost. */
function kindOfAll(earlier: Earlier, row: Row): Kind {
  const [one, other] = [sideOf(earlier, row, "x"), sideOf(earlier, row, "y")];
  if (!one || !other || row.kind === "place" || row.kind === "code") return row.kind;
  const agree = WORDS.every((name) => isOneText(one[name], other[name])) && isOneLink(earlier, row);
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
 * Return the own fragment for a row: it has the place of one of the two, and the code of one of the two. It is found
 * by the fragments alone, also after a reload, undoing and changes of its text fields. Rows that share place and
 * code have a fragment each: one with the row's text fields, else the next of those left.
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
  return WORDS.every((name) => two.some((fragment) => fragment[name] === own[name]));
}

/** Return the side that an own fragment equals in everything but its link's number; null if neither. */
export function adoptedFrom(own: Fragment, earlier: Earlier, row: Row): Side | null {
  const isOf = (side: Side) => {
    const chosen = sideOf(earlier, row, side);
    return (
      chosen !== undefined &&
      samePlace(chosen, own) &&
      chosen.code === own.code &&
      WORDS.every((name) => chosen[name] === own[name])
    );
  };
  return isOf("x") ? "x" : isOf("y") ? "y" : null;
}

/**
 * Return the step that makes the own fragment equal to a row's; null if it is already, or if the row has none. If the
 * two agree and a field of one is empty, the other's text and link are adopted.
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
  return { start, end, code, ...wordsOf(of), ...(agreed ? wordsOfEither(of, other) : {}), tag };
}

/**
 * Return the step that adopts only the difference of the two, and leaves the rest of the own fragment unchanged;
 * null if nothing of the row was adopted yet.
 */
export function difference(fragments: readonly Fragment[], earlier: Earlier, row: Row, side: Side): Command | null {
  const chosen = sideOf(earlier, row, side);
  const own = ownOf(fragments, earlier, row);
  if (!chosen || !own) return null;
  const link = isOneLink(earlier, row) ? {} : { tag: tagFor(fragments, earlier, side, chosen) };
  return changed(own, { ...differing(row.kind, chosen), ...(row.kind === "subtype" ? link : {}) });
}

/**
 * Return the step that adopts every pair in which the two agree and which is not adopted yet; null without any. If
 * a field of one is empty, the other's texts and links are adopted.
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
  return wordsOf(fragment);
}

type Words = Pick<Fragment, (typeof WORDS)[number]>;

function wordsOf(fragment: Fragment): Words {
  return Object.fromEntries(WORDS.map((name) => [name, fragment[name]])) as unknown as Words;
}

function wordsOfEither(one: Fragment, other: Fragment): Words {
  return Object.fromEntries(WORDS.map((name) => [name, (one[name].trim() ? one : other)[name]])) as unknown as Words;
}

function changed(own: Fragment, changes: Changes): Command | null {
  const isSame = Object.entries(changes).every(([name, value]) => own[name as keyof Fragment] === value);
  return isSame ? null : change(own, changes, "adopt");
}

/**
 * Return a link's number among the own ones. Both experts numbered their links independently: linked fragments stay
 * linked, and a number that has another meaning here is changed.
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
