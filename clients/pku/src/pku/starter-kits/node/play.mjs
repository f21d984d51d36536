// Play a session of the contest: `node play.mjs learn`, then `node play.mjs session [SET] [FILES]`.
//
// The address and the token of the team are in the variables HURDLE and TOKEN.
import { readFileSync, writeFileSync } from "node:fs";
import { argv, env, exit } from "node:process";
import { setTimeout } from "node:timers/promises";
import { MODEL, learn, mark } from "./solver.mjs";

const TRIES = 6;

// Status and body. A request waits and repeats where the platform asks for that; its key makes a repetition harmless.
async function ask(method, path, body) {
  const headers = { Authorization: `Bearer ${env.TOKEN}`, "Idempotency-Key": crypto.randomUUID() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  for (let attempt = 1; ; attempt += 1) {
    const reply = await fetch(`${env.HURDLE}/v1/${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (reply.ok) return [reply.status, await reply.json()];
    if (![429, 503].includes(reply.status) || attempt === TRIES) {
      console.error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
      exit(1);
    }
    await setTimeout(1000 * Number(reply.headers.get("Retry-After") ?? 1));
  }
}

// The experts' annotations of a training set.
async function trainingSet(name) {
  const [, described] = await ask("GET", `sets/${name}`);
  const annotations = [];
  for (const part of described.parts) {
    const [, content] = await ask("GET", `sets/${name}/parts/${part.number}`);
    for (const file of content.files) if (file.name.includes("_exp")) annotations.push(JSON.parse(file.text));
  }
  return annotations;
}

// Answer every file of a new session and return its report.
async function play(model, set, files) {
  const [, session] = await ask("POST", "sessions", { mode: "algorithmic", set, files });
  const path = `sessions/${session.session_id}`;
  for (;;) {
    const [, { status, number }] = await ask("GET", `${path}/next`);
    if (status !== "available") break;
    const [, { content }] = await ask("GET", `${path}/files/${number}`);
    const [, { receipt }] = await ask("PUT", `${path}/files/${number}/answer`, mark(content, model));
    console.log(`file ${number}: ${receipt.status}`);
  }
  for (;;) {
    const [status, report] = await ask("GET", `${path}/report`);
    if (status !== 202) return report;
    await setTimeout(1000);
  }
}

const [command, set = "train", files = "4"] = argv.slice(2);
if (command === "learn") {
  const annotations = await trainingSet("train");
  writeFileSync(MODEL, JSON.stringify(learn(annotations), null, 1));
  console.log(`annotations: ${annotations.length}`);
} else {
  const report = await play(JSON.parse(readFileSync(MODEL, "utf8")), set, Number(files));
  writeFileSync("report.json", JSON.stringify(report, null, 1));
  console.log(`relative accuracy: ${report.result.relative_accuracy}`);
}
