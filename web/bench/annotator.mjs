import { readFileSync } from "node:fs";
import { chromium } from "@playwright/test";
import { serve } from "./serve.mjs";

const CODES = new URL("../../layers/markup_core/src/markup_core/data/classifier.json", import.meta.url);
const ID = "benchbenchbenchbench";
const [WORDS, FRAGMENTS, TIMES] = [1_000, 60, 100];

/** @typedef {import("../src/api/client").Schemas} Schemas */

/** An essay of a thousand words in which sixty fragments lie over one another, as the platform would give it. */
function work() {
  const words = Array.from({ length: WORDS }, (_, place) => `слово${place}${place % 90 === 89 ? ".\n" : ""}`);
  const text = words.join(" ");
  const starts = words.map((_, place) => words.slice(0, place).join(" ").length + (place > 0 ? 1 : 0));
  const selections = Array.from({ length: FRAGMENTS }, (_, place) => {
    const first = Math.floor(place / 4) * 60 + (place % 4) * 3;
    const last = first + 4 + (place % 3) * 6;
    const span = {
      startSelection: starts[first],
      endSelection: (starts[last] ?? 0) + (words[last]?.trimEnd().length ?? 0),
    };
    const fields = { subtype: "", comment: "", explanation: "", correction: "", tag: "", group: "error" };
    return { id: place + 1, ...span, type: place % 5 ? "Г.слов" : "ПРИМЕР", ...fields };
  });
  const content = { meta: { id: "bench", subject: "rus" }, criteria: {}, selections: [], text };
  const now = new Date();
  const at = now.toISOString();
  const draft = { revision: 1, saved_at: at, content_sha256: "0".repeat(64), valid: true };
  /** @satisfies {Schemas["AssignmentBody"]} */
  const assignment = {
    assignment_id: ID,
    language: "rus",
    subject: "rus",
    third: false,
    calibration: false,
    ratings: false,
    state: "opened",
    words: WORDS,
    limit_s: 3600,
    assigned_at: at,
    open_until: null,
    opened_at: at,
    closes_at: new Date(now.getTime() + 3_600_000).toISOString(),
    ended_at: null,
    time_left_s: 3600,
    draft,
    markup: null,
    reason: "",
    note: "",
    server_time: at,
  };
  return { assignment, content, draft: { ...content, selections }, judged: null, earlier: null };
}

/** The classifier as `GET /v1/classifier` answers it: every code with its description. */
function classifier() {
  const { subjects, descriptions, titles } = JSON.parse(readFileSync(CODES, "utf8"));
  /** @param {{ code: string }} code */
  const described = (code) => ({ ...code, description: descriptions[code.code] ?? {} });
  const rus = subjects.rus.map(described);
  return { cycle: "bench", track: "essay", parameters_version: 1, classifier: { subjects: { rus }, titles } };
}

/** Notes for every key the time from its event to a task after the next frame. */
function note() {
  /** @type {number[]} */
  const times = [];
  Object.assign(window, { noted: times });
  addEventListener(
    "keydown",
    (event) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => times.push(performance.now() - event.timeStamp);
        port2.postMessage(null);
      });
    },
    { capture: true },
  );
}

/**
 * From key to paint: what an expert does oftenest, on sixty fragments, beside the same keys in an empty page.
 * @param {string} executablePath
 * @param {(line: string) => void} say
 */
export async function actions(executablePath, say) {
  const assigned = work();
  const { server, port } = await serve((path, method) => {
    if (path === "/empty") return "<!doctype html><p>empty";
    if (path === "/v1/classifier") return JSON.stringify(classifier());
    if (path === `/v1/assignments/${ID}/draft` && method === "PUT") {
      assigned.assignment.draft.revision += 1;
      return JSON.stringify({ assignment: assigned.assignment, judged: null });
    }
    return path === `/v1/assignments/${ID}` ? JSON.stringify(assigned) : null;
  });
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath, args });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.addInitScript(note);
  /** @type {Map<string, number[]>} */
  const counts = new Map();
  /** @param {string} name @param {string} key */
  const timed = async (name, key) => {
    const before = await page.evaluate("noted.length");
    await page.keyboard.press(key);
    await page.waitForFunction(`noted.length > ${before}`);
    counts.set(name, [...(counts.get(name) ?? []), Number(await page.evaluate("noted.at(-1)"))]);
  };
  await page.goto(`http://127.0.0.1:${port}/empty`);
  for (let time = 0; time < TIMES; time += 1) await timed("an empty page", "ArrowRight");
  await page.goto(`http://127.0.0.1:${port}/assignments/${ID}`);
  await page.locator("[role=textbox][aria-readonly=true]").focus();
  await page.keyboard.press("Control+Home");
  for (let time = 0; time < TIMES; time += 1) {
    await page.keyboard.press("Control+ArrowRight");
    await timed("extend the selection", "Control+Shift+ArrowRight");
    await timed("open the search", "Enter");
    await timed("type a letter", "a");
    await timed("take a code", "Enter");
    await timed("undo", "Control+z");
  }
  await browser.close();
  server.close();
  say(`key to paint, ${FRAGMENTS} fragments in ${WORDS} words, ms: p50, p95 of ${TIMES}`);
  for (const [name, times] of counts) {
    times.sort((one, other) => one - other);
    const [half, most] = [0.5, 0.95].map((share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(0));
    say(`  ${name.padEnd(22)} ${String(half).padStart(5)} ${String(most).padStart(5)}`);
  }
}
