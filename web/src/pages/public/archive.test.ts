import { describe, expect, test } from "vitest";
import { isArchived, mayHaveArchive } from "./archive";

const published = { mode: "final", trial: false, state: "finished", results_published: true } as const;

describe("the archive of a run", () => {
  /** Clause: R 7.14 */
  test("is looked for only of a final that counts and whose results are out", () => {
    expect(mayHaveArchive(published)).toBe(true);
    expect(mayHaveArchive({ ...published, results_published: false })).toBe(false);
    expect(mayHaveArchive({ ...published, trial: true })).toBe(false);
    expect(mayHaveArchive({ ...published, state: "stopped" })).toBe(false);
    expect(mayHaveArchive({ ...published, state: "running" })).toBe(false);
    expect(mayHaveArchive({ ...published, mode: "technical" })).toBe(false);
  });

  test("is there where the platform sends on to it, and not where it refuses", async () => {
    const asked: [unknown, unknown][] = [];
    const answering = (answer: Partial<Response>) =>
      (async (url: unknown, how: unknown) => {
        asked.push([url, how]);
        return answer;
      }) as unknown as typeof fetch;
    expect(await isArchived("r1", answering({ type: "opaqueredirect", ok: false }))).toBe(true);
    expect(await isArchived("r1", answering({ type: "basic", ok: true }))).toBe(true);
    expect(await isArchived("r1", answering({ type: "basic", ok: false, status: 409 }))).toBe(false);
    expect(await isArchived("r1", answering({ type: "basic", ok: false, status: 404 }))).toBe(false);
    expect(asked[0]).toEqual(["/v1/runs/r1/archive", { redirect: "manual" }]);
  });
});
