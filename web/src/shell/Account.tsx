import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useLocation } from "@tanstack/react-router";
import { useMe, useSession } from "@/auth/hooks";
import { roleName } from "@/auth/roles";
import { end } from "@/auth/session";
import { Button } from "@/ui/controls";
import { Confirmed } from "@/ui/forms";
import { useIsUnsaved } from "@/ui/keys";

/** Who is signed in, with the way out; else the way in, which comes back to this page. */
export function Account() {
  const { i18n } = useLingui();
  const session = useSession();
  const me = useMe();
  const { href } = useLocation();
  const unsaved = useIsUnsaved();
  if (session.state === "in") {
    return (
      <>
        {me && <span>{i18n._(roleName(me.role))}</span>}
        {unsaved ? (
          <Confirmed
            label={<Trans>Sign out</Trans>}
            asks={
              <Trans>
                The platform does not have your last changes yet; they are kept in this browser alone. Sign out all the
                same?
              </Trans>
            }
            act={signOut}
            done={() => undefined}
          />
        ) : (
          <Button onPress={() => void signOut()}>
            <Trans>Sign out</Trans>
          </Button>
        )}
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
