import { Trans } from "@lingui/react/macro";

/** The device cannot keep what is done. */
export function Unkept() {
  return (
    <p role="alert">
      <Trans>
        This browser does not keep changes (its storage is full, or switched off). Save often with Ctrl+S and do not
        close this tab before it says “saved”.
      </Trans>
    </p>
  );
}
