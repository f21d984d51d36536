import { expect, it } from "vitest";
import { announced, PART_SIZE, partsOf } from "./parts";

it("cuts a file into parts that are all of it, in their order", () => {
  const bytes = PART_SIZE * 2 + 3;
  const cuts = partsOf(bytes);
  expect(cuts.map(({ from, to }) => to - from)).toEqual([PART_SIZE, PART_SIZE, 3]);
  expect(cuts.map(({ from }) => from)).toEqual([0, PART_SIZE, 2 * PART_SIZE]);
});

it("announces a file by the SHA-256 of the whole and of each part", async () => {
  const said = await announced(new Blob(["abc"]));
  const known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(said).toEqual({ size: 3, sha256: known, parts: [known] });
});
