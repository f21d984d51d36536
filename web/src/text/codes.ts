/** What the picker needs of a code of the classifier. */
export interface Code {
  readonly code: string;
  readonly category: string;
  readonly group: "meaning" | "error";
  readonly subtypes: readonly string[];
  readonly full_text: boolean;
  readonly correction: boolean;
  readonly relation: boolean;
  readonly description: Readonly<Record<string, string>>;
}

/** How often, and how long ago in picks, an expert took a code. */
export interface Use {
  readonly times: number;
  readonly ago: number;
}

export type Uses = ReadonlyMap<string, Use>;

export interface Found {
  readonly code: Code;
  /** The subtype that was asked for after a slash, empty without one. */
  readonly subtype: string;
}

export const MOST = 12;
const RECENT = 9;
const LATIN = "`qwertyuiop[]asdfghjkl;'zxcvbnm,./";
const CYRILLIC = "ёйцукенгшщзхъфывапролджэячсмитьбю.";

/**
 * Codes for what was typed, the best first: the code itself, its beginning, the beginning of what follows its first dot,
 * a word of its description; among equals the one that this expert takes oftener and took lately. What was typed in
 * the other keyboard layout is understood, and е stands for ё. `И.личность/имя` asks for a subtype too.
 */
export function findCodes(codes: readonly Code[], typed: string, uses: Uses, wholeText = false): Found[] {
  const readings = new Set([typed, inCyrillic(typed), inLatin(typed)]);
  const ranked = new Map<Code, { rank: number; subtype: string }>();
  let turn = 0;
  for (const reading of readings) {
    const slash = reading.indexOf("/");
    const wanted = fold(slash < 0 ? reading : reading.slice(0, slash)).trim();
    const subtype = slash < 0 ? "" : reading.slice(slash + 1).trim();
    if (wanted !== "") {
      for (const code of codes) {
        const rank = rankOf(code, wanted);
        const known = ranked.get(code);
        // Among equal matches what was really typed comes before a reading in the other layout.
        if (rank !== null && (known === undefined || rank + turn / 4 < known.rank)) {
          ranked.set(code, { rank: rank + turn / 4, subtype });
        }
      }
    }
    turn += 1;
  }
  const order = new Map(codes.map((code, place) => [code, place]));
  return [...ranked]
    .sort(
      ([one, a], [other, b]) =>
        Number(wholeText && other.full_text) - Number(wholeText && one.full_text) ||
        a.rank - b.rank ||
        weight(uses, other) - weight(uses, one) ||
        (order.get(one) as number) - (order.get(other) as number),
    )
    .slice(0, MOST)
    .map(([code, { subtype }]) => ({ code, subtype: subtypeOf(code, subtype) }));
}

/** The codes that were taken last, the latest first. */
export function recentCodes(codes: readonly Code[], uses: Uses): Code[] {
  return codes
    .filter((each) => uses.has(each.code))
    .sort((one, other) => (uses.get(one.code) as Use).ago - (uses.get(other.code) as Use).ago)
    .slice(0, RECENT);
}

/** What is known of an expert's picks after one more, the latest first in the list. */
export function countUses(picks: readonly string[]): Map<string, Use> {
  const uses = new Map<string, Use>();
  picks.forEach((code, ago) => {
    const known = uses.get(code);
    uses.set(code, known ? { times: known.times + 1, ago: known.ago } : { times: 1, ago });
  });
  return uses;
}

export function sameCode(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The known subtype that what was typed begins; what was typed itself where none does. */
export function subtypeOf(code: Code, typed: string): string {
  const wanted = fold(typed);
  if (wanted === "") return "";
  const known = code.subtypes.find((each) => fold(each) === wanted);
  return known ?? code.subtypes.find((each) => fold(each).startsWith(wanted)) ?? typed;
}

export function isKnownSubtype(code: Code, subtype: string): boolean {
  return subtype === "" || code.subtypes.some((each) => fold(each) === fold(subtype));
}

function rankOf(code: Code, wanted: string): number | null {
  const name = fold(code.code);
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  if (name.slice(name.indexOf(".") + 1).startsWith(wanted)) return 2;
  const described = [...Object.values(code.description), code.category].map(fold);
  return described.some((text) => hasWord(text, wanted)) ? 3 : null;
}

function hasWord(text: string, wanted: string): boolean {
  return text.startsWith(wanted) || text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted));
}

function weight(uses: Uses, code: Code): number {
  const use = uses.get(code.code);
  return use ? use.times / (1 + use.ago) : 0;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll("ё", "е");
}

function inCyrillic(typed: string): string {
  return swap(typed, LATIN, CYRILLIC);
}

function inLatin(typed: string): string {
  return swap(typed, CYRILLIC, LATIN);
}

function swap(typed: string, from: string, to: string): string {
  return Array.from(typed.toLowerCase(), (each) => {
    const at = from.indexOf(each);
    return at < 0 ? each : (to[at] as string);
  }).join("");
}
