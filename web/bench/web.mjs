/**
 * What the site weighs and how soon it shows: gzip sizes by route against their budgets, the first contentful paint
 * beside an empty page's. A size over its budget ends this with exit code 1; times are told and judged by nobody.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg } from "node:os";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";

/** @typedef {{ file: string, imports?: string[], css?: string[] }} Chunk a chunk of the build's manifest */

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const ENTRY = "index.html";
/** kB gzip of the public pages' first load, and of what a room may add to it. */
const BUDGET = { first: { js: 230, css: 15 }, room: { annotate: 90, desks: 160, public: 70 } };
const CHROMIUM = process.env.HURDLE_CHROMIUM ?? "/usr/bin/chromium";
const PAINTS = 5;
/** @type {Record<string, string>} */
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml" };

/** @type {Record<string, Chunk>} */
const manifest = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, "utf8"));

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * A chunk and all that it imports at once.
 * @param {string} name
 * @param {Set<string>} found
 */
function together(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const each of manifest[name]?.imports ?? []) together(each, found);
  return found;
}

/**
 * Thousands of bytes, compressed.
 * @param {Iterable<string>} names
 * @param {"js" | "css"} kind
 */
function weight(names, kind) {
  const chunks = [...names].flatMap((name) => manifest[name] ?? []);
  const files = new Set(kind === "js" ? chunks.map((chunk) => chunk.file) : chunks.flatMap((chunk) => chunk.css ?? []));
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(DIST + file)).length, 0) / 1000;
}

function sizes() {
  const entry = together(ENTRY);
  const home = together("src/pages/public/Home.tsx");
  const catalogue = together("src/i18n/public/ru.po");
  const first = new Set([...entry, ...home, ...catalogue]);
  /** @type {[string, number, number][]} */
  const rows = [
    ["public first load, JS", weight(first, "js"), BUDGET.first.js],
    ["public first load, CSS", weight(first, "css"), BUDGET.first.css],
  ];
  for (const page of Object.keys(manifest).filter((name) => name.startsWith("src/pages/"))) {
    const room = page.split("/")[2] ?? "";
    const more = [...together(page)].filter((name) => !first.has(name));
    const limit = Object.entries(BUDGET.room).find(([name]) => name === room)?.[1] ?? BUDGET.room.desks;
    rows.push([page.replace("src/pages/", "+ "), weight(more, "js") + weight(more, "css"), limit]);
  }
  for (const [name, kb, limit] of rows) {
    say(`${name.padEnd(36)} ${kb.toFixed(1).padStart(7)} kB gzip of ${limit}${kb > limit ? "   OVER ITS BUDGET" : ""}`);
  }
  return rows.every(([, kb, limit]) => kb <= limit);
}

async function paint() {
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (path.startsWith("/v1/") || path === "/favicon.ico") return response.writeHead(503).end();
    const file = extname(path) ? path.slice(1) : ENTRY;
    const content = path === "/empty" ? "<!doctype html><p>empty" : readFileSync(DIST + file);
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  for (const path of ["/empty", "/rules"]) {
    /** @type {number[]} */
    const times = [];
    for (let count = 0; count < PAINTS; count += 1) {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}${path}`);
      const painted = await page.waitForFunction(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
      );
      times.push((await painted.jsonValue()) ?? 0);
      await page.close();
    }
    times.sort((a, b) => a - b);
    say(`first contentful paint of ${path.padEnd(8)} ${times.map((time) => time.toFixed(0)).join(" ")} ms`);
  }
  await browser.close();
  server.close();
}

const kept = sizes();
await paint();
say(
  `load average ${loadavg()
    .map((each) => each.toFixed(1))
    .join(" ")}`,
);
process.exitCode = kept ? 0 : 1;
