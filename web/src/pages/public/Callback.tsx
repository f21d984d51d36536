import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { queryClient } from "@/api/queries";
import { comeBack } from "@/auth/oauth";
import { begin } from "@/auth/session";
import { cycleQuery } from "@/ui/contest";
import { Page, Skeleton } from "@/ui/Page";

/** Where the sign-in page sends people back; a code is good for one exchange, so it is made once. */
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
      <p role="alert">
        <Trans>
          The sign-in did not come to its end: it was interrupted, it took too long, or it was begun in another tab.
        </Trans>
      </p>
      <p>
        <Link to="/signin">
          <Trans>Sign in again</Trans>
        </Link>
      </p>
    </Page>
  );
}

async function exchangeCode(): ReturnType<typeof comeBack> {
  // The tokens are dated by the platform's clock, which the cycle's answer tells.
  await queryClient.ensureQueryData(cycleQuery);
  const come = await comeBack(new URL(location.href));
  begin(come.pool, come.tokens);
  return come;
}
