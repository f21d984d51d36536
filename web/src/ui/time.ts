import type { Language } from "@/i18n/i18n";

const TAGS: Record<Language, string> = { en: "en-GB", ru: "ru-RU" };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Times {
  /** Moment in the reader's own zone. */
  own: string;
  /** Moment in the cycle's zone with the zone's name; null if both clocks show the same. */
  cycle: string | null;
}

export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Format a moment for a reader: date and time in the own zone, the cycle's time beside it. */
export function moment(at: number, language: Language, cycleZone: string, zone = ownZone()): Times {
  const whole: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric", ...CLOCK };
  const own = format(at, language, zone, whole);
  if (own === format(at, language, cycleZone, whole)) {
    return { own: format(at, language, zone, { ...whole, timeZoneName: "short" }), cycle: null };
  }
  const sameDay = format(at, language, zone, DAY) === format(at, language, cycleZone, DAY);
  const beside: Intl.DateTimeFormatOptions = { ...(sameDay ? {} : { day: "numeric", month: "short" }), ...CLOCK };
  return { own, cycle: format(at, language, cycleZone, { ...beside, timeZoneName: "short" }) };
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "numeric", year: "numeric" };

/** Format a time of day in a zone, to the second, with the zone's name. */
export function clock(at: number, language: Language, zone: string): string {
  return format(at, language, zone, { ...CLOCK, second: "2-digit", timeZoneName: "short" });
}

/** Format a day of the cycle, given as YYYY-MM-DD. */
export function day(iso: string, language: Language): string {
  return format(Date.parse(`${iso}T12:00:00Z`), language, "UTC", { day: "numeric", month: "long" });
}

/** Return the remaining time as days and digits, such as 3 and 04:12:09; never below zero. */
export function left(ms: number): { days: number; clock: string } {
  const rest = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const days = Math.floor(rest / (DAY_MS / 1000));
  const hours = Math.floor((rest / 3600) % 24);
  const clock = `${two(Math.floor((rest / 60) % 60))}:${two(rest % 60)}`;
  return { days, clock: days > 0 || hours > 0 ? `${two(hours)}:${clock}` : clock };
}

function format(at: number, language: Language, zone: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(TAGS[language], { timeZone: zone, hourCycle: "h23", ...options }).format(at);
}

const TYPED =
  /^(?:(?<y>\d{4})-(?<m>\d\d?)-(?<d>\d\d?)|(?<d2>\d\d?)\.(?<m2>\d\d?)\.(?<y2>\d{4}))[ T,]+(?<h>\d\d?):(?<min>\d\d)(?::(?<s>\d\d))?$/;

/**
 * The moment for a typed day and time of a zone, `2026-12-31 14:05` or `31.12.2026 14:05`; null where it
 * cannot be read, or where the zone's clock skips it. A time that the clock shows twice is the earlier one.
 */
export function typedMoment(text: string, zone: string): number | null {
  const read = TYPED.exec(text.trim())?.groups;
  if (!read) return null;
  const [y, m, d] = [read.y ?? read.y2, read.m ?? read.m2, read.d ?? read.d2].map(Number) as [number, number, number];
  const [h, min, s] = [Number(read.h), Number(read.min), Number(read.s ?? 0)];
  const asUtc = Date.UTC(y, m - 1, d, h, min, s);
  const digits = typed(asUtc, "UTC");
  const parts = [
    [y, 4],
    [m, 2],
    [d, 2],
    [h, 2],
    [min, 2],
    [s, 2],
  ].map(([part, size]) => String(part).padStart(size as number, "0"));
  if (digits.match(/\d+/g)?.join() !== parts.join()) return null;
  // The zone is at most so far from UTC; which of its offsets holds then is seen by writing the moment back.
  const offsets = [-DAY_MS, DAY_MS].map((beside) => {
    const at = asUtc + beside;
    return Date.parse(`${typed(at, zone).replace(" ", "T")}Z`) - at;
  });
  const fitting = offsets.map((offset) => asUtc - offset).filter((at) => typed(at, zone) === digits);
  return fitting.length === 0 ? null : Math.min(...fitting);
}

/** Format a moment in the form that {@link typedMoment} reads, to the second. */
export function typed(at: number, zone: string): string {
  return new Date(at).toLocaleString("sv-SE", { timeZone: zone });
}

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

/** Split a text at the timestamps in it, `2026-11-21T03:57:32.123Z`; an impossible date stays text. */
export function datedParts(text: string): { text: string; isMoment: boolean }[] {
  return text
    .split(MOMENT)
    .map((part) => ({ text: part, isMoment: MOMENT.test(part) && !Number.isNaN(Date.parse(part)) }))
    .filter((part) => part.text !== "");
}
