import { expect, it } from "vitest";
import { asked, entriesOf, readAudit } from "./auditLog";

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
