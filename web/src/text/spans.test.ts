import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hardText, textAndSpan } from "./samples";
import { nextBorder, nextCharacter, Offsets, snap, widenToGraphemes, words } from "./spans";

function snapped(text: string, selected: string, whole = false): string | null {
  const start = text.indexOf(selected);
  const place = snap(text, { start, end: start + selected.length }, whole);
  return place && text.slice(place.start, place.end);
}

test("words are runs with a letter or digit, as the specification counts them", () => {
  const text = "Кто-то, — сказал «он»;\u0085 1812 г. 👍 \ufeffда";
  expect(words(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    "Кто-то,",
    "сказал",
    "«он»;",
    "1812",
    "г.",
    "\ufeffда",
  ]);
});

describe("snapping", () => {
  const text = "Он сказал: «кто-то  пришёл», и вышел.";

  test("widens to words and lets fall off what only the widening took", () => {
    expect(snapped(text, "то-т")).toBe("кто-то");
    expect(snapped(text, "ришё")).toBe("пришёл");
    expect(snapped(text, "казал: «кто-то  при")).toBe("сказал: «кто-то  пришёл");
  });

  test("keeps punctuation that was selected", () => {
    expect(snapped(text, "«кто-то  пришёл»")).toBe("«кто-то  пришёл»");
    expect(snapped(text, "вышел.")).toBe("вышел.");
  });

  test("keeps all of the word with Alt", () => {
    expect(snapped(text, "ришё", true)).toBe("пришёл»,");
  });

  test("never begins or ends with white space, and nothing comes of white space alone", () => {
    expect(snapped(text, "  пришёл»")).toBe("пришёл»");
    expect(snapped(text, "  ")).toBeNull();
    expect(snap("", { start: 0, end: 0 })).toBeNull();
  });

  test("is the same when it is done again", () => {
    fc.assert(
      fc.property(textAndSpan, fc.boolean(), ({ text: any, span }, whole) => {
        const once = snap(any, span, whole);
        if (once) expect(snap(any, once, whole)).toEqual(once);
      }),
    );
  });

  test("covers every selected character but white space and cuts none in two", () => {
    fc.assert(
      fc.property(textAndSpan, ({ text: any, span }) => {
        const snapped = snap(any, span);
        const selected = any.slice(span.start, span.end);
        if (snapped === null) {
          expect(words(selected)).toEqual([]);
          return;
        }
        expect(snapped.start).toBeLessThan(snapped.end);
        expect(widenToGraphemes(any, snapped)).toEqual(snapped);
        expect(words(any.slice(snapped.start, snapped.end)).length).toBeGreaterThanOrEqual(words(selected).length);
      }),
    );
  });
});

describe("moving a border", () => {
  const text = "раз, «два» три";
  const two = { start: text.indexOf("два"), end: text.indexOf("два") + 3 };

  test("goes by words, without their punctuation", () => {
    const wider = nextBorder(text, two, "end", 1);
    expect(text.slice(wider.start, wider.end)).toBe("два» три");
    const earlier = nextBorder(text, two, "start", -1);
    expect(text.slice(earlier.start, earlier.end)).toBe("раз, «два");
  });

  test("never makes a span empty or leaves the text", () => {
    expect(nextBorder(text, two, "end", -1)).toEqual(two);
    fc.assert(
      fc.property(
        textAndSpan,
        fc.constantFrom("start", "end"),
        fc.constantFrom(-1, 1),
        ({ text: any, span }, side, by) => {
          fc.pre(span.start < span.end);
          for (const moved of [nextBorder(any, span, side, by), nextCharacter(any, span, side, by)]) {
            expect(moved.start).toBeLessThan(moved.end);
            expect(moved.start).toBeGreaterThanOrEqual(0);
            expect(moved.end).toBeLessThanOrEqual(any.length);
          }
        },
      ),
    );
  });

  test("by characters counts an emoji of several code points once", () => {
    const family = "а👨‍👩‍👧‍👦б";
    expect(nextCharacter(family, { start: 0, end: 1 }, "end", 1)).toEqual({ start: 0, end: family.length - 1 });
  });
});

test("words together hold all letters and digits of a text", () => {
  fc.assert(
    fc.property(hardText, (text) => {
      const texts = words(text).map(({ start, end }) => text.slice(start, end));
      const letters = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.join("") ?? "";
      expect(texts.map(letters).join("")).toBe(letters(text));
    }),
  );
});

test("an emoji is one code point and two units", () => {
  const text = "Привет 😀 мир";
  const offsets = new Offsets(text);
  expect(offsets.toCodePoints(text.indexOf("мир"))).toBe(9);
  expect(offsets.toUnits(9)).toBe(10);
  expect([offsets.codePoints, offsets.units]).toEqual([12, 13]);
});

test("every code point is where counting them one by one says", () => {
  fc.assert(
    fc.property(hardText, (text) => {
      const offsets = new Offsets(text);
      let unit = 0;
      const points: string[] = Array.from(text);
      points.forEach((point: string, place: number) => {
        expect(offsets.toUnits(place)).toBe(unit);
        expect(offsets.toCodePoints(unit)).toBe(place);
        unit += point.length;
      });
      expect(offsets.toUnits(points.length)).toBe(text.length);
      expect(offsets.toCodePoints(text.length)).toBe(points.length);
    }),
  );
});
