import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { codePoints, learn, mark, occurrences } from "./solver.mjs";

const sample = JSON.parse(readFileSync(new URL("sample.json", import.meta.url), "utf8"));

test("offsets are code points: an astral letter counts once, a combining mark for itself", () => {
  assert.equal(codePoints("😀ab"), 3);
  assert.equal(codePoints("😀ab", "😀ab".indexOf("b")), 2);
  assert.equal(codePoints("и\u0306"), 2);
  assert.deepEqual(occurrences("😀 big 😀 big", "big"), [[2, 5], [8, 11]]);
});

test("a phrase is found as whole words alone", () => {
  assert.deepEqual(occurrences("cat concat cats cat", "cat"), [[0, 3], [16, 19]]);
});

test("what the experts have marked is found in another essay", () => {
  assert.deepEqual(mark(sample.essay, learn(sample.annotations)).selections, sample.selections);
});

test("an essay of a subject that was not learned gets no fragments", () => {
  assert.deepEqual(mark(sample.essay, {}).selections, []);
});
