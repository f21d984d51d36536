import { listening } from "./listening";

/**
 * The platform's clock, learned from `server_time`.
 *
 * A delay of a response, by the network or a cache, makes its time look older and never newer: so the greatest
 * difference among the last responses is the nearest to the truth.
 */
const REMEMBERED = 16;
const differences: number[] = [];
const changes = listening();

export function heard(serverTime: string, receivedMs: number): void {
  const before = offset();
  differences.push(Date.parse(serverTime) - receivedMs);
  if (differences.length > REMEMBERED) differences.shift();
  if (offset() !== before) changes.tell();
}

/** Milliseconds by which the platform's clock is ahead of this machine's. */
export function offset(): number {
  return differences.length > 0 ? Math.max(...differences) : 0;
}

export function now(): number {
  return Date.now() + offset();
}

export const onOffset = changes.on;

export function forget(): void {
  differences.length = 0;
}
