import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "@/api/client";
import { EVERY } from "@/api/queries";
import { Answered } from "@/ui/Answered";
import { Button } from "@/ui/Button";
import { Moment } from "@/ui/Moment";
import parts from "@/ui/parts.module.css";
import { Cabinet } from "./Cabinet";
import { FirstCommand } from "./Overview";
import { modeWord, type SessionBody, stateWord } from "./words";

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
          {told.pages[0]?.length === 0 ? <FirstCommand /> : <Table sessions={told.pages.flat()} />}
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

function Table({ sessions }: { sessions: readonly SessionBody[] }) {
  const { i18n, t } = useLingui();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={parts.wide} tabIndex={0} aria-label={t`Table of sessions`}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Session</Trans>
            </th>
            <th scope="col">
              <Trans>State</Trans>
            </th>
            <th scope="col">
              <Trans>Answered</Trans>
            </th>
            <th scope="col">
              <Trans>Void</Trans>
            </th>
            <th scope="col">
              <Trans>Mode</Trans>
            </th>
            <th scope="col">
              <Trans>Set</Trans>
            </th>
            <th scope="col">
              <Trans>Opened</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((each) => (
            <tr key={each.session_id}>
              <th scope="row">
                <Link to="/cabinet/sessions/$sessionId" params={{ sessionId: each.session_id }}>
                  {each.session_id}
                </Link>
              </th>
              <td>
                {i18n._(stateWord(each.state))}
                {each.annulled && (
                  <span className={parts.void}>
                    {" "}
                    <Trans>annulled: {each.annulled.reason}</Trans>
                  </span>
                )}
              </td>
              <td>
                {each.counts.answered}/{each.files}
              </td>
              <td>{each.counts.voided}</td>
              <td>{i18n._(modeWord(each.mode))}</td>
              <td>{each.set}</td>
              <td>
                <Moment at={each.opened_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
