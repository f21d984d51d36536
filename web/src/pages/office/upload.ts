import { api } from "@/api/client";
import { ApiError, unreachable } from "@/api/problem";
import { partsOf } from "./parts";

/** An address lives five minutes; a part that did not arrive is brought to another one. */
const TRIES = 3;

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
