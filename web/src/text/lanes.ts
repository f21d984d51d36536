import type { Span } from "./graphemes";

/**
 * A lane for every span, so that spans that overlap never share one: by start, the longer first, each into the lowest
 * lane that is free there. A span only influences those it overlaps, directly or through others, so adding one moves
 * nothing outside its group. As many lanes are used as spans lie over one another at most.
 */
export function lanes<Key>(spans: ReadonlyMap<Key, Span>): Map<Key, number> {
  const ordered = [...spans].filter(([, span]) => span.start < span.end).sort(byStartThenLength);
  const ends: number[] = [];
  const found = new Map<Key, number>();
  for (const [key, span] of ordered) {
    const free = ends.findIndex((end) => end <= span.start);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = span.end;
    found.set(key, lane);
  }
  return found;
}

function byStartThenLength<Key>([, one]: [Key, Span], [, other]: [Key, Span]): number {
  return one.start - other.start || other.end - one.end;
}
