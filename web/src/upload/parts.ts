/** What the platform takes as a part of an upload (docs/decisions/0009). */
export const PART_SIZE = 64 * 1024 * 1024;
/** So much is hashed in one go: the page stays alive between. */
const BITE = 4 * 1024 * 1024;

export interface Cut {
  from: number;
  to: number;
}

/** A file as an upload announces it: SHA-256 of the whole and of each part, hexadecimal. */
export interface Measured {
  size: number;
  sha256: string;
  parts: string[];
}

interface Measuring {
  /** Hears how many bytes are read. */
  tell?: (read: number) => void;
  signal?: AbortSignal;
}

export function partsOf(size: number): Cut[] {
  const cuts: Cut[] = [];
  for (let from = 0; from < size; from += PART_SIZE) cuts.push({ from, to: Math.min(from + PART_SIZE, size) });
  return cuts;
}

/**
 * Read a file once, part by part: no more than one part of it is in memory. The browser hashes only what it holds whole,
 * so a file of several parts needs a running hash, which is loaded with the first such file.
 */
export async function measured(file: Blob, { tell, signal }: Measuring = {}): Promise<Measured> {
  const cuts = partsOf(file.size);
  if (cuts.length <= 1) {
    const sha256 = await digest(await file.arrayBuffer());
    tell?.(file.size);
    return { size: file.size, sha256, parts: [sha256] };
  }
  const { sha256: running } = await import("@noble/hashes/sha2.js");
  const whole = running.create();
  const parts: string[] = [];
  for (const { from, to } of cuts) {
    const bytes = await file.slice(from, to).arrayBuffer();
    parts.push(await digest(bytes));
    for (let at = 0; at < bytes.byteLength; at += BITE) {
      signal?.throwIfAborted();
      whole.update(new Uint8Array(bytes, at, Math.min(BITE, bytes.byteLength - at)));
      tell?.(from + Math.min(at + BITE, bytes.byteLength));
      await breath();
    }
  }
  return { size: file.size, sha256: hexOf(whole.digest()), parts };
}

/** Let the page do what waits. */
function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

async function digest(bytes: ArrayBuffer): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function hexOf(hash: Uint8Array): string {
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
