import { type KeyboardEvent, useState } from "react";

/** What the arrow keys do: by how many points each of them goes. */
export type Steps = Readonly<Record<string, number>>;
export const ALONG: Steps = { ArrowRight: 1, ArrowLeft: -1 };
export const DOWN: Steps = { ArrowDown: 1, ArrowUp: -1 };

/** The point that a step leads to: into the chart from outside, and never beyond its ends. */
export function next(at: number | null, step: number, count: number): number {
  return Math.max(0, Math.min(count - 1, (at ?? (step > 0 ? -1 : count)) + step));
}

/** A walk over a chart's points by arrow keys. */
export function useWalk(count: number, steps: Steps) {
  const [at, setAt] = useState<number | null>(null);
  const walk = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (!step || count === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setAt((now) => next(now, step, count));
  };
  return { at: at !== null && at < count ? at : null, setAt, walk };
}
