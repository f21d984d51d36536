import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useLocation } from "@tanstack/react-router";
import { useMe, useSession } from "@/auth/hooks";
import { roleName } from "@/auth/roles";
import { end } from "@/auth/session";
import { Button } from "@/ui/Button";

/** Who is signed in, with the way out; else the way in, which comes back to this page. */
export function Account() {
  const { i18n } = useLingui();
  const session = useSession();
  const me = useMe();
  const { href } = useLocation();
  if (session.state === "in") {
    return (
      <>
        {me && <span>{i18n._(roleName(me.role))}</span>}
        <Button onPress={() => void signOut()}>
          <Trans>Sign out</Trans>
        </Button>
      </>
    );
  }
  if (session.state === "coming") return null;
  return (
    <Link to="/signin" search={{ to: href.startsWith("/signin") ? "/" : href }}>
      {session.state === "expired" ? <Trans>Sign in again</Trans> : <Trans>Sign in</Trans>}
    </Link>
  );
}

async function signOut(): Promise<void> {
  const pool = await end();
  location.assign(pool ?? "/");
}
