import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Settled } from "./data";

export type StepName = "ended" | "record" | "markups" | "scores" | "board" | "recomputed" | "published";
export type StepState = "done" | "now" | "stopped" | "later";

export interface Step {
  name: StepName;
  state: StepState;
}

const ORDER: readonly StepName[] = ["ended", "record", "markups", "scores", "board", "recomputed", "published"];

/** The step that a final stands at, by what the platform says it waits for. */
const AT: Record<Settled, StepName | null> = {
  running: "ended",
  making_record: "record",
  no_results: "markups",
  waiting_for_markups: "markups",
  scoring: "scores",
  making_board: "board",
  verifying: "recomputed",
  differences_found: "recomputed",
  ready: "published",
  published: null,
};

export const STEPS: Record<StepName, MessageDescriptor> = {
  ended: msg`Every session is closed`,
  record: msg`The record is made and signed`,
  markups: msg`The experts' markups are taken in`,
  scores: msg`Every answer is scored`,
  board: msg`The teams' results and the board are made`,
  recomputed: msg`Everything is recomputed independently without a difference`,
  published: msg`The results are published`,
};

/** What stands between a final and its publication, in order. A run without results ends with its record. */
export function stepsOf(settled: Settled): Step[] {
  const names = settled === "no_results" ? ORDER.slice(0, 2) : ORDER;
  const at = AT[settled];
  const now = at === null ? ORDER.length : ORDER.indexOf(at);
  return names.map((name, index) => {
    if (index < now) return { name, state: "done" };
    if (index > now) return { name, state: "later" };
    return { name, state: settled === "differences_found" ? "stopped" : "now" };
  });
}
