import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useMe } from "@/auth/hooks";
import { leave, ownPath, type Pool } from "@/auth/oauth";
import { Button } from "@/ui/controls";
import { Page, Problem } from "@/ui/Page";

/** Two doors, for the platform keeps two pools of accounts. */
export function SignIn() {
  const { t } = useLingui();
  const { to = "/" } = useSearch({ from: "/signin" });
  const me = useMe();
  const going = useMutation({ mutationFn: (pool: Pool) => leave(pool, to) });
  return (
    <Page title={t`Sign in`}>
      {me && (
        <p>
          <Trans>
            You are signed in already. <Link to={ownPath(to)}>Go on</Link>
          </Trans>
        </p>
      )}
      {going.error && <Problem error={going.error} retry={() => going.reset()} />}
      <h2>
        <Trans>I take part</Trans>
      </h2>
      <p>
        <Trans>Captains and members of teams. If you have no account yet, the next page makes one.</Trans>
      </p>
      <Button primary isDisabled={going.isPending} onPress={() => going.mutate("participants")}>
        <Trans>Sign in as a participant</Trans>
      </Button>
      <h2>
        <Trans>I work for the contest</Trans>
      </h2>
      <p>
        <Trans>Experts, judges, the commission and organizers. Accounts are given by invitation.</Trans>
      </p>
      <Button isDisabled={going.isPending} onPress={() => going.mutate("staff")}>
        <Trans>Sign in as staff</Trans>
      </Button>
    </Page>
  );
}
