import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EVIDENCE } from "./evidenceWords";

const DOCTOR = "../layers/contest/src/contest/services/operations/doctor.py";

test("every fact that the doctor may tell has words in the reader's language", () => {
  const told = readFileSync(DOCTOR, "utf-8")
    .split("\n")
    .filter((line) => /\bsaid = \{|yield Finding\(|append\(Finding\(/.test(line))
    .flatMap((line) => [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name));
  expect(told.length).toBeGreaterThan(20);
  expect([...new Set(told)].filter((name) => !(String(name) in EVIDENCE))).toEqual([]);
});
