/**
 * What the site weighs and how soon it shows: gzip sizes by route against their budgets, the first contentful paint
 * beside an empty page's. A size over its budget ends this with exit code 1; times are told and judged by nobody.
 */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { actions } from "./annotator.mjs";
import { DIST, ENTRY, serve } from "./serve.mjs";

/** @typedef {{ file: string, imports?: string[], css?: string[] }} Chunk a chunk of the build's manifest */

/** kB gzip of the public pages' first load, and of what a room may add to it. */
const BUDGET = { first: { js: 230, css: 15 }, room: { annotator: 90, comparison: 90, desks: 160, public: 70 } };
const CHROMIUM = process.env.HURDLE_CHROMIUM ?? "/usr/bin/chromium";
const PAINTS = 5;

/** @type {Record<string, Chunk>} */
const manifest = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, "utf8"));

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * A chunk and all that it imports at once.
 * @param {string} name
 * @param {Set<string>} names
 */
function together(name, names = new Set()) {
  if (names.has(name)) return names;
  names.add(name);
  for (const imported of manifest[name]?.imports ?? []) together(imported, names);
  return names;
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
  const { port, server } = await serve((path) => (path === "/empty" ? "<!doctype html><p>empty" : null));
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

const fits = sizes();
await paint();
await actions(CHROMIUM, say);
say(
  `load average ${loadavg()
    .map((number) => number.toFixed(1))
    .join(" ")}`,
);
process.exitCode = fits ? 0 : 1;
