import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, queryClient } from "@/api/queries";
import { Answered } from "@/ui/Answered";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Moment } from "@/ui/Moment";
import { Problem } from "@/ui/Problem";
import { useNow } from "@/ui/useNow";
import { Cabinet } from "./Cabinet";
import { Confirmed } from "./Confirmed";
import styles from "./cabinet.module.css";

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
          <Issue />
          <List />
        </>
      )}
    </Cabinet>
  );
}

function renewed() {
  return queryClient.invalidateQueries({ queryKey: LIST.queryKey });
}

/** The new token lives in this page's memory alone. */
function Issue() {
  const { t } = useLingui();
  const [name, setName] = useState("");
  const [until, setUntil] = useState("");
  const issuing = useMutation({
    mutationFn: async () => {
      const ends = until ? { expires_at: new Date(`${until}T23:59:59`).toISOString() } : {};
      return (await api.POST("/v1/team/tokens", { body: { name, ...ends } })).data;
    },
    onSuccess: renewed,
    // What is remembered of a change would keep the token longer than the page shows it.
    gcTime: 0,
  });
  const token = issuing.data?.token;
  if (token) {
    return (
      <div className={styles.token} role="status">
        <p>
          <strong>
            <Trans>The new token. It is shown this once: copy it now.</Trans>
          </strong>
        </p>
        <pre>{token}</pre>
        <div className={styles.actions}>
          <CopyButton text={token} what={t`the token`} />
          <Button onPress={() => issuing.reset()}>
            <Trans>I have it</Trans>
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        issuing.mutate();
      }}
    >
      {issuing.error && <Problem error={issuing.error} />}
      <label className={styles.field}>
        <Trans>Name, for you to tell it by</Trans>
        <input value={name} maxLength={200} onChange={(event) => setName(event.currentTarget.value)} />
      </label>
      <label className={styles.field}>
        <Trans>Last day (without one it has no end)</Trans>
        <input type="date" value={until} onChange={(event) => setUntil(event.currentTarget.value)} />
      </label>
      <p>
        <Button primary type="submit" isDisabled={issuing.isPending}>
          <Trans>Create a token</Trans>
        </Button>
      </p>
    </form>
  );
}

function List() {
  const { t } = useLingui();
  const tokens = useQuery(LIST);
  return (
    <Answered of={tokens}>
      {(told) =>
        told.tokens.length === 0 ? (
          <p>
            <Trans>No token yet. The first one is made above.</Trans>
          </p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className={styles.wide} tabIndex={0} aria-label={t`Table of tokens`}>
            <table>
              <thead>
                <tr>
                  <th scope="col">
                    <Trans>Name</Trans>
                  </th>
                  <td />
                  <th scope="col">
                    <Trans>Created</Trans>
                  </th>
                  <th scope="col">
                    <Trans>Last use</Trans>
                  </th>
                  <th scope="col">
                    <Trans>End</Trans>
                  </th>
                </tr>
              </thead>
              <tbody>
                {told.tokens.map((each) => (
                  <Row key={each.token_id} token={each} />
                ))}
              </tbody>
            </table>
          </section>
        )
      }
    </Answered>
  );
}

function Row({ token }: { token: Schemas["TokenBody"] }) {
  const now = useNow();
  const path = { token_id: token.token_id };
  const called = token.name || token.token_id;
  const isOver = token.expires_at !== null && Date.parse(token.expires_at) <= now;
  return (
    <tr>
      <th scope="row">{called}</th>
      <td>
        {!token.revoked_at && !isOver && (
          <Confirmed
            label={<Trans>Revoke</Trans>}
            asks={<Trans>Programs with the token {called} are refused within a minute. It cannot be undone.</Trans>}
            act={() => api.POST("/v1/team/tokens/{token_id}/revoke", { params: { path } })}
            done={renewed}
          />
        )}
      </td>
      <td>
        <Moment at={token.created_at} />
      </td>
      <td>{token.used_at ? <Moment at={token.used_at} /> : <Trans>never</Trans>}</td>
      <td>
        {token.revoked_at ? (
          <Trans>
            revoked <Moment at={token.revoked_at} />
          </Trans>
        ) : token.expires_at ? (
          <Moment at={token.expires_at} />
        ) : (
          <Trans>none</Trans>
        )}
      </td>
    </tr>
  );
}
