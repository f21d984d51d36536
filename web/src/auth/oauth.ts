import * as oauth from "oauth4webapi";
import { offset } from "@/api/clock";

/** The two pools of accounts (platform §1): participants sign up by themselves, the staff is invited. */
export type Pool = "participants" | "staff";

export interface Tokens {
  accessToken: string;
  refreshToken: string | undefined;
  endsInMs: number;
}

export interface Server {
  pool: Pool;
  server: oauth.AuthorizationServer;
  client: oauth.Client;
}

/** Sign-in state stored between leaving for the sign-in page and coming back. */
interface Leaving {
  pool: Pool;
  verifier: string;
  state: string;
  nonce: string;
  returnTo: string;
}

const CALLBACK = "/signin/callback";
const KEY = "hurdle.signing-in";
const OWN_PATH = /^\/(?!\/|\\)/;
const FALLBACK_S = 900;

/** Ask the platform for a pool's issuer, and the issuer for its addresses. */
export async function lookUp(pool: Pool): Promise<Server> {
  const response = await fetch("/v1/sign-in");
  if (!response.ok) throw new Error(`sign-in: HTTP ${response.status}`);
  const pools = (await response.json()) as Record<Pool, { issuer: string; client_id: string }>;
  const issuer = new URL(pools[pool].issuer);
  const answer = await oauth.discoveryRequest(issuer, insecureAtHome());
  const server = await oauth.processDiscoveryResponse(issuer, answer);
  // Tokens are dated by the platform's clock, not by this machine's.
  const client = { client_id: pools[pool].client_id, [oauth.clockSkew]: Math.round(offset() / 1000) };
  return { pool, server, client };
}

/** Leave for the pool's sign-in page; `returnTo` is a path of this site. */
export async function leave(pool: Pool, returnTo: string): Promise<void> {
  const { server, client } = await lookUp(pool);
  if (!server.authorization_endpoint) throw new Error("the pool names no sign-in page");
  const leaving: Leaving = {
    pool,
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    returnTo: ownPath(returnTo),
  };
  sessionStorage.setItem(KEY, JSON.stringify(leaving));
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: callback(),
    scope: "openid",
    code_challenge: await oauth.calculatePKCECodeChallenge(leaving.verifier),
    code_challenge_method: "S256",
    state: leaving.state,
    nonce: leaving.nonce,
  }).toString();
  location.assign(address);
}

/** Exchange the sign-in page's response, in the callback address, for tokens. */
export async function comeBack(address: URL): Promise<{ pool: Pool; tokens: Tokens; returnTo: string }> {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (!text) throw new Error("no sign-in was begun in this tab");
  const leaving = JSON.parse(text) as Leaving;
  const { server, client } = await lookUp(leaving.pool);
  const params = oauth.validateAuthResponse(server, client, address, leaving.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    params,
    callback(),
    leaving.verifier,
    insecureAtHome(),
  );
  const got = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: leaving.nonce,
    requireIdToken: true,
  });
  return { pool: leaving.pool, tokens: tokensOf(got), returnTo: leaving.returnTo };
}

export async function renew({ server, client }: Server, refreshToken: string): Promise<Tokens> {
  const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, insecureAtHome());
  return tokensOf(await oauth.processRefreshTokenResponse(server, client, answer));
}

/** True if the error is the issuer's refusal rather than a missing response. */
export function isRefusal(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError;
}

/** Revoke a refresh token. Return the pool's sign-out address; null if it has none or a request failed. */
export async function revoke(pool: Pool, refreshToken: string): Promise<string | null> {
  try {
    const { server, client } = await lookUp(pool);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refreshToken, insecureAtHome()),
    );
    if (!server.end_session_endpoint) return null;
    const address = new URL(server.end_session_endpoint);
    address.search = new URLSearchParams({ client_id: client.client_id, logout_uri: `${location.origin}/` }).toString();
    return address.toString();
  } catch {
    return null;
  }
}

/** Return the path if it is one of this site, otherwise `/`. */
export function ownPath(path: string): string {
  return OWN_PATH.test(path) ? path : "/";
}

function callback(): string {
  return location.origin + CALLBACK;
}

/** Allow plain HTTP if the page came by it, as from the local cloud; a page that came by TLS uses TLS alone. */
function insecureAtHome(): { [oauth.allowInsecureRequests]?: boolean } {
  return location.protocol === "http:" ? { [oauth.allowInsecureRequests]: true } : {};
}

function tokensOf(answer: oauth.TokenEndpointResponse): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    endsInMs: (answer.expires_in ?? FALLBACK_S) * 1000,
  };
}
