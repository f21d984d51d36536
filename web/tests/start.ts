import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PORT } from "./cloud.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Start the local cloud once for all tests, and end it with them. One that runs already is used as it is. */
export default async function start(): Promise<() => void> {
  return raise(PORT);
}

/**
 * A local cloud of a contest's demonstration cycle, played, or with its people alone, or with rounds for clinicians;
 * returns how to end it.
 */
export async function raise(port: number, contest = "essay", only?: "people" | "rounds"): Promise<() => void> {
  if (await answers(port)) return () => undefined;
  const cloud = spawn(".venv/bin/python", ["-m", "tests.site_cloud", String(port), contest, ...(only ? [only] : [])], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  await ready(cloud);
  return () => {
    cloud.stdin?.end();
  };
}

function ready(cloud: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    cloud.stdout?.on("data", (text: Buffer) => {
      if (text.toString().includes("ready at")) resolve();
    });
    cloud.on("exit", (code) => reject(new Error(`the local cloud ended with exit code ${code}`)));
  });
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port + 1}/prepared`)).ok && (await fetch(`http://127.0.0.1:${port}`)).ok;
  } catch {
    return false;
  }
}
