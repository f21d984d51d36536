/** A part of a clinical document as a person reads it. */
export interface Told {
  readonly title: string;
  readonly texts: readonly string[];
  /** What coded entries are called in words. */
  readonly names: readonly string[];
}

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*>|<(\/?)([^\s/>]+)((?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/gy;
const NAME = /\sdisplayName\s*=\s*(?:"([^"]*)"|'([^']*)')/;
const ENTITY = /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi;
const KNOWN: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

/**
 * The sections of an XML document in their order: titles, texts, names of what is coded. Null where it is no whole XML;
 * then it is shown as it came. The page's policy lets nobody hand text to the browser's own reader.
 */
export function toldOf(xml: string): readonly Told[] | null {
  const found: { title: string; texts: string[]; names: string[] }[] = [{ title: "", texts: [], names: [] }];
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
    const now = found.at(-1);
    const said = (data ?? (plain === undefined ? "" : decoded(plain))).trim();
    if (said !== "" && open.at(-1) === "title") found.push({ title: said, texts: [], names: [] });
    else if (said !== "") now?.texts.push(said);
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
  return found.filter(({ title, texts, names }) => title !== "" || texts.length > 0 || names.length > 0);
}

function decoded(text: string): string {
  return text.replace(ENTITY, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return KNOWN[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}
