import { post, type Schemas } from "@/api/client";
import { save } from "@/ui/controls";
import { Offsets, type Span } from "./spans";

/** Names of a fragment's fields that a person writes. */
const WRITTEN = ["subtype", "comment", "explanation", "correction", "tag"] as const;
export type Written = (typeof WRITTEN)[number];

/** Fragment inside the site: offsets in code units. 0, 0 is the whole text. */
export interface Fragment extends Span {
  readonly id: number | string;
  readonly code: string;
  readonly subtype: string;
  readonly comment: string;
  readonly explanation: string;
  readonly correction: string;
  readonly tag: string;
}

/** Fragment in the API's form: offsets in code points (the contest's published form). */
export interface SentFragment {
  id?: number | string;
  startSelection: number;
  endSelection: number;
  type: string;
  subtype?: string;
  comment?: string;
  explanation?: string;
  correction?: string;
  tag?: string;
  group?: string;
}

export interface SentMarkup {
  meta: { subject?: string; theme?: string; taskText?: string; [field: string]: unknown };
  criteria?: Record<string, number>;
  selections: SentFragment[];
  text: string;
}

export function fromSent(sent: SentMarkup, offsets = new Offsets(sent.text)): Fragment[] {
  const ids = new Set<string>();
  return sent.selections.map((selection, place) => {
    // Ids tell fragments apart here, so one that is missing or taken is replaced.
    let id = selection.id ?? place + 1;
    while (ids.has(String(id))) id = 1 + Math.max(...sent.selections.map((other) => asNumber(other.id)), ids.size);
    ids.add(String(id));
    return {
      id,
      start: offsets.toUnits(selection.startSelection),
      end: offsets.toUnits(selection.endSelection),
      code: selection.type,
      subtype: selection.subtype ?? "",
      comment: selection.comment ?? "",
      explanation: selection.explanation ?? "",
      correction: selection.correction ?? "",
      tag: selection.tag ?? "",
    };
  });
}

export function toSent(
  fragments: readonly Fragment[],
  essay: Pick<SentMarkup, "meta" | "text">,
  groupOf: (code: string) => string,
  offsets = new Offsets(essay.text),
): SentMarkup {
  const selections = fragments.map((fragment) => ({
    id: fragment.id,
    startSelection: offsets.toCodePoints(fragment.start),
    endSelection: offsets.toCodePoints(fragment.end),
    type: fragment.code,
    subtype: fragment.subtype,
    comment: fragment.comment,
    explanation: fragment.explanation,
    correction: fragment.correction,
    tag: fragment.tag,
    group: groupOf(fragment.code),
  }));
  return { meta: essay.meta, selections, text: essay.text };
}

/** True if both have the same span, code, subtype and link: the second counts as another error. */
export function isSame(one: Fragment, other: Fragment): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.code === other.code &&
    one.subtype === other.subtype &&
    one.tag === other.tag
  );
}

export function isWholeText(span: Span): boolean {
  return span.start === 0 && span.end === 0;
}

/** Return fragments in the text's order, the longer first; those of the whole text come before all others. */
export function inOrder(fragments: readonly Fragment[]): Fragment[] {
  return [...fragments].sort((one, other) => one.start - other.start || orderOfEnds(one, other));
}

function orderOfEnds(one: Fragment, other: Fragment): number {
  if (isWholeText(one) !== isWholeText(other)) return isWholeText(one) ? -1 : 1;
  return other.end - one.end;
}

export function freshId(fragments: readonly Fragment[]): number {
  return 1 + Math.max(0, ...fragments.map((fragment) => asNumber(fragment.id)));
}

/** Return the least number that no link has yet. */
export function freshTag(fragments: readonly Fragment[]): string {
  const tags = new Set(fragments.map((fragment) => fragment.tag));
  let number = 1;
  while (tags.has(String(number))) number += 1;
  return String(number);
}

function asNumber(id: number | string | undefined): number {
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : 0;
}

/** Part of a clinical document in readable form. */
interface Section {
  readonly title: string;
  readonly texts: readonly string[];
  /** Names of the coded entries, in words. */
  readonly names: readonly string[];
}

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*>|<(\/?)([^\s/>]+)((?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/gy;
const NAME = /\sdisplayName\s*=\s*(?:"([^"]*)"|'([^']*)')/;
const ENTITY = /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi;
const KNOWN: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

/**
 * Return an XML document's sections in their order: titles, texts, names of coded entries. Null if it is no complete
 * XML; it is then shown unparsed. The page's policy (Trusted Types) forbids the browser's own parser.
 */
export function sectionsOf(xml: string): readonly Section[] | null {
  const sections: { title: string; texts: string[]; names: string[] }[] = [{ title: "", texts: [], names: [] }];
  const open: string[] = [];
  TOKEN.lastIndex = 0;
  const text = xml.replace(/^\uFEFF/u, "");
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (!token) return null;
    at = TOKEN.lastIndex;
    const [, data, closes, name, attributes = "", empty, plain] = token;
    const now = sections.at(-1);
    const content = (data ?? (plain === undefined ? "" : decoded(plain))).trim();
    if (content !== "" && open.at(-1) === "title") sections.push({ title: content, texts: [], names: [] });
    else if (content !== "") now?.texts.push(content);
    if (name === undefined) continue;
    if (closes) {
      if (open.pop() !== name) return null;
      continue;
    }
    const named = NAME.exec(attributes);
    if (named) now?.names.push(decoded(named[1] ?? named[2] ?? ""));
    if (!empty) open.push(name);
  }
  if (open.length > 0) return null;
  return sections.filter(({ title, texts, names }) => title !== "" || texts.length > 0 || names.length > 0);
}

function decoded(text: string): string {
  return text.replace(ENTITY, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return KNOWN[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}

/** Return an id as a file name without characters that a file system or a shell treats specially. */
function fileName(id: unknown): string {
  return (
    String(id ?? "")
      .replace(/[^\p{L}\p{N}_-]/gu, "_")
      .slice(0, 80) || "markup"
  );
}

/** Save an annotation as a file of the contest's JSON. */
export function keepAsJson(markup: SentMarkup): void {
  save(new Blob([JSON.stringify(markup, null, 1)], { type: "application/json" }), `${fileName(markup.meta.id)}.json`);
}

/** Save an annotation in the notation, which the platform writes; return the errors that prevent this, if any. */
export async function keepAsNotation(markup: SentMarkup): Promise<readonly Schemas["Detail"][]> {
  const { text, errors } = await post("/v1/notation/render", {}, markup as Schemas["MarkupSent"]);
  if (!text) return errors;
  save(new Blob([text], { type: "text/plain" }), `${fileName(markup.meta.id)}.txt`);
  return [];
}
