import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Happened, laneOf, longest, nearest } from "./Timeline";

const AT = Date.parse("2026-12-12T09:00:00Z");
const iso = (seconds: number | null) => (seconds === null ? null : new Date(AT + seconds * 1000).toISOString());

function file(number: number, moments: Partial<Record<keyof Happened, number>>, state = "answered"): Happened {
  const at = (name: keyof Happened) => iso(moments[name] ?? null);
  return {
    number,
    opens_at: at("opens_at"),
    request_by: at("request_by"),
    handed_out_at: at("handed_out_at"),
    answer_by: at("answer_by"),
    answered_at: at("answered_at"),
    state,
  };
}

describe("a lane", () => {
  it("begins with the opening of a run's file", () => {
    const lane = laneOf(
      file(3, { opens_at: 100, request_by: 160, handed_out_at: 104, answer_by: 190, answered_at: 150 }),
    );
    expect(lane).toEqual({ number: 3, asked: 4000, answered: 50_000, limit: 90_000, isVoid: false });
  });

  it("begins with the hand-out where nothing opens by itself", () => {
    const lane = laneOf(file(1, { handed_out_at: 7, answer_by: 97, answered_at: 9 }));
    expect(lane).toMatchObject({ asked: 0, answered: 2000, limit: 90_000 });
  });

  it("ends with the time to ask where nobody asked", () => {
    expect(laneOf(file(2, { opens_at: 0, request_by: 60 }, "voided"))).toEqual({
      number: 2,
      asked: null,
      answered: null,
      limit: 60_000,
      isVoid: true,
    });
  });

  it("is empty before anything happened", () => {
    expect(laneOf(file(9, {}, "waiting"))).toMatchObject({ asked: null, answered: null, limit: null });
  });
});

describe("the answer nearest to its limit", () => {
  it("is none where nothing counts", () => {
    expect(nearest([laneOf(file(1, { handed_out_at: 0, answer_by: 5, answered_at: 1 }, "voided"))])).toBeNull();
  });

  it("has no answer nearer to its limit beside it, and the axis holds them all", () => {
    const drawn = fc.array(
      fc.record({ limit: fc.integer({ min: 1, max: 999 }), answered: fc.integer({ min: 0, max: 999 }) }),
    );
    fc.assert(
      fc.property(drawn, (files) => {
        const lanes = files.map(({ limit, answered }, at) =>
          laneOf(
            file(at + 1, { opens_at: 0, handed_out_at: 0, answer_by: limit, answered_at: Math.min(limit, answered) }),
          ),
        );
        const place = nearest(lanes);
        expect(place === null).toBe(files.length === 0);
        for (const { limit, answered } of lanes) {
          expect(Number(limit) - Number(answered)).toBeGreaterThanOrEqual(Number(place?.left));
          expect(longest(lanes)).toBeGreaterThanOrEqual(Number(limit));
        }
      }),
    );
  });
});
