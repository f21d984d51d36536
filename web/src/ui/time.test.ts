import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { datedParts, left, moment, typed, typedMoment } from "./time";

const AT = Date.parse("2026-12-12T11:05:00Z");

describe("a moment", () => {
  it("is said in the reader's zone, the cycle's beside it", () => {
    expect(moment(AT, "en", "Europe/Moscow", "Asia/Yekaterinburg")).toEqual({
      own: "12 December 2026 at 16:05",
      cycle: "14:05 GMT+3",
    });
  });

  it("names the day where it is another one", () => {
    const words = moment(Date.parse("2026-12-12T22:30:00Z"), "ru", "Europe/Moscow", "Europe/London");
    expect(words.cycle).toContain("13 дек");
  });

  it("is said once where both clocks show the same", () => {
    expect(moment(AT, "en", "Europe/Moscow", "Europe/Minsk")).toEqual({
      own: "12 December 2026 at 14:05 GMT+3",
      cycle: null,
    });
  });
});

describe("what is left", () => {
  it("has days only where there are any, and is never less than nothing", () => {
    expect(left(3 * 86_400_000 + 4 * 3_600_000 + 12 * 60_000)).toEqual({ days: 3, clock: "04:12:00" });
    expect(left(61_000)).toEqual({ days: 0, clock: "01:01" });
    expect(left(-5)).toEqual({ days: 0, clock: "00:00" });
  });

  it("says every second of it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (seconds) => {
        const { days, clock } = left(seconds * 1000);
        const parts = clock.split(":").map(Number);
        const total = parts.reduce((sum, part) => sum * 60 + part, 0) + days * 86_400;
        expect(total).toBe(seconds);
      }),
    );
  });
});

const MOMENT = "2026-11-21T03:57:32.123Z";

test("a text is cut at its moments, and together the parts are the text", () => {
  const text = `Final 😀: ${MOMENT}. Files: 3, until ${MOMENT}`;
  const parts = datedParts(text);
  expect(parts.filter(({ isMoment }) => isMoment).map((part) => part.text)).toEqual([MOMENT, MOMENT]);
  expect(parts.map((part) => part.text).join("")).toBe(text);
});

test("a moment alone is one part, and what is no moment is a text", () => {
  expect(datedParts(MOMENT)).toEqual([{ text: MOMENT, isMoment: true }]);
  expect(datedParts("")).toEqual([]);
  for (const text of ["2026-11-21", "2026-99-21T03:57:32.123Z", "at 12:00"]) {
    expect(datedParts(text)).toEqual([{ text, isMoment: false }]);
  }
});

describe("a typed moment", () => {
  it("is read by the zone's clock in both ways of writing a day", () => {
    const at = Date.parse("2026-12-31T11:05:00Z");
    for (const text of ["2026-12-31 14:05", "31.12.2026 14:05", " 31.12.2026, 14:05:00 ", "2026-12-31T14:05"]) {
      expect(typedMoment(text, "Europe/Moscow")).toBe(at);
    }
  });

  it("is none where the day or the time does not exist, or something is left out", () => {
    for (const text of [
      "",
      "31.12.2026",
      "31.02.2026 10:00",
      "2026-12-31 24:00",
      "2026-12-31 14:5",
      "12/31/2026 14:05",
    ]) {
      expect(typedMoment(text, "Europe/Moscow")).toBeNull();
    }
  });

  it("is none where the clock skips it, and the earlier one where the clock shows it twice", () => {
    expect(typedMoment("2026-03-29 02:30", "Europe/Berlin")).toBeNull();
    expect(typedMoment("2026-10-25 02:30", "Europe/Berlin")).toBe(Date.parse("2026-10-25T00:30:00Z"));
  });

  it("comes back from how it is written, in every zone", () => {
    const zones = fc.constantFrom("UTC", "Europe/Moscow", "Pacific/Kiritimati", "America/St_Johns", "Pacific/Niue");
    const seconds = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 });
    fc.assert(
      fc.property(seconds, zones, (second, zone) => {
        const back = typedMoment(typed(second * 1000, zone), zone);
        // A clock that is put back shows an hour twice; the earlier one is meant.
        expect([second * 1000, second * 1000 - 3_600_000]).toContain(back);
      }),
    );
  });
});
