import { Trans } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { useSession } from "@/auth/hooks";
import { onSignIn } from "@/auth/windows";
import { Button } from "@/ui/controls";
import styles from "./shell.module.css";

/** A sign-in that ended while somebody works: what is open stays, and another window signs in for this one. */
export function Expired() {
  const session = useSession();
  const isExpired = session.state === "expired";
  const [name] = useState(() => crypto.randomUUID());
  useEffect(() => (isExpired ? onSignIn(name) : undefined), [isExpired, name]);
  if (!isExpired) return null;
  return (
    <div role="alert" className={styles.expired}>
      <Trans>Your sign-in has ended. What you have typed stays here; sign in to send it.</Trans>{" "}
      <Button primary onPress={() => window.open(`/signin?to=/signin/done/${name}`, "_blank", "noopener")}>
        <Trans>Sign in in a new window</Trans>
      </Button>
    </div>
  );
}
