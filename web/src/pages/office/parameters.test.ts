import { expect, it } from "vitest";
import { asWritten, readWritten } from "./parameters";

it("writes a version as a cycle's file does", () => {
  const told = {
    version: 2,
    announced_at: "2026-11-23T00:00:00.000Z",
    sessions_per_day: 20,
    sessions_per_day_on: null,
    final: { files: [1, 1000], interval_s: [60, 60], join_s: 120 },
    track: { hardness: 0.5, languages: { rus: ["rus"] }, classifier: "default" },
  } as unknown as Parameters<typeof asWritten>[0];
  expect(asWritten(told)).toEqual({ sessions_per_day: 20, final: { join_s: 120, interval_s: 60 }, hardness: 0.5 });
});

it("takes parameters, or a whole file with them, and says where a text is no JSON", () => {
  expect(readWritten('{"hardness": 1}')).toEqual({ parameters: { hardness: 1 } });
  expect(readWritten('{"cycle": "demo", "parameters": {"hardness": 1}}')).toEqual({ parameters: { hardness: 1 } });
  expect(readWritten("[]")).toEqual({ fault: "" });
  expect(readWritten('{"hardness": }')).toHaveProperty("fault", expect.stringMatching(/JSON/));
});
