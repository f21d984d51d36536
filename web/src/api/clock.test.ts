import { beforeEach, expect, it } from "vitest";
import { forget, heard, offset } from "./clock";

const SERVER = "2026-12-12T12:00:00.000Z";
const LOCAL = Date.parse(SERVER);

beforeEach(forget);

it("goes by this machine until the platform has said its time", () => {
  expect(offset()).toBe(0);
});

it("believes the answer that was least delayed, by the way or by a cache", () => {
  heard(SERVER, LOCAL - 500);
  heard(SERVER, LOCAL + 9_000);
  expect(offset()).toBe(500);
});

it("forgets what is long ago", () => {
  heard(SERVER, LOCAL - 60_000);
  for (let count = 0; count < 16; count += 1) heard(SERVER, LOCAL + 1_000);
  expect(offset()).toBe(-1_000);
});
