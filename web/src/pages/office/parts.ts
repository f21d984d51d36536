import type { Schemas } from "@/api/client";

/** What the platform takes as a part of an upload (docs/decisions/0009). */
export const PART_SIZE = 64 * 1024 * 1024;

export interface Cut {
  from: number;
  to: number;
}

export function partsOf(size: number): Cut[] {
  const cuts: Cut[] = [];
  for (let from = 0; from < size; from += PART_SIZE) cuts.push({ from, to: Math.min(from + PART_SIZE, size) });
  return cuts;
}

/** A file as an import announces it. The whole is read at once: what is larger than the platform takes, it refuses. */
export async function announced(file: Blob): Promise<Pick<Schemas["ImportRequest"], "size" | "sha256" | "parts">> {
  const bytes = await file.arrayBuffer();
  const sha256 = await digest(bytes);
  const cuts = partsOf(bytes.byteLength);
  const parts =
    cuts.length === 1 ? [sha256] : await Promise.all(cuts.map(({ from, to }) => digest(bytes.slice(from, to))));
  return { size: bytes.byteLength, sha256, parts };
}

async function digest(bytes: ArrayBuffer): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
