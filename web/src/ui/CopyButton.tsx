import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button } from "./Button";

/** Copies a text and says so. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useLingui();
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return (
    <>
      <Button aria-label={t`Copy ${what}`} onPress={() => void copy()}>
        {copied === text ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
      </Button>
      <span className="sr-only" role="status">
        {copied === text ? t`Copied: ${what}` : ""}
      </span>
    </>
  );
}
