import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "@/api/client";
import { EVERY } from "@/api/queries";
import { Answered } from "@/ui/Answered";
import { Button } from "@/ui/Button";
import { Cabinet } from "./Cabinet";
import { FirstCommand } from "./Overview";
import { SessionTable } from "./SessionTable";
import type { SessionBody } from "./words";

const PAGE = 50;

/** The team's sessions, the newest first. */
export function Sessions() {
  const { t } = useLingui();
  return <Cabinet title={t`Sessions`}>{() => <List />}</Cabinet>;
}

function List() {
  const pages = useInfiniteQuery({
    queryKey: ["sessions of the cabinet"],
    queryFn: async ({ pageParam, signal }): Promise<SessionBody[]> => {
      const query = { limit: PAGE, ...(pageParam ? { before: pageParam } : {}) };
      const { data } = await api.GET("/v1/sessions", { params: { query }, signal });
      return data?.sessions ?? [];
    },
    initialPageParam: "",
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last[last.length - 1]?.session_id),
    refetchInterval: EVERY.live,
  });
  return (
    <Answered of={pages}>
      {(told) => (
        <>
          {told.pages[0]?.length === 0 ? (
            <FirstCommand />
          ) : (
            <SessionTable
              sessions={told.pages.flat()}
              link={(sessionId) => (
                <Link to="/cabinet/sessions/$sessionId" params={{ sessionId }}>
                  {sessionId}
                </Link>
              )}
            />
          )}
          {pages.hasNextPage && (
            <Button isDisabled={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
              <Trans>Earlier sessions</Trans>
            </Button>
          )}
        </>
      )}
    </Answered>
  );
}
