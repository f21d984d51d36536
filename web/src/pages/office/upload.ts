import { api, type Schemas } from "@/api/client";
import { ApiError, unreachable } from "@/api/problem";

/** What the platform takes as a part of an upload (docs/decisions/0009). */
export const PART_SIZE = 64 * 1024 * 1024;
/** An address lives five minutes; a part that did not arrive is brought to another one. */
const TRIES = 3;

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

/** Bring a file part by part to its signed addresses; `tell` hears how many bytes have arrived. */
export async function bring(importId: string, file: Blob, tell: (arrived: number) => void): Promise<void> {
  for (const [at, { from, to }] of partsOf(file.size).entries()) {
    await bringPart(importId, at + 1, file.slice(from, to));
    tell(to);
  }
}

async function bringPart(importId: string, part: number, bytes: Blob): Promise<void> {
  const path = { import_id: importId, part };
  for (let left = TRIES; ; left -= 1) {
    const { data } = await api.GET("/v1/imports/{import_id}/parts/{part}", { params: { path } });
    const answer = await fetch(String(data?.address), { method: "PUT", body: bytes }).catch(() => null);
    if (answer?.ok) return;
    if (left === 1) throw answer ? new ApiError(answer.status, null, answer.headers) : unreachable();
  }
}

async function digest(bytes: ArrayBuffer): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
