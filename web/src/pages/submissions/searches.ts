import { texts } from "@/ui/keys";
import type { State } from "./words";

export const STATES_FOR_ALL: readonly State[] = [
  "uploading",
  "checking",
  "queued",
  "running",
  "scoring",
  "scored",
  "refused",
  "failed",
];

export interface SubmittedSearch {
  state?: State;
  team?: string;
}

export function readSubmitted(said: Record<string, unknown>): SubmittedSearch {
  const { team } = texts(said, ["team"]);
  const state = STATES_FOR_ALL.find((each) => each === said.state);
  return { ...(state ? { state } : {}), ...(team ? { team } : {}) };
}
