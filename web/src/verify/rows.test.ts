import { expect, it } from "vitest";
import shared from "../../../tests/contradictions.json";
import { contradictions } from "./run";

/** The record of the shared cases with what a case puts into it: paths of names and places, with dots between. */
function altered(changes: readonly unknown[][]): Parameters<typeof contradictions>[0] {
  const record = structuredClone(shared.record) as never;
  for (const [path, value] of changes) {
    const steps = String(path).split(".");
    const last = steps.pop() ?? "";
    const place = steps.reduce<{ [name: string]: never }>((inner, step) => inner[step] ?? {}, record);
    Object.assign(place, { [last]: value });
  }
  return record;
}

it.each(shared.cases)("a row is found where $name: $fault", ({ set, fault }) => {
  expect(contradictions(altered(set)).length > 0).toBe(fault);
});
