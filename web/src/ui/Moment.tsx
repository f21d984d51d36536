import { Trans } from "@lingui/react/macro";
import { useCycleZone, useLanguage } from "./cycle";
import { clock, left, moment } from "./time";
import { useNow } from "./useNow";

/** A moment: the reader's own time, the cycle's beside it where it differs. */
export function Moment({ at }: { at: string }) {
  const said = moment(Date.parse(at), useLanguage(), useCycleZone());
  return (
    <time dateTime={at}>
      {said.own}
      {said.cycle && ` (${said.cycle})`}
    </time>
  );
}

/** The time of day of a moment to the second, by the cycle's clock: for what happens within a run. */
export function TimeOfDay({ at }: { at: string }) {
  return <time dateTime={at}>{clock(Date.parse(at), useLanguage(), useCycleZone())}</time>;
}

/** What is left until a moment, ticking; a screen reader is told the moment instead of every second. */
export function Countdown({ to }: { to: string }) {
  const { days, clock } = left(Date.parse(to) - useNow());
  return (
    <span role="timer" aria-live="off">
      {days > 0 ? (
        <Trans>
          {days} d {clock}
        </Trans>
      ) : (
        clock
      )}
    </span>
  );
}
