import type { Span } from "./graphemes";

/** What lies at a place, the shortest first and then outward; the later start first among equally long ones. */
export function hits<Of extends Span>(spans: readonly Of[], at: number): Of[] {
  return spans
    .filter((each) => each.start <= at && at <= each.end && each.start < each.end)
    .sort((one, other) => one.end - one.start - (other.end - other.start) || other.start - one.start);
}

/** The one after the active one in that order, from the outermost back to the shortest. */
export function outward<Of extends Span>(found: readonly Of[], active: Of | undefined): Of | undefined {
  const at = active ? found.indexOf(active) : -1;
  return found[(at + 1) % Math.max(found.length, 1)];
}
