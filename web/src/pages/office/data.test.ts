import { readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { asked, asWritten, EVIDENCE, entriesOf, money, numberOf, readAudit, readCost, readWritten } from "./data";

it("writes a version as a cycle's file does", () => {
  const body = {
    version: 2,
    announced_at: "2026-11-23T00:00:00.000Z",
    sessions_per_day: 20,
    sessions_per_day_on: null,
    final: { files: [1, 1000], interval_s: [60, 60], join_s: 120 },
    track: { hardness: 0.5, languages: { rus: ["rus"] }, classifier: "default" },
  } as unknown as Parameters<typeof asWritten>[0];
  expect(asWritten(body)).toEqual({ sessions_per_day: 20, final: { join_s: 120, interval_s: 60 }, hardness: 0.5 });
});

it("takes parameters, or a whole file with them, and says where a text is no JSON", () => {
  expect(readWritten('{"hardness": 1}')).toEqual({ parameters: { hardness: 1 } });
  expect(readWritten('{"cycle": "demo", "parameters": {"hardness": 1}}')).toEqual({ parameters: { hardness: 1 } });
  expect(readWritten("[]")).toEqual({ fault: "" });
  expect(readWritten('{"hardness": }')).toHaveProperty("fault", expect.stringMatching(/JSON/));
});

test("figures of an address are what the route takes, and what is no number is left out", () => {
  expect(readCost({ teams: 20, files: "500", listening: 0, days: "x", other: 1 })).toEqual({
    teams: 20,
    files: 500,
    listening: 0,
  });
  expect(readCost({ teams: "-1", days: "1.5" })).toEqual({});
  expect(readCost({ armed_hours: 6, with: "programs,nothing,dashboard" })).toEqual({
    armed_hours: 6,
    with: "dashboard,programs",
  });
});

test("a small amount is never shown as nothing, a large one has cents", () => {
  expect(money(0.0000133334, "USD", "en")).toBe("$0.0000133");
  expect(money(0, "USD", "en")).toBe("$0.00");
  expect(money(1234.567, "USD", "en")).toBe("$1,234.57");
  expect(numberOf(0.00123, "en")).toBe("0.00123");
  expect(numberOf(12_345.6, "en")).toBe("12,346");
});

const DOCTOR = "../layers/contest/src/contest/operations/doctor.py";

test("every fact that the doctor may tell has words in the reader's language", () => {
  const rows = readFileSync(DOCTOR, "utf-8")
    .split("\n")
    .filter((line) => /\bevidence = \{|yield Finding\(|append\(Finding\(/.test(line))
    .flatMap((line) => [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name));
  expect(rows.length).toBeGreaterThan(20);
  expect([...new Set(rows)].filter((name) => !(String(name) in EVIDENCE))).toEqual([]);
});

it("asks for today where no day is said, and for one day where one is", () => {
  expect(asked({}, "2026-11-23")).toEqual({ from: "2026-11-23", to: "2026-11-23" });
  expect(asked({ from: "2026-11-20" }, "2026-11-23")).toEqual({ from: "2026-11-20", to: "2026-11-23" });
  expect(asked({ to: "2026-11-20", who: "person:1" }, "2026-11-23")).toEqual({
    from: "2026-11-20",
    to: "2026-11-20",
    who: "person:1",
  });
});

it("takes days alone for days", () => {
  expect(readAudit({ from: "yesterday", to: "2026-11-23", subject: 42 })).toEqual({ to: "2026-11-23", subject: "42" });
});

it("reads a log line by line", () => {
  expect(entriesOf('{"cursor":"1"}\n{"cursor":"2"}\n').map(({ cursor }) => cursor)).toEqual(["1", "2"]);
  expect(entriesOf("")).toEqual([]);
});
