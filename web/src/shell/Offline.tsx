import { Trans } from "@lingui/react/macro";
import { useSyncExternalStore } from "react";
import styles from "./shell.module.css";

function onNetwork(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

/** Says that this device has no network; what is shown stays. */
export function Offline() {
  const online = useSyncExternalStore(onNetwork, () => navigator.onLine);
  return (
    <div role="status" className={online ? undefined : styles.offline}>
      {!online && <Trans>No connection. What you see is as it was; it goes on by itself.</Trans>}
    </div>
  );
}
