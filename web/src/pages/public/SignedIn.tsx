import { Trans, useLingui } from "@lingui/react/macro";
import { useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSession } from "@/auth/hooks";
import { give } from "@/auth/windows";
import { Page } from "@/ui/Page";

/** A window that has signed in for another one, to which its sign-in goes. */
export function SignedIn() {
  const { t } = useLingui();
  const { name } = useParams({ from: "/signin/done/$name" });
  const { state } = useSession();
  useEffect(() => {
    if (state === "in" && give(name)) window.close();
  }, [state, name]);
  return (
    <Page title={t`You are signed in`}>
      <p role="status">
        <Trans>Close this window and go on in the other one: what you have typed is there.</Trans>
      </p>
    </Page>
  );
}
