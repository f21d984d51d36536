import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { zipOf } from "./zip";

const READ =
  "import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; " +
  "print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))";

test("a zip of a folder is read by another program, with names of every alphabet and an empty file", async () => {
  const files = { "test/я 😀.json": '{"text": "ё"}', "cycle.json": "{}", "test/empty.txt": "" };
  const heard: number[] = [];
  const zip = await zipOf(
    Object.entries(files).map(([path, text]) => ({ path, file: new Blob([text]) })),
    { tell: (read) => heard.push(read) },
  );
  const folder = mkdtempSync(join(tmpdir(), "zip-"));
  writeFileSync(join(folder, "a.zip"), new Uint8Array(await zip.arrayBuffer()));
  const read = execFileSync("python3", ["-c", READ, join(folder, "a.zip")], { encoding: "utf8" });
  expect(JSON.parse(read)).toEqual(files);
  expect(readFileSync(join(folder, "a.zip")).length).toBe(zip.size);
  rmSync(folder, { recursive: true });
  expect(heard.at(-1)).toBe(Object.values(files).reduce((sum, text) => sum + new Blob([text]).size, 0));
});

test("the same files make the same zip, whatever their order; what is given up stops", async () => {
  const pair = ["b", "a"].map((path) => ({ path, file: new Blob([path]) }));
  const [one, other] = await Promise.all([zipOf(pair), zipOf(pair.toReversed())]);
  expect(new Uint8Array(await one.arrayBuffer())).toEqual(new Uint8Array(await other.arrayBuffer()));
  await expect(zipOf(pair, { signal: AbortSignal.abort() })).rejects.toThrow();
});
