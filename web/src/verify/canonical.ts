/** JSON value that the platform hashes or signs (docs/fairness.md, "Canonical JSON"). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

const encoder = new TextEncoder();

/** Return a value as canonical JSON: UTF-8, members sorted by name, no blanks. Throw if a number is not whole. */
export function canonical(value: Json): Uint8Array<ArrayBuffer> {
  return encoder.encode(write(value));
}

function write(value: Json): string {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number`);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.entries(value).filter((member): member is [string, Json] => member[1] !== undefined);
  members.sort(([a], [b]) => byCodePoints(a, b));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(",")}}`;
}

/** Compare two texts by code points; JavaScript compares code units, which puts an emoji before some letters. */
function byCodePoints(a: string, b: string): number {
  const [one, other] = [[...a], [...b]];
  const at = one.findIndex((character, index) => character !== other[index]);
  if (at === -1) return one.length - other.length;
  return (one[at]?.codePointAt(0) ?? -1) - (other[at]?.codePointAt(0) ?? -1);
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function digest(value: Json): Promise<string> {
  return hex(await sha256(canonical(value)));
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

const LEAF = 0;
const NODE = 1;

/** Return the Merkle root (RFC 6962) of the rows' canonical JSON, in their order; null without rows. */
export async function rootOf(rows: readonly Json[]): Promise<string | null> {
  let level = await Promise.all(rows.map((row) => sha256(joined(LEAF, canonical(row)))));
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) => level.slice(2 * at, 2 * at + 2));
    level = await Promise.all(pairs.map(async ([one, right]) => above(one, right)));
  }
  return level[0] ? hex(level[0]) : null;
}

/** Return the hash of a pair of nodes; an odd last node goes up unchanged. */
function above(one: Bytes | undefined, right: Bytes | undefined): Promise<Bytes> | Bytes {
  if (!one) throw new Error("a pair without its left one");
  return right ? sha256(joined(NODE, one, right)) : one;
}

type Bytes = Uint8Array<ArrayBuffer>;

function joined(mark: number, ...parts: Bytes[]): Bytes {
  const bytes = new Uint8Array(1 + parts.reduce((length, part) => length + part.length, 0));
  bytes[0] = mark;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
