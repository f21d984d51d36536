import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { measured, PART_SIZE, partsOf } from "./parts";

const MEBIBYTE = 2 ** 20;
const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

it("cuts a file into parts that are all of it, in their order", () => {
  const bytes = PART_SIZE * 2 + 3;
  const cuts = partsOf(bytes);
  expect(cuts.map(({ from, to }) => to - from)).toEqual([PART_SIZE, PART_SIZE, 3]);
  expect(cuts.map(({ from }) => from)).toEqual([0, PART_SIZE, 2 * PART_SIZE]);
});

it("announces a file by the SHA-256 of the whole and of each part", async () => {
  const measures = await measured(new Blob(["abc"]));
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(measures).toEqual({ size: 3, sha256: digest, parts: [digest] });
});

it("a file of several parts has the hashes that reading it at once gives, and says how far it is", async () => {
  const bytes = new Uint8Array(PART_SIZE + 5);
  for (let at = 0; at < bytes.length; at += MEBIBYTE) bytes.fill(1 + at / MEBIBYTE, at, at + MEBIBYTE);
  const heard: number[] = [];
  const measures = await measured(new Blob([bytes]), { tell: (read) => heard.push(read) });
  expect(measures.sha256).toBe(sha(bytes));
  expect(measures.parts).toEqual([sha(bytes.subarray(0, PART_SIZE)), sha(bytes.subarray(PART_SIZE))]);
  expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  expect(heard.at(-1)).toBe(bytes.length);
});

it("reading ends where somebody stops it", async () => {
  const stop = new AbortController();
  const file = new Blob([new Uint8Array(PART_SIZE + 1)]);
  await expect(measured(file, { signal: stop.signal, tell: () => stop.abort() })).rejects.toThrow(/abort/i);
});
