import { Plural, useLingui } from "@lingui/react/macro";
import { Fragment, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { now, offset, onOffset } from "@/api/clock";
import { useCycleZone, useLanguage } from "./contest";
import { clock, datedParts, left, moment } from "./time";

/** A moment: the reader's own time, the cycle's beside it where it differs. */
export function Moment({ at }: { at: string }) {
  const words = moment(Date.parse(at), useLanguage(), useCycleZone());
  return (
    <time dateTime={at}>
      {words.own}
      {words.cycle && ` (${words.cycle})`}
    </time>
  );
}

/** Time of day of a moment to the second, by the cycle's clock: for events within a run. */
export function TimeOfDay({ at }: { at: string }) {
  return <time dateTime={at}>{clock(Date.parse(at), useLanguage(), useCycleZone())}</time>;
}

/** Countdown to a moment; screen readers do not announce every second. */
export function Countdown({ to }: { to: string }) {
  const { t } = useLingui();
  const { days, clock } = left(Date.parse(to) - useNow());
  return (
    <span role="timer" aria-live="off">
      {days > 0 ? t`${days} d ${clock}` : clock}
    </span>
  );
}

/** Time since data came, by this machine's clock. */
export function Ago({ at }: { at: number }) {
  const seconds = Math.max(0, Math.round((useNow() - offset() - at) / 1000));
  if (seconds < 60) return <Plural value={seconds} one="# second ago" other="# seconds ago" />;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return <Plural value={minutes} one="# minute ago" other="# minutes ago" />;
  const hours = Math.round(minutes / 60);
  if (hours < 48) return <Plural value={hours} one="# hour ago" other="# hours ago" />;
  return <Plural value={Math.round(hours / 24)} one="# day ago" other="# days ago" />;
}

/** Text in which the platform's timestamps are shown as this reader reads times. */
export function Dated({ text }: { text: string }) {
  return datedParts(text).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    part.isMoment ? <Moment key={at} at={part.text} /> : <Fragment key={at}>{part.text}</Fragment>,
  );
}

/** The platform's time, renewed every `everyMs` while the page is seen. */
export function useNow(everyMs = 1000): number {
  useSyncExternalStore(onOffset, offset);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) tick((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now();
}

const SECOND = 1000;

/** Milliseconds as seconds with their unit, in the reader's language. */
export function useSeconds(): (ms: number) => string {
  const language = useLanguage();
  const format = useMemo(
    () => new Intl.NumberFormat(language, { style: "unit", unit: "second", maximumFractionDigits: 1 }),
    [language],
  );
  return useCallback((ms) => format.format(ms / SECOND), [format]);
}
