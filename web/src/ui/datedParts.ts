const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

export interface DatedPart {
  text: string;
  isMoment: boolean;
}

/** A text cut at the moments in it, `2026-11-21T03:57:32.123Z`; what is no moment of the calendar stays a text. */
export function datedParts(text: string): DatedPart[] {
  return text
    .split(MOMENT)
    .map((part) => ({ text: part, isMoment: MOMENT.test(part) && !Number.isNaN(Date.parse(part)) }))
    .filter((part) => part.text !== "");
}
