import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import parts from "./parts.module.css";

interface ShownOnceProps {
  /** That it is shown this once, and what to do with it. */
  says: ReactNode;
  secret: string;
  /** What it is, for the copy button. */
  what: string;
  /** Forget it; where nothing forgets it but the page's own end, without. */
  forget?: () => void;
}

/** A secret that nobody can show again. It lives in the page's memory alone. */
export function ShownOnce({ says, secret, what, forget }: ShownOnceProps) {
  return (
    <div className={parts.once} role="status">
      <p>
        <strong>{says}</strong>
      </p>
      <pre>{secret}</pre>
      <div className={parts.actions}>
        <CopyButton text={secret} what={what} />
        {forget && (
          <Button onPress={forget}>
            <Trans>I have it</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}
