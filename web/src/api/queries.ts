import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query";
import { type GetAnswer, type GetPath, read, type Values } from "./client";
import { ApiError } from "./problem";
import type { paths } from "./schema";

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
 * A question to the platform: its path, its parameters, and how often it is asked again. Hidden tabs ask nothing, and a
 * refusal that names a time is not asked again before it.
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
