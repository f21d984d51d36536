import { Trans } from "@lingui/react/macro";
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "@/ui/controls";
import { SessionTable } from "./SessionTable";
import type { SessionBody } from "./words";

const PAGE = 50;

type Ask = (query: { limit: number; before?: string }, signal: AbortSignal) => Promise<SessionBody[]>;

/** Sessions, the newest first, a page at a time; `of` says whose. */
export function useSessionPages(of: string, every: number, ask: Ask) {
  return useInfiniteQuery({
    queryKey: ["sessions", of],
    queryFn: ({ pageParam, signal }) => ask({ limit: PAGE, ...(pageParam ? { before: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last[last.length - 1]?.session_id),
    refetchInterval: every,
  });
}

interface SessionListProps {
  pages: UseInfiniteQueryResult<InfiniteData<SessionBody[]>>;
  link: (sessionId: string) => ReactNode;
  /** What stands here before the first session. */
  none: ReactNode;
}

/** What has come of them so far, with the way to earlier ones. */
export function SessionList({ pages, link, none }: SessionListProps) {
  const sessions = pages.data?.pages.flat() ?? [];
  return (
    <>
      {sessions.length === 0 ? none : <SessionTable sessions={sessions} link={link} />}
      {pages.hasNextPage && (
        <Button isDisabled={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
          <Trans>Earlier sessions</Trans>
        </Button>
      )}
    </>
  );
}
