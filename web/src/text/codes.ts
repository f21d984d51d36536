/** Code of the classifier, with the fields that the picker needs. */
export interface Code {
  readonly code: string;
  readonly category: string;
  readonly group: "meaning" | "error";
  readonly subtypes: readonly string[];
  readonly full_text: boolean;
  readonly correction: boolean;
  readonly relation: boolean;
  readonly description: Readonly<Record<string, string>>;
  readonly colour?: number;
}

/** Number of times that an expert picked a code, and number of picks since the last one. */
interface Use {
  readonly times: number;
  readonly ago: number;
}

export type Uses = ReadonlyMap<string, Use>;

interface Match {
  readonly code: Code;
  /** Subtype that was typed after a slash; empty without one. */
  readonly subtype: string;
}

/** Input of the picker in parts: a code, and the comment and correction of the fragment. */
interface Typed {
  readonly code: string;
  readonly comment: string;
  readonly correction: string;
}

/** Parts `И.личность/имя; comment → correction`; `->` and `=>` are arrows too. Either part behind the code may be left out. */
export function partsOf(typed: string): Typed {
  const at = typed.indexOf(";");
  const arrow = typed.slice(Math.max(at, 0)).search(ARROW);
  const correctionAt = arrow < 0 ? typed.length : Math.max(at, 0) + arrow;
  const codeEnd = at < 0 ? correctionAt : at;
  return {
    code: typed.slice(0, codeEnd).trimEnd(),
    comment: at < 0 ? "" : typed.slice(at + 1, correctionAt).trim(),
    correction: typed.slice(correctionAt).replace(ARROW, "").trim(),
  };
}

const ARROW = /→|->|=>/;
const MOST = 12;
const RECENT = 9;
const LATIN = "`qwertyuiop[]asdfghjkl;'zxcvbnm,./";
const CYRILLIC = "ёйцукенгшщзхъфывапролджэячсмитьбю.";

/**
 * Find codes for the typed text, the best first: the code itself, its beginning, the beginning after its first dot,
 * a word of its description; equal matches by the expert's frequent and recent use. Text typed in
 * the other keyboard layout is understood, and е stands for ё. `И.личность/имя` names a subtype too.
 */
