import { ApiError, unreachable } from "@/api/problem";
import { partsOf } from "./parts";

/** An address lives five minutes; a part that did not arrive is brought to another one. */
const TRIES = 3;
const FORBIDDEN = 403;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface Bringing {
  file: Blob;
  /** Numbers, from 1, of the parts that are to come; all of them without it. */
  missing?: readonly number[];
  /** Where a part goes: another address at every question. */
  address: (part: number) => Promise<string>;
  /** Hears how many bytes of the file the platform has. */
  tell: (arrived: number) => void;
  /** Hears that the connection is lost, and, when bytes go again, that it is back. */
  waits?: (waiting: boolean) => void;
  signal?: AbortSignal;
}

/** Bring a file part by part to its signed addresses. A lost connection is waited for; what was brought stays. */
export async function bring(of: Bringing): Promise<void> {
  const cuts = partsOf(of.file.size);
  const missing = of.missing ?? cuts.map((_, at) => at + 1);
  const size = (part: number) => (cuts[part - 1]?.to ?? 0) - (cuts[part - 1]?.from ?? 0);
  let arrived = of.file.size - missing.reduce((sum, part) => sum + size(part), 0);
  of.tell(arrived);
  for (const part of missing) {
    const before = arrived;
    await bringPart(of, part, of.file.slice(cuts[part - 1]?.from, cuts[part - 1]?.to), (sent) =>
      of.tell(before + sent),
    );
    arrived += size(part);
    of.tell(arrived);
  }
}

async function bringPart(of: Bringing, part: number, bytes: Blob, tell: (sent: number) => void): Promise<void> {
  const goes = (sent: number) => {
    if (sent > 0) of.waits?.(false);
    tell(sent);
  };
  for (let tried = 1; ; tried += 1) {
    try {
      await put(await of.address(part), bytes, goes, of.signal);
      of.waits?.(false);
      return;
    } catch (error) {
      of.signal?.throwIfAborted();
      const isLost = error instanceof ApiError && error.status === 0;
      const helps = error instanceof ApiError && (error.passing || error.status === FORBIDDEN);
      // Without a network nothing is counted: the upload goes on by itself when it is back.
      if (!helps || (!isLost && tried >= TRIES)) throw error;
      of.waits?.(true);
      await pause(error.retryAfterMs ?? Math.min(FIRST_WAIT_MS * 2 ** (tried - 1), LONGEST_WAIT_MS), of.signal);
    }
  }
}

/** `fetch` tells nothing of how much of a body has gone, and a part may take minutes. */
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
