import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LONGEST_REASON } from "./ReasonField";

const DOCUMENT = new URL("../../../layers/contest/src/contest/contracts/openapi.json", import.meta.url);

interface Schema {
  properties?: Record<string, { maxLength?: number }>;
}

test("a reason may be as long as the interface takes it, whatever is decided", () => {
  const { components } = JSON.parse(readFileSync(DOCUMENT, "utf8")) as {
    components: { schemas: Record<string, Schema> };
  };
  const asked = Object.entries(components.schemas).flatMap(([name, { properties }]) =>
    name.endsWith("Request") && properties?.reason ? [[name, properties.reason.maxLength]] : [],
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter(([, longest]) => longest !== LONGEST_REASON)).toEqual([]);
});
