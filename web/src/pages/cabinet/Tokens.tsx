import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { Cabinet } from "./Cabinet";
import { TokenList } from "./TokenList";

const LIST = get("/v1/team/tokens", {}, EVERY.idle);

/** The programs' tokens of the team. */
export function Tokens() {
  const { t } = useLingui();
  return (
    <Cabinet title={t`Tokens`}>
      {() => (
        <>
          <p>
            <Trans>A program signs in with a token of its team. Who has it can answer for you: keep it secret.</Trans>
          </p>
          <Own />
        </>
      )}
    </Cabinet>
  );
}

function Own() {
  return (
    <TokenList
      of={useQuery(LIST)}
      issue={async (body) => (await api.POST("/v1/team/tokens", { body })).data}
      revoke={(token_id) => api.POST("/v1/team/tokens/{token_id}/revoke", { params: { path: { token_id } } })}
    />
  );
}
