/** A place in what was, or is now, with both; undefined where one of them has no such place. */
export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

/** Where two values of JSON differ, field by field, in their order. Lists are compared as wholes. */
export function differences(before: unknown, after: unknown, field = ""): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], field ? `${field}.${name}` : name));
  }
  // One side alone: its own fields, so that what was made or taken away is read like what was changed.
  if (isObject(before) && isNothing(after)) return differences(before, {}, field);
  if (isNothing(before) && isObject(after)) return differences({}, after, field);
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ field, before, after }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
