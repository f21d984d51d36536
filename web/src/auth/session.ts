import { listening } from "@/api/listening";
import { isRefusal, lookUp, type Pool, renew, revoke, type Tokens } from "./oauth";

/**
 * Sign-in state. Access and identity tokens live in this module's memory; the refresh token in the tab's own storage,
 * so that a reload keeps somebody signed in and closing the tab does not.
 */
export type Session =
  | { state: "out" }
  /** The refresh token is being exchanged; `away`: the exchange waits for the network. */
  | { state: "coming"; away?: true }
  | { state: "in"; pool: Pool }
  /** The sign-in ended while the user worked; open pages stay open. */
  | { state: "expired"; pool: Pool };

interface StoredSignIn {
  pool: Pool;
  refreshToken: string;
}

const KEY = "hurdle.refresh";
const LOCK = "hurdle.refresh";
const BEFORE_END_MS = 60_000;
const AGAIN_MS = 5_000;
/** Key prefix, in the tab's storage, of drafts of forms that are not sent yet. */
export const DRAFT = "hurdle.draft.";

let session: Session = { state: "out" };
let tokens: Tokens | null = null;
let renewal: Promise<void> | null = null;
/** Subject (`sub`) of the last tokens; null if there is none. */
let person: string | null = null;
/** Authorization header of the token that a renewal brought after the gateway refused one. */
let refused: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const changes = listening();

export function currentSession(): Session {
  return session;
}

export const onSession = changes.on;

/** Return the token for the next request; wait for a renewal that is under way. */
export async function accessToken(): Promise<string | null> {
  if (renewal) await renewal;
  return tokens?.accessToken ?? null;
}

/** Store the tokens of a sign-in that has just completed, and schedule their renewal. */
export function begin(pool: Pool, fresh: Tokens): void {
  tokens = fresh;
  person = subjectOf(fresh.accessToken);
  if (fresh.refreshToken) keep({ pool, refreshToken: fresh.refreshToken });
  clearTimeout(timer);
  timer = setTimeout(() => void renewNow(), Math.max(fresh.endsInMs - BEFORE_END_MS, BEFORE_END_MS / 2));
  become({ state: "in", pool });
}

/** Sign in again with the tab's refresh token, if it has one. */
export function restore(): void {
  const stored = keptToken();
  if (!stored) return;
  become({ state: "coming" });
  void renewNow();
}

/** Forget tokens and drafts, revoke the refresh token, return the pool's sign-out address; the page must be left. */
export async function end(): Promise<string | null> {
  const stored = keptToken();
  clearTimeout(timer);
  tokens = null;
  sessionStorage.removeItem(KEY);
  forgetDrafts();
  return stored ? revoke(stored.pool, stored.refreshToken) : null;
}

/**
 * The platform's gateway has refused this token: renew it, unless that is done already. Return true if there is another
 * token to send; {@link currentSession} returns the state of the sign-in.
 */
export async function renewedAfter(authorization: string): Promise<boolean> {
  const isOurs = () => authorization === `Bearer ${tokens?.accessToken}`;
  if (isOurs() && refused !== authorization) {
    await renewNow();
    // A fresh token that is refused is not renewed a second time.
    if (tokens) refused = `Bearer ${tokens.accessToken}`;
  }
  return tokens !== null && !isOurs();
}

/** True if these tokens belong to the person who signed in here last, or if no person is known. */
export function isSamePerson(fresh: Tokens): boolean {
  return person === null || subjectOf(fresh.accessToken) === person;
}

/** Hand this window's sign-in over to another one: forget it here without revoking it; null if there is none. */
export function giveAway(): { pool: Pool; tokens: Tokens } | null {
  const stored = keptToken();
  if (!stored || !tokens) return null;
  const renewed = { pool: stored.pool, tokens: { ...tokens, refreshToken: stored.refreshToken } };
  clearTimeout(timer);
  tokens = null;
  person = null;
  sessionStorage.removeItem(KEY);
  become({ state: "out" });
  return renewed;
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
  const stored = keptToken();
  if (!stored) return;
  try {
    const server = await lookUp(stored.pool);
    const fresh = await renew(server, stored.refreshToken);
    begin(stored.pool, { ...fresh, refreshToken: fresh.refreshToken ?? stored.refreshToken });
  } catch (error) {
    if (!isRefusal(error)) {
      // Without a network no sign-in ends: the refresh token is stored and tried again.
      if (session.state === "coming") become({ state: "coming", away: true });
      timer = setTimeout(() => void renewNow(), AGAIN_MS);
      return;
    }
    tokens = null;
    sessionStorage.removeItem(KEY);
    become(session.state === "coming" ? { state: "out" } : { state: "expired", pool: stored.pool });
  }
}

/** Delete the form drafts stored in this tab. */
function forgetDrafts(): void {
  const names = Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at));
  for (const name of names) if (name?.startsWith(DRAFT)) sessionStorage.removeItem(name);
}

/** Return the subject (`sub`) of a token; null if its claims cannot be read or name none. */
function subjectOf(token: string): string | null {
  try {
    const part = token.split(".")[1] ?? "";
    const claims: unknown = JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof claims === "object" && claims !== null && "sub" in claims ? String(claims.sub) : null;
  } catch {
    return null;
  }
}

function keep(stored: StoredSignIn): void {
  sessionStorage.setItem(KEY, JSON.stringify(stored));
}

function keptToken(): StoredSignIn | null {
  const text = sessionStorage.getItem(KEY);
  return text ? (JSON.parse(text) as StoredSignIn) : null;
}

function become(next: Session): void {
  session = next;
  changes.tell();
}

/** Broadcast channel that hands a sign-in from the window that has just made it to the one that asked for it. */
const CHANNEL = "hurdle.sign-in";

interface HandedOver {
  to: string;
  pool: Pool;
  tokens: Tokens;
}

/** Wait for the sign-in that another window makes for this one, known by a name; return a function that stops. */
export function onSignIn(name: string): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<HandedOver>) => {
    if (data.to !== name) return;
    const isSame = isSamePerson(data.tokens);
    begin(data.pool, data.tokens);
    if (isSame) return;
    // Another person's sign-in must not take over this window's data.
    forgetDrafts();
    location.assign("/");
  });
  return () => channel.close();
}

/** Send this window's sign-in to the one that waits under a name; false if there is none to send. */
export function give(name: string): boolean {
  const session = giveAway();
  if (!session) return false;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage({ to: name, ...session } satisfies HandedOver);
  channel.close();
  return true;
}
