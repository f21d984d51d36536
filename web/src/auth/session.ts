import { listening } from "@/api/listening";
import { isRefusal, lookUp, type Pool, renew, revoke, type Tokens } from "./oauth";

/**
 * Who is signed in. Access and identity tokens live in this module's memory; the refresh token in the tab's own storage,
 * so that a reload keeps somebody signed in and closing the tab does not.
 */
export type Session =
  | { state: "out" }
  /** A refresh token is there, and it is being exchanged; `away`: without a network it cannot be yet. */
  | { state: "coming"; away?: true }
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
/** Before the names of what a tab keeps of a form that is not sent yet. */
export const DRAFT = "hurdle.draft.";

let session: Session = { state: "out" };
let tokens: Tokens | null = null;
let renewal: Promise<void> | null = null;
/** Whose the last tokens were. */
let person: string | null = null;
/** The token, as requests say it, that a renewal has brought after the gateway refused one. */
let refused: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const changes = listening();

export function currentSession(): Session {
  return session;
}

export const onSession = changes.on;

/** The token for the next request; waits for a renewal that is under way. */
export async function accessToken(): Promise<string | null> {
  if (renewal) await renewal;
  return tokens?.accessToken ?? null;
}

/** Take the tokens of a sign-in that has just ended. */
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

/** Forget the tokens and every draft, and revoke the refresh token. Returns where the pool's own sign-out is; the page must be left. */
export async function end(): Promise<string | null> {
  const stored = keptToken();
  clearTimeout(timer);
  tokens = null;
  sessionStorage.removeItem(KEY);
  forgetDrafts();
  return stored ? revoke(stored.pool, stored.refreshToken) : null;
}

/**
 * The platform's gateway has refused this token: renew it, unless that is done already. True where there is another
 * token to ask with; what became of the sign-in says {@link currentSession}.
 */
export async function renewedAfter(authorization: string): Promise<boolean> {
  const isOurs = () => authorization === `Bearer ${tokens?.accessToken}`;
  if (isOurs() && refused !== authorization) {
    await renewNow();
    // A token that is fresh and refused is renewed no second time.
    if (tokens) refused = `Bearer ${tokens.accessToken}`;
  }
  return tokens !== null && !isOurs();
}

/** Whether these tokens are of the person who was signed in here last. */
export function isSamePerson(fresh: Tokens): boolean {
  return person === null || subjectOf(fresh.accessToken) === person;
}

/** Give this window's sign-in to another one: it is forgotten here without being revoked. */
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
      // Without a network nobody's sign-in ends: the refresh token is kept and tried again.
      if (session.state === "coming") become({ state: "coming", away: true });
      timer = setTimeout(() => void renewNow(), AGAIN_MS);
      return;
    }
    tokens = null;
    sessionStorage.removeItem(KEY);
    become(session.state === "coming" ? { state: "out" } : { state: "expired", pool: stored.pool });
  }
}

/** Forget what forms have kept in this tab. */
function forgetDrafts(): void {
  const names = Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at));
  for (const name of names) if (name?.startsWith(DRAFT)) sessionStorage.removeItem(name);
}

/** Who a token is about; null for one that does not say it to its bearer. */
function subjectOf(token: string): string | null {
  try {
    const part = token.split(".")[1] ?? "";
    const claims: unknown = JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof claims === "object" && claims !== null && "sub" in claims ? String(claims.sub) : null;
  } catch {
    return null;
  }
}

function keep(stored: Kept): void {
  sessionStorage.setItem(KEY, JSON.stringify(stored));
}

function keptToken(): Kept | null {
  const text = sessionStorage.getItem(KEY);
  return text ? (JSON.parse(text) as Kept) : null;
}

function become(next: Session): void {
  session = next;
  changes.tell();
}

/** Between the windows of this site: a sign-in goes from the one that has just made it to the one that asked for it. */
const CHANNEL = "hurdle.sign-in";

interface Given {
  to: string;
  pool: Pool;
  tokens: Tokens;
}

/** Wait for the sign-in that another window makes for this one, which it knows by a name; returns how to stop. */
export function onSignIn(name: string): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<Given>) => {
    if (data.to !== name) return;
    const isSame = isSamePerson(data.tokens);
    begin(data.pool, data.tokens);
    if (isSame) return;
    // Somebody else's sign-in takes over nothing of what this window holds.
    forgetDrafts();
    location.assign("/");
  });
  return () => channel.close();
}

/** Give the sign-in of this window to the one that waits under a name; false where nothing is there to give. */
export function give(name: string): boolean {
  const session = giveAway();
  if (!session) return false;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage({ to: name, ...session } satisfies Given);
  channel.close();
  return true;
}
