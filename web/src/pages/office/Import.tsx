import { Trans, useLingui } from "@lingui/react/macro";
import type { Way } from "./importing";

const MEBIBYTE = 1024 * 1024;

/** How far what is brought is: packed, measured, uploaded. */
export function Progress({ of: { step, done, all } }: { of: Way }) {
  const { t } = useLingui();
  const [some, whole] = [Math.round(done / MEBIBYTE), Math.ceil(all / MEBIBYTE)];
  const words = {
    packing: (
      <Trans>
        Packing: {some} of {whole} MiB.
      </Trans>
    ),
    measuring: (
      <Trans>
        Measuring: {some} of {whole} MiB.
      </Trans>
    ),
    uploading: (
      <Trans>
        {some} of {whole} MiB have arrived. Leave this page open.
      </Trans>
    ),
  };
  return (
    <p role="status">
      <progress value={done} max={Math.max(1, all)} aria-label={t`Upload`} /> {words[step]}
    </p>
  );
}
