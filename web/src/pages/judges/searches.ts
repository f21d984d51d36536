import type { Schemas } from "@/api/client";

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
  const names = ["run", "team", "cause", "state"] as const;
  // A run's or a team's name may be all digits, and is read as a number then.
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = said[name];
      return (typeof value === "string" && value !== "") || typeof value === "number" ? [[name, String(value)]] : [];
    }),
  );
}
