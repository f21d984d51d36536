import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query";
import type { ClientPathsWithMethod, MethodResponse } from "openapi-fetch";
import createClient from "openapi-fetch";
import { accessToken, currentSession, renewedAfter } from "@/auth/session";
import { heard } from "./clock";
import { ApiError, unreachable } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/**
 * Client of the platform's API. A refusal is thrown as an ApiError, so `data` is there wherever the call returns.
 * The browser stores entity tags and sends them; unchanged responses come from its own cache.
 */
export const api = createClient<paths>();

api.use({
  async onRequest({ request }) {
    const token = await accessToken();
    if (token) request.headers.set("authorization", `Bearer ${token}`);
    // JSON bodies are small enough to copy for a retry; a file is sent again by the user who chose it.
    const isJsonSent = request.headers.get("content-type")?.startsWith("application/json");
    if (isJsonSent) unsent.set(request, request.clone());
    return request;
  },
  async onResponse({ request, response: first }) {
    const again = unsent.get(request) ?? (request.bodyUsed ? null : request.clone());
    const heeded = again ? await patiently(first, () => fetch(again)) : first;
    const response = heeded.ok ? heeded : await askedAgain(request, heeded);
    if (!response.ok) throw await refusalOf(request, response);
    const receivedMs = Date.now();
    const serverTime = isJson(response) ? timeIn(await response.clone().json()) : null;
    if (serverTime) heard(serverTime, receivedMs);
    return response;
  },
  onError({ error }) {
    return error instanceof ApiError ? error : unreachable();
  },
});

type Method = "get" | "post" | "put";
type PathOf<M extends Method> = ClientPathsWithMethod<typeof api, M>;
type Answer<P extends PathOf<M>, M extends Method> = MethodResponse<typeof api, M, P>;
export type GetPath = PathOf<"get">;
export type GetAnswer<P extends GetPath> = Answer<P, "get">;

type Present<Values> = [NonNullable<Values>] extends [never] ? unknown : NonNullable<Values>;
/** Values of a route's path and query parameters, by parameter name. */
export type Values<P, M extends Method> = P extends keyof paths
  ? paths[P][M] extends { parameters: infer Parameters }
    ? (Parameters extends { path: infer Path } ? Path : unknown) &
        (Parameters extends { query?: infer Query } ? Present<Query> : unknown)
    : never
  : never;
type Sent<P, M extends Method> = P extends keyof paths
  ? paths[P][M] extends { requestBody: { content: { "application/json": infer Body } } }
    ? [body: Body]
    : paths[P][M] extends { requestBody?: { content: { "application/json": infer Body } } }
      ? [body?: Body]
      : []
  : never;
type Ask = (path: string, init: unknown) => Promise<{ data?: unknown }>;

/** Sort values into those that a path names in braces, and those of the query. */
function placed(path: string, values: object) {
  const entries = Object.entries(values);
  const isInPath = ([name]: [string, unknown]) => path.includes(`{${name}}`);
  const query = Object.fromEntries(entries.filter((entry) => !isInPath(entry)));
  return { path: Object.fromEntries(entries.filter(isInPath)), query };
}

/** Get the data at a path; the path's type determines its values. */
export async function read<P extends GetPath>(path: P, values: Values<P, "get">, signal?: AbortSignal) {
  const { data } = await (api.GET as Ask)(path, { params: placed(path, values as object), ...(signal && { signal }) });
  return data as GetAnswer<P>;
}

/** Get a file that the platform writes. */
export async function readFile<P extends GetPath>(path: P, values: Values<P, "get">): Promise<Blob> {
  const { data } = await (api.GET as Ask)(path, { params: placed(path, values as object), parseAs: "blob" });
  return data as Blob;
}

export function post<P extends PathOf<"post">>(path: P, values: Values<P, "post">, ...[body]: Sent<P, "post">) {
  return sent<Answer<P, "post">>(api.POST as Ask, path, values as object, body);
}

export function put<P extends PathOf<"put">>(path: P, values: Values<P, "put">, ...[body]: Sent<P, "put">) {
  return sent<Answer<P, "put">>(api.PUT as Ask, path, values as object, body);
}

async function sent<T>(ask: Ask, path: string, values: object, body: unknown): Promise<T> {
  const { data } = await ask(path, { params: placed(path, values), ...(body !== undefined && { body }) });
  return data as T;
}

/** Unsent copies of requests with JSON bodies, for one retry after a refusal by the rate limit. */
const unsent = new WeakMap<Request, Request>();

/** True if the response is one JSON object; a log in JSON Lines is a text. */
function isJson(response: Response): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(response.headers.get("content-type") ?? "");
}

