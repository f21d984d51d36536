import type { Schemas } from "@/api/client";
import { texts } from "@/ui/keys";

export type Standing = Schemas["ClaimBody"]["standing"];

export const STANDINGS: readonly Standing[] = [
  "awaits_judges",
  "awaits_commission",
  "verified",
  "rejected",
  "not_ready",
  "annulled",
];

export interface QueueSearch {
  /** Without one, what waits for whoever looks. */
  standing?: Standing | "all";
}

export function readQueue(said: Record<string, unknown>): QueueSearch {
  const standing = [...STANDINGS, "all" as const].find((each) => each === said.standing);
  return standing ? { standing } : {};
}

export interface SubmissionsSearch {
  run?: string;
  team?: string;
  cause?: string;
  state?: string;
}

export function readSubmissions(said: Record<string, unknown>): SubmissionsSearch {
  return texts(said, ["run", "team", "cause", "state"]);
}
