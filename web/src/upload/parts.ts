import { ApiError, unreachable } from "@/api/problem";

/** Size of an upload's part that the platform accepts, in bytes (docs/decisions/0009). */
export const PART_SIZE = 64 * 1024 * 1024;
/** Bytes hashed in one go; between two of them the page stays responsive. */
const BITE = 4 * 1024 * 1024;

interface Cut {
  from: number;
  to: number;
}

/** Description of a file to upload: SHA-256 of the whole and of each part, hexadecimal. */
interface Measured {
  size: number;
  sha256: string;
  parts: string[];
}

interface Measuring {
  /** Receives the number of bytes read so far. */
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
      await new Promise((resolve) => setTimeout(resolve)); // the page does what waits
    }
  }
  return { size: file.size, sha256: hexOf(whole.digest()), parts };
}

async function digest(bytes: ArrayBuffer): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function hexOf(hash: Uint8Array): string {
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Tries for a part: an address is valid for five minutes, and a part that failed goes to another one. */
const TRIES = 3;
const FORBIDDEN = 403;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

interface Bringing {
  file: Blob;
  /** Numbers, from 1, of the missing parts; undefined for all parts. */
  missing?: readonly number[];
  /** Returns the address for a part: another one at every call. */
  address: (part: number) => Promise<string>;
  tell: (arrived: number) => void;
  /** Receives true when the connection is lost, and false when bytes are sent again. */
  waits?: (waiting: boolean) => void;
  signal?: AbortSignal;
}

/** Upload a file part by part to its signed addresses; wait out a lost connection. Uploaded parts stay uploaded. */
export async function bring(upload: Bringing): Promise<void> {
  const cuts = partsOf(upload.file.size);
  const missing = upload.missing ?? cuts.map((_, at) => at + 1);
  const size = (part: number) => (cuts[part - 1]?.to ?? 0) - (cuts[part - 1]?.from ?? 0);
  let arrived = upload.file.size - missing.reduce((sum, part) => sum + size(part), 0);
  upload.tell(arrived);
  for (const part of missing) {
    const before = arrived;
    await bringPart(upload, part, upload.file.slice(cuts[part - 1]?.from, cuts[part - 1]?.to), (sent) =>
      upload.tell(before + sent),
    );
    arrived += size(part);
    upload.tell(arrived);
  }
}

async function bringPart(upload: Bringing, part: number, bytes: Blob, tell: (sent: number) => void): Promise<void> {
  const goes = (sent: number) => {
    if (sent > 0) upload.waits?.(false);
    tell(sent);
  };
  for (let tried = 1; ; tried += 1) {
    try {
      await put(await upload.address(part), bytes, goes, upload.signal);
      upload.waits?.(false);
      return;
    } catch (error) {
      upload.signal?.throwIfAborted();
      const isLost = error instanceof ApiError && error.status === 0;
      const helps = error instanceof ApiError && (error.passing || error.status === FORBIDDEN);
      // Without a network tries are not counted: the upload continues by itself when the network is back.
      if (!helps || (!isLost && tried >= TRIES)) throw error;
      upload.waits?.(true);
      await pause(error.retryAfterMs ?? Math.min(FIRST_WAIT_MS * 2 ** (tried - 1), LONGEST_WAIT_MS), upload.signal);
    }
  }
}

/** Send a part by XMLHttpRequest: `fetch` reports no progress of a body, and a part may take minutes. */
function put(address: string, bytes: Blob, tell: (sent: number) => void, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const ended = (end: () => void) => () => {
      signal?.removeEventListener("abort", stop);
      end();
    };
    request.open("PUT", address);
    request.upload.onprogress = ({ loaded }) => tell(Math.min(loaded, bytes.size));
    request.onload = ended(() =>
      request.status < 300 ? resolve() : reject(new ApiError(request.status, null, headersOf(request))),
    );
    request.onerror = ended(() => reject(unreachable()));
    request.onabort = ended(() => reject(signal?.reason ?? unreachable()));
    signal?.addEventListener("abort", stop);
    request.send(bytes);
  });
}

function headersOf(request: XMLHttpRequest): Headers {
  const after = request.getResponseHeader("retry-after");
  return new Headers(after ? { "retry-after": after } : {});
}

/** Wait, but not longer than until the network is back. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (end: () => void) => () => {
      clearTimeout(timer);
      window.removeEventListener("online", back);
      signal?.removeEventListener("abort", stopped);
      end();
    };
    const back = over(resolve);
    const stopped = over(() => reject(signal?.reason));
    const timer = setTimeout(back, ms);
    window.addEventListener("online", back);
    signal?.addEventListener("abort", stopped);
  });
}
