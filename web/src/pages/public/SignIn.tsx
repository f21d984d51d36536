import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { queryClient } from "@/api/client";
import { useMe, useSession } from "@/auth/hooks";
import { comeBack, leave, ownPath, type Pool } from "@/auth/oauth";
import { begin, give, restore } from "@/auth/session";
import { cycleQuery } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { useAction } from "@/ui/forms";
import { Page, Problem, Skeleton } from "@/ui/Page";

/** Show two sign-in buttons: the platform has two pools of accounts. */
export function SignIn() {
  const { t } = useLingui();
  const { to = "/" } = useSearch({ from: "/signin" });
  const me = useMe();
  const going = useAction((pool: Pool) => leave(pool, to));
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
      <h2>{t`I take part`}</h2>
      <p>{t`Captains and members of teams. If you have no account yet, the next page makes one.`}</p>
      <Button primary isDisabled={going.isPending} onPress={() => going.mutate("participants")}>
        {t`Sign in as a participant`}
      </Button>
      <h2>{t`I work for the contest`}</h2>
      <p>{t`Experts, judges, the commission and organizers. Accounts are created by invitation.`}</p>
      <Button isDisabled={going.isPending} onPress={() => going.mutate("staff")}>
        {t`Sign in as staff`}
      </Button>
    </Page>
  );
}

/** Exchange of the sign-in page's code for tokens; a code works once, so it is exchanged once. */
let exchange: ReturnType<typeof comeBack> | null = null;

export function Callback() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { data, error } = useQuery({
    queryKey: ["sign-in", location.search],
    queryFn: () => {
      exchange ??= exchangeCode();
      return exchange;
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (data) void navigate({ to: data.returnTo, replace: true });
  }, [data, navigate]);
  if (!error) {
    return (
      <Page title={t`Signing in`}>
        <Skeleton lines={2} />
      </Page>
    );
  }
  return (
    <Page title={t`You are not signed in`}>
      <p role="alert">{t`The sign-in was not finished: it was interrupted, took too long, or began in another tab.`}</p>
      <p>
        <Link to="/signin">{t`Sign in again`}</Link>
      </p>
    </Page>
  );
}

async function exchangeCode(): ReturnType<typeof comeBack> {
  // The tokens' times are by the platform's clock, which the cycle's response carries.
  await queryClient.ensureQueryData(cycleQuery);
  const come = await comeBack(new URL(location.href)).catch((error: unknown) => {
    restore();
    throw error;
  });
  begin(come.pool, come.tokens);
  return come;
}

/** Show a window that has signed in for another one and passes the sign-in on to it. */
export function SignedIn() {
  const { t } = useLingui();
  const { name } = useParams({ from: "/signin/done/$name" });
  const { state } = useSession();
  useEffect(() => {
    if (state === "in" && give(name)) window.close();
  }, [state, name]);
  return (
    <Page title={t`You are signed in`}>
      <p role="status">{t`Close this window and continue in the other one: your text is there.`}</p>
    </Page>
  );
}
