import { Plural, Trans } from "@lingui/react/macro";
import { offset } from "@/api/clock";
import { useNow } from "./useNow";

/** How long ago something came, by this machine's clock. */
export function Ago({ at }: { at: number }) {
  const seconds = Math.max(0, Math.round((useNow() - offset() - at) / 1000));
  if (seconds < 60) return <Plural value={seconds} one="# second ago" other="# seconds ago" />;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return <Plural value={minutes} one="# minute ago" other="# minutes ago" />;
  return <Trans>more than an hour ago</Trans>;
}
