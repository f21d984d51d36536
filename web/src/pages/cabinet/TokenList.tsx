import { Trans, useLingui } from "@lingui/react/macro";
import { type UseQueryResult, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "@/api/client";
import { Button, ShownOnce } from "@/ui/controls";
import { Confirmed } from "@/ui/forms";
import { Moment, useNow } from "@/ui/moments";
import { Answered, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";

interface TokenListProps {
  of: UseQueryResult<Schemas["TokensBody"], unknown>;
  issue: (body: Schemas["TokenRequest"]) => Promise<Schemas["NewTokenBody"] | undefined>;
  revoke: (tokenId: string) => Promise<unknown>;
}

/** The tokens of a team's programs, with the making of a new one; the cabinet has it, and a team's page at the desk. */
export function TokenList({ of, issue, revoke }: TokenListProps) {
  const renewed = () => of.refetch();
  return (
    <>
      <Issue issue={issue} renewed={renewed} />
      <List of={of} revoke={revoke} renewed={renewed} />
    </>
  );
}

type IssueProps = Pick<TokenListProps, "issue"> & { renewed: () => unknown };
type ListProps = Pick<TokenListProps, "of" | "revoke"> & { renewed: () => unknown };

/** The new token lives in this page's memory alone. */
function Issue({ issue, renewed }: IssueProps) {
  const { t } = useLingui();
  const [name, setName] = useState("");
  const [until, setUntil] = useState("");
  const issuing = useMutation({
    mutationFn: () => issue({ name, ...(until ? { expires_at: new Date(`${until}T23:59:59`).toISOString() } : {}) }),
    onSuccess: renewed,
    // What is remembered of a change would keep the token longer than the page shows it.
    gcTime: 0,
  });
  const token = issuing.data?.token;
  if (token) {
    return (
      <ShownOnce
        says={<Trans>The new token. It is shown this once: copy it now.</Trans>}
        secret={token}
        what={t`the token`}
        forget={() => issuing.reset()}
      />
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
      <label className={parts.field}>
        <Trans>Name, for you to tell it by</Trans>
        <input value={name} maxLength={200} onChange={(event) => setName(event.currentTarget.value)} />
      </label>
      <label className={parts.field}>
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

function List({ of, revoke, renewed }: ListProps) {
  const { t } = useLingui();
  return (
    <Answered of={of}>
      {(told) =>
        told.tokens.length === 0 ? (
          <p>
            <Trans>No token yet. The first one is made above.</Trans>
          </p>
        ) : (
          <Wide label={t`Table of tokens`}>
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
                <Row key={each.token_id} token={each} revoke={revoke} renewed={renewed} />
              ))}
            </tbody>
          </Wide>
        )
      }
    </Answered>
  );
}

type RowProps = Omit<ListProps, "of"> & { token: Schemas["TokenBody"] };

function Row({ token, revoke, renewed }: RowProps) {
  const now = useNow();
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
            act={() => revoke(token.token_id)}
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
