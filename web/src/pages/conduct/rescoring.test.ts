import { expect, test } from "vitest";
import { figureWords, NO_SELECTION, selected } from "./rescoring";

test("what was not said is not sent", () => {
  expect(selected(NO_SELECTION, "why")).toEqual({ reason: "why", sessions: [] });
});

test("what was said is", () => {
  expect(selected({ ...NO_SELECTION, mode: "answers", set: "test", since: "2027-01-01", version: "3" }, "why")).toEqual(
    {
      reason: "why",
      sessions: [],
      mode: "answers",
      set: "test",
      since: "2027-01-01",
      parameters_version: 3,
    },
  );
});

test("a figure of a group stands behind its group's name, and what is not known behind its key", () => {
  expect(figureWords("concentrated.recall").map(({ message }) => message)).toEqual(["Context-dependent", "Recall"]);
  expect(figureWords("relative_accuracy").map(({ message }) => message)).toEqual(["OTAR, %"]);
  expect(figureWords("tasks.odd")).toHaveLength(2);
});
