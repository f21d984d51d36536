/**
 * Weight and first paint of built sites beside each other: `node bench/paint.mjs NOW/dist BEFORE/dist`. One browser opens
 * each of them in turn, five times, so that the machine's load is the same for both; nothing is kept between two openings.
 */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { serve } from "./serve.mjs";

const ROUNDS = 5;
const PATHS = ["/", "/rules"];
const CHROMIUM = process.env.HURDLE_CHROMIUM ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
const folders = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: CHROMIUM, args });

/** @type {Map<string, { times: number[], kB: number }>} */
const figures = new Map();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const folder of folders) {
    const { port, server } = await serve(() => null, `${folder}/`);
    for (const path of PATHS) {
      const page = await browser.newPage();
      const requests = new Set();
      page.on("request", (request) => requests.add(new URL(request.url()).pathname));
      await page.goto(`http://127.0.0.1:${port}${path}`, { waitUntil: "networkidle" });
      const painted = await page.waitForFunction(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
      );
      const files = [...requests].filter((name) => /\.(js|css)$/.test(name));
      const kB = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0) / 1000;
      const { times } = figures.get(`${path} ${folder}`) ?? { times: [] };
      figures.set(`${path} ${folder}`, { times: [...times, (await painted.jsonValue()) ?? 0], kB });
      await page.close();
    }
    server.close();
  }
}
await browser.close();
for (const [name, { times, kB }] of [...figures].sort()) {
  const sorted = times.toSorted((a, b) => a - b).map((time) => time.toFixed(0));
  process.stdout.write(`${name}: ${kB.toFixed(1)} kB gzip; first paint ${sorted.join(" ")} ms, median ${sorted[2]}\n`);
}
process.stdout.write(
  `load average ${loadavg()
    .map((number) => number.toFixed(1))
    .join(" ")}\n`,
);