export function findCodes(codes: readonly Code[], typed: string, uses: Uses, wholeText = false): Match[] {
  const readings = new Set([typed, swap(typed, LATIN, CYRILLIC), swap(typed, CYRILLIC, LATIN)]);
  const ranked = new Map<Code, { rank: number; subtype: string }>();
  let turn = 0;
  for (const reading of readings) {
    const slash = reading.indexOf("/");
    const stem = fold(slash < 0 ? reading : reading.slice(0, slash)).trim();
    const subtype = slash < 0 ? "" : reading.slice(slash + 1).trim();
    if (stem !== "") {
      for (const code of codes) {
        const rank = rankOf(code, stem);
        const former = ranked.get(code);
        // Among equal matches, the typed text comes before its reading in the other layout.
        if (rank !== null && (former === undefined || rank + turn / 4 < former.rank)) {
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

/** Return the codes that were picked last, the latest first. */
export function recentCodes(codes: readonly Code[], uses: Uses): Code[] {
  return codes
    .filter((code) => uses.has(code.code))
    .sort((one, other) => (uses.get(one.code) as Use).ago - (uses.get(other.code) as Use).ago)
    .slice(0, RECENT);
}

/** Count the uses of codes in an expert's picks, which are listed with the latest first. */
export function countUses(picks: readonly string[]): Map<string, Use> {
  const uses = new Map<string, Use>();
  picks.forEach((code, ago) => {
    const count = uses.get(code);
    uses.set(code, count ? { times: count.times + 1, ago: count.ago } : { times: 1, ago });
  });
  return uses;
}

/** Return the known subtype that the typed text equals or begins; the typed text itself if there is none. */
function subtypeOf(code: Code, typed: string): string {
  const query = fold(typed);
  if (query === "") return "";
  const matching = code.subtypes.find((subtype) => fold(subtype) === query);
  return matching ?? code.subtypes.find((subtype) => fold(subtype).startsWith(query)) ?? typed;
}

export function isKnownSubtype(code: Code, subtype: string): boolean {
  return subtype === "" || code.subtypes.some((other) => fold(other) === fold(subtype));
}

function rankOf(code: Code, query: string): number | null {
  const name = fold(code.code);
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  if (name.slice(name.indexOf(".") + 1).startsWith(query)) return 2;
  const described = [...Object.values(code.description), code.category].map(fold);
  return described.some((text) => hasWord(text, query)) ? 3 : null;
}

function hasWord(text: string, query: string): boolean {
  return text.startsWith(query) || text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(query));
}

function weight(uses: Uses, code: Code): number {
  const use = uses.get(code.code);
  return use ? use.times / (1 + use.ago) : 0;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll("ё", "е");
}

function swap(typed: string, from: string, to: string): string {
  return Array.from(typed.toLowerCase(), (letter) => {
    const at = from.indexOf(letter);
    return at < 0 ? letter : (to[at] as string);
  }).join("");
}

/** The kinds of codes that have a line and a colour of their own (design §4): 31 categories cannot have 31 colours. */
export const FAMILIES = ["grammar", "speech", "logic", "composition", "fact", "task", "meaning", "ethics"] as const;
export type Family = (typeof FAMILIES)[number];

export const MARKS: Readonly<Record<Family, string>> = {
  grammar: "Г",
  speech: "Р",
  logic: "Л",
  composition: "К",
  fact: "Ф",
  task: "З",
  meaning: "▣",
  ethics: "✎",
};

export interface Categorized {
  readonly category: string;
  readonly group: "meaning" | "error";
  readonly code?: string;
  /** Number of the family whose colour and line the label set chose for the code. */
  readonly colour?: number;
}

/** Category and group of a code that the classifier does not have. */
export const UNKNOWN: Categorized = { category: "", group: "error" };

/** Return a code's family: the label set's choice; an organizer's category without one belongs to `task`. */
export function familyOf({ category, group, colour = 0 }: Categorized): Family {
  const chosen = FAMILIES[colour - 1];
  if (chosen) return chosen;
  return group === "meaning" ? "meaning" : (known(category) ?? "task");
}

/** Return the family's letter; an organizer's category has its own first letter, and so has a code with a colour. */
export function markOf(code: Categorized): string {
  if (code.colour) return (Array.from(code.code ?? code.category)[0] ?? MARKS.task).toUpperCase();
  const family = familyOf(code);
  if (family !== "task" || known(code.category)) return MARKS[family];
  return (Array.from(code.category)[0] ?? MARKS.task).toUpperCase();
}

/** Return a known category's family. `hasOwn`, as a category may be named like a property that every object has. */
function known(category: string): Family | undefined {
  return Object.hasOwn(CATEGORIES, category) ? CATEGORIES[category] : undefined;
}

/** The family of every category of the contest's classifier that names errors; a test reads that classifier. */
export const CATEGORIES: Readonly<Record<string, Family>> = {
  "Грамматические ошибки": "grammar",

  "Речевые ошибки": "speech",
  "Лексические ошибки": "speech",
  "Точность и выразительность речи": "speech",

  "Логические ошибки": "logic",
  "Ошибки в логике рассуждений": "logic",
  "Ошибки в причинно-следственных связях": "logic",

  "Композиционная цельность и логичность": "composition",
  "Композиционно-текстовые ошибки": "composition",
  "Ошибки в организации текста": "composition",
  "Ошибки в форме изложения": "composition",

  "Фактические ошибки": "fact",
  "Ошибки в фактах или примерах": "fact",
  "Ошибки при указании исторического события": "fact",
  "Ошибки при указании исторической личности и её роли": "fact",
  "Ошибки в оценке влияния события на дальнейшую историю": "fact",

  "Соответствие сочинения теме и её раскрытие": "task",
  "Формулировка проблем исходного текста": "task",
  "Комментарий к сформулированной проблеме исходного текста": "task",
  "Отражение позиции автора исходного текста": "task",
  "Отношение к позиции автора по проблеме исходного текста": "task",
  "Ошибки при раскрытии смысла высказывания": "task",
  "Ошибки в понятиях и теоретических положениях": "task",
  "Опора на теоретико-литературные понятия": "task",
  "Ошибки в решении коммуникативной задачи": "task",
  "Ошибки в использовании исторической терминологии": "task",
  "Привлечение текста произведения для аргументации": "task",

  "Этические ошибки": "ethics",
  Исправления: "ethics",
  "Ошибки в орфографии и пунктуации": "ethics",
};
