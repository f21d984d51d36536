import type { GetAnswer } from "@/api/client";

type Told = GetAnswer<"/v1/parameters/{version}">["parameters"];

/**
 * A version's parameters as a cycle's file writes them, to be edited: the track's own stand among the others, what
 * belongs to the cycle itself and what is not said is left out, and a final has one interval and no bounds of its size.
 */
export function asWritten(told: Told): Record<string, unknown> {
  const { version: _, announced_at: __, track, final, ...rest } = told;
  const { languages: ___, classifier: ____, ...own }: Record<string, unknown> = track;
  const { files: _____, interval_s: interval, ...rules } = final;
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return { ...said, final: { ...rules, interval_s: interval[0] }, ...own };
}

/** What a person wrote, or where it is no JSON object. A whole file of a cycle may be given: its parameters are taken. */
export function readWritten(text: string): { parameters: Record<string, unknown> } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: String(error instanceof Error ? error.message : error) };
  }
  if (!isObject(value)) return { fault: "" };
  return { parameters: isObject(value.parameters) ? value.parameters : value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
