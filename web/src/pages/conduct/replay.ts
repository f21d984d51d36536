import type { Schemas } from "@/api/client";
export type Replay = Schemas["ReplayBody"];
export type ReplayRules = Schemas["ReplayRulesBody"];
type Review = Replay["reviews"][number];

/** What of a replay comes next: a round to open, one that goes on, the closing, nothing. */
export type Next =
  | { kind: "open"; round: number }
  | { kind: "running"; round: number; until: string }
  | { kind: "close" }
  | { kind: "closed" };

/** `now` in milliseconds; a round goes on until its last moment, that moment too, as the platform has it. */
export function nextOf({ results, opened, until, files }: Replay, now: number): Next {
  if (results) return { kind: "closed" };
  if (until !== null && Date.parse(until) >= now) return { kind: "running", round: opened.length, until };
  return opened.length === files.length ? { kind: "close" } : { kind: "open", round: opened.length + 1 };
}

/** Everybody's review of a round by their name in the lot, in the lot's order; null of whom nothing is known. */
export function reviewsOf({ people, reviews }: Replay, round: number): readonly (readonly [string, Review | null])[] {
  const said = new Map(reviews.filter((each) => each.round === round).map((each) => [each.person, each]));
  return people.map(({ name }) => [name, said.get(name) ?? null] as const);
}
