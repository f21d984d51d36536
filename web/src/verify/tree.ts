import { canonical, hex, type Json, sha256 } from "./canonical";

const LEAF = 0;
const NODE = 1;

/** The root over rows in their order: the tree of RFC 6962 with the rows' canonical JSON; null without rows. */
export async function rootOf(rows: readonly Json[]): Promise<string | null> {
  let level = await Promise.all(rows.map((row) => sha256(joined(LEAF, canonical(row)))));
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) => level.slice(2 * at, 2 * at + 2));
    level = await Promise.all(pairs.map(async ([left, right]) => above(left, right)));
  }
  return level[0] ? hex(level[0]) : null;
}

/** An odd last one is carried up as it is. */
function above(left: Bytes | undefined, right: Bytes | undefined): Promise<Bytes> | Bytes {
  if (!left) throw new Error("a pair without its left one");
  return right ? sha256(joined(NODE, left, right)) : left;
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
