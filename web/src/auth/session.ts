import { isRefusal, lookUp, type Pool, renew, revoke, type Tokens } from "./oauth";

/**
 * Who is signed in. Access and identity tokens live in this module's memory; the refresh token in the tab's own storage,
 * so that a reload keeps somebody signed in and closing the tab does not.
 */
export type Session =
  | { state: "out" }
  /** A refresh token is there, and it is being exchanged. */
  | { state: "coming" }
  | { state: "in"; pool: Pool }
  /** The sign-in ended while somebody worked; what is open stays open. */
  | { state: "expired"; pool: Pool };

interface Kept {
  pool: Pool;
  refreshToken: string;
}

const KEY = "hurdle.refresh";
const LOCK = "hurdle.refresh";
const BEFORE_END_MS = 60_000;
const AGAIN_MS = 5_000;

let session: Session = { state: "out" };
let tokens: Tokens | null = null;
let renewal: Promise<void> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function currentSession(): Session {
  return session;
}

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The token for the next request; waits for a renewal that is under way. */
export async function accessToken(): Promise<string | null> {
  if (renewal) await renewal;
  return tokens?.accessToken ?? null;
}

/** Take the tokens of a sign-in that has just ended. */
export function begin(pool: Pool, fresh: Tokens): void {
  tokens = fresh;
  if (fresh.refreshToken) keep({ pool, refreshToken: fresh.refreshToken });
  clearTimeout(timer);
  timer = setTimeout(() => void renewNow(), Math.max(fresh.endsInMs - BEFORE_END_MS, BEFORE_END_MS / 2));
  become({ state: "in", pool });
}

/** Sign in again with the tab's refresh token, if it has one. */
export function restore(): void {
  const kept = keptToken();
  if (!kept) return;
  become({ state: "coming" });
  void renewNow();
}

/** Forget the tokens and revoke the refresh token. Returns where the pool's own sign-out is; the page must be left. */
export async function end(): Promise<string | null> {
  const kept = keptToken();
  clearTimeout(timer);
  tokens = null;
  sessionStorage.removeItem(KEY);
  return kept ? revoke(kept.pool, kept.refreshToken) : null;
}

function renewNow(): Promise<void> {
  if (renewal) return renewal;
  const begun = Promise.resolve(navigator.locks.request(LOCK, renewUnderLock)).then(() => {
    renewal = null;
  });
  renewal = begun;
  return begun;
}

async function renewUnderLock(): Promise<void> {
  const kept = keptToken();
  if (!kept) return;
  try {
    const server = await lookUp(kept.pool);
    const fresh = await renew(server, kept.refreshToken);
    begin(kept.pool, { ...fresh, refreshToken: fresh.refreshToken ?? kept.refreshToken });
  } catch (error) {
    if (!isRefusal(error)) {
      // Without a network nobody's sign-in ends: the refresh token is kept and tried again.
      timer = setTimeout(() => void renewNow(), AGAIN_MS);
      return;
    }
    tokens = null;
    sessionStorage.removeItem(KEY);
    become(session.state === "coming" ? { state: "out" } : { state: "expired", pool: kept.pool });
  }
}

function keep(kept: Kept): void {
  sessionStorage.setItem(KEY, JSON.stringify(kept));
}

function keptToken(): Kept | null {
  const text = sessionStorage.getItem(KEY);
  return text ? (JSON.parse(text) as Kept) : null;
}

function become(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}