async function refusalOf(request: Request, response: Response): Promise<ApiError> {
  const refusal = new ApiError(response.status, isJson(response) ? await response.json() : null, response.headers);
  const hasEnded = ["out", "expired"].includes(currentSession().state);
  // A refusal without a code is the gateway's, of a token that has ended: the platform names a missing right.
  return refusal.ofTheGateway && request.headers.has("authorization") && hasEnded ? refusal.asSignedOut() : refusal;
}

/** Retry a GET with a renewed token if the gateway refused the previous one; otherwise return its response. */
async function askedAgain(request: Request, response: Response): Promise<Response> {
  const refused = request.headers.get("authorization");
  if (!refused || ![401, 403].includes(response.status)) return response;
  const body: unknown = isJson(response) ? await response.clone().json() : null;
  if (!new ApiError(response.status, body, response.headers).ofTheGateway) return response;
  const isRenewed = await renewedAfter(refused);
  if (!isRenewed || request.method !== "GET") return response;
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${await accessToken()}`);
  return fetch(new Request(request, { headers }));
}

function timeIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("server_time" in body)) return null;
  return typeof body.server_time === "string" ? body.server_time : null;
}

/** Status of the rate limit, ten requests a second for a person; nothing is done before such a refusal. */
const REFUSED = 429;
const SECOND = 1_000;

/** Return the response to one retry after the wait if the rate limit refused; otherwise the given response. */
export async function patiently(
  response: Response,
  again: () => Promise<Response>,
  wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
): Promise<Response> {
  if (response.status !== REFUSED) return response;
  const refusal = new ApiError(
    response.status,
    await response
      .clone()
      .json()
      .catch(() => null),
    response.headers,
  );
  if (refusal.code !== "rate_limited") return response;
  await wait(SECOND * Math.max(1, Number(response.headers.get("retry-after")) || 0));
  return again();
}

const TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/** Query key of the team names. */
export const TEAM_NAMES = "team names";

/** Refetch intervals of displayed data, in milliseconds (design §2.0). */
export const EVERY = { board: 30_000, idle: 30_000, live: 3_000, run: 2_000, jobs: 2_000 } as const;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => failures < TRIES && error instanceof ApiError && error.passing,
      retryDelay: (failures, error) =>
        (error instanceof ApiError ? error.retryAfterMs : null) ?? Math.min(1_000 * 2 ** failures, LONGEST_WAIT_MS),
      // Without a network a query fails at once with an error instead of waiting.
      networkMode: "always",
      throwOnError: false,
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * Return the options of a query: its path, its parameters and its refetch interval. Hidden tabs fetch nothing, and
 * after a refusal that names a time nothing is fetched before it.
 *
 * Clause: platform §8 accessible
 */
export function get<P extends GetPath>(path: P, values: Values<P, "get">, every?: number) {
  return queryOptions({
    queryKey: [path, values] as const,
    queryFn: ({ signal }) => read<GetPath>(path, values as never, signal) as Promise<GetAnswer<P>>,
    ...(every === undefined
      ? {}
      : {
          refetchInterval: (query: { state: { error: unknown } }) => {
            const { error } = query.state;
            return error instanceof ApiError ? Math.max(error.retryAfterMs ?? 0, every) : every;
          },
        }),
  });
}

type ListPath =
  | "/v1/announcements"
  | "/v1/answering"
  | "/v1/conduct/submissions"
  | "/v1/dead-letters"
  | "/v1/submissions";

/** Return options of a list query, fetched page by page, else as {@link get}; each page names the next one's start. */
export function listed<P extends ListPath>(
  path: P,
  query: Omit<NonNullable<paths[P]["get"]["parameters"]["query"]>, "after">,
  every: number,
) {
  return infiniteQueryOptions({
    queryKey: [path, query] as const,
    queryFn: ({ pageParam, signal }) => {
      const values = { ...query, ...(pageParam && { after: pageParam }) };
      return read<GetPath>(path, values as never, signal) as Promise<GetAnswer<P>>;
    },
    initialPageParam: "",
    getNextPageParam: (last: { next?: string | null } | { after?: string | null }) =>
      ("after" in last ? last.after : "next" in last ? last.next : null) ?? undefined,
    refetchInterval: every,
  });
}

/** First parts of query keys that no decision changes: the signed-in user, the cycle, the team names. */
const LASTING: readonly unknown[] = ["/v1/me", "/v1/cycle", TEAM_NAMES];

/** Refetch data that a decision may have changed. Limit: ten requests a second, so lasting data is not refetched. */
export function renewed(): Promise<void> {
  return queryClient.invalidateQueries({ predicate: ({ queryKey }) => !LASTING.includes(queryKey[0]) });
}
