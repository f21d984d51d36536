import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api, type Schemas } from "@/api/client";
import { EVERY } from "@/api/queries";
import { SessionTable } from "@/pages/cabinet/SessionTable";
import { DeskPage } from "@/pages/desk/DeskPage";
import { Button } from "@/ui/Button";

const PAGE = 50;

/** A team's sessions, for whoever may read all reports. */
export function TeamSessions() {
  const { t } = useLingui();
  const { teamId } = useParams({ from: "/desk/teams/$teamId/sessions" });
  const pages = useInfiniteQuery({
    queryKey: ["sessions of a team", teamId],
    queryFn: async ({ pageParam, signal }): Promise<Schemas["SessionBody"][]> => {
      const query = { limit: PAGE, ...(pageParam ? { before: pageParam } : {}) };
      const asked = { params: { path: { team_id: teamId }, query }, signal };
      return (await api.GET("/v1/teams/{team_id}/sessions", asked)).data?.sessions ?? [];
    },
    initialPageParam: "",
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last[last.length - 1]?.session_id),
    refetchInterval: EVERY.idle,
  });
  return (
    <DeskPage title={t`Sessions of team ${teamId}`} of={pages}>
      {(told) => (
        <>
          {told.pages[0]?.length === 0 ? (
            <p>
              <Trans>The team has opened no session yet.</Trans>
            </p>
          ) : (
            <SessionTable
              sessions={told.pages.flat()}
              link={(sessionId) => (
                <Link to="/desk/sessions/$sessionId" params={{ sessionId }}>
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
    </DeskPage>
  );
}
