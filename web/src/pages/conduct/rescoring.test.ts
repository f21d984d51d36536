import { expect, test } from "vitest";
import { NO_SELECTION, selected } from "./rescoring";

test("what was not said is not sent", () => {
  expect(selected(NO_SELECTION, "why")).toEqual({ reason: "why", sessions: [] });
});

test("what was said is", () => {
  expect(selected({ ...NO_SELECTION, set: "test", since: "2027-01-01", version: "3" }, "why")).toEqual({
    reason: "why",
    sessions: [],
    set: "test",
    since: "2027-01-01",
    parameters_version: 3,
  });
});
