import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { api } from "@/api/client";
import { EVERY } from "@/api/queries";
import { Answered } from "@/ui/Page";
import { Cabinet } from "./Cabinet";
import { FirstCommand } from "./Overview";
import { SessionList, useSessionPages } from "./SessionList";

/** The team's sessions, the newest first. */
export function Sessions() {
  const { t } = useLingui();
  return <Cabinet title={t`Sessions`}>{() => <List />}</Cabinet>;
}

function List() {
  const pages = useSessionPages("own", EVERY.live, async (query, signal) => {
    const { data } = await api.GET("/v1/sessions", { params: { query }, signal });
    return data?.sessions ?? [];
  });
  return (
    <Answered of={pages}>
      {() => (
        <SessionList
          pages={pages}
          link={(sessionId) => (
            <Link to="/cabinet/sessions/$sessionId" params={{ sessionId }}>
              {sessionId}
            </Link>
          )}
          none={<FirstCommand />}
        />
      )}
    </Answered>
  );
}
