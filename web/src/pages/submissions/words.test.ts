import { expect, test } from "vitest";
import { isOver, STATES, type State, wayOf } from "./words";

test("every state of either kind stands on the way that is shown of it", () => {
  for (const kind of ["answers", "program"] as const) {
    for (const state of Object.keys(STATES) as State[]) {
      const way = wayOf({ kind, state });
      if (kind === "answers" && ["queued", "running"].includes(state)) expect(way).not.toContain(state);
      else expect(way).toContain(state);
    }
  }
});

test("what is over stands at its way's end, and nothing else does", () => {
  for (const state of Object.keys(STATES) as State[]) {
    expect(wayOf({ kind: "program", state }).at(-1) === state).toBe(isOver(state));
  }
});
