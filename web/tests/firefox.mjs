#!/usr/bin/env node
// @ts-nocheck: the library of sockets within Playwright has no types
/**
 * Debian's Firefox for Playwright, which speaks WebDriver BiDi to it: this stands between the two and answers the one
 * command that an extended support release does not know and Playwright cannot leave out (colours are chosen by the
 * site's own menu in these tests).
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const UNKNOWN = "emulation.setMediaFeaturesOverride";
const FIREFOX = process.env.HURDLE_FIREFOX_PATH ?? "/usr/bin/firefox-esr";

const core = dirname(createRequire(import.meta.url).resolve("playwright-core/package.json"));
const { ws: Client, wsServer: Listener } = createRequire(import.meta.url)(join(core, "lib/utilsBundle.js"));

const firefox = spawn(FIREFOX, process.argv.slice(2), { stdio: ["ignore", "inherit", "pipe"] });
firefox.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => firefox.kill(signal));

createInterface({ input: firefox.stderr }).on("line", (line) => {
  const address = /^WebDriver BiDi listening on (ws:\/\/.*)$/.exec(line)?.[1];
  if (!address) {
    process.stderr.write(`${line}\n`);
    return;
  }
  const listener = new Listener({ host: "127.0.0.1", port: 0 });
  listener.on("listening", () => {
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${listener.address().port}\n`);
  });
  listener.on("connection", (playwright, { url }) => between(playwright, new Client(address + url)));
});

function between(playwright, browser) {
  const waiting = [];
  browser.on("open", () => {
    for (const message of waiting.splice(0)) browser.send(message);
  });
  playwright.on("message", (data) => {
    const message = data.toString();
    const { id, method } = JSON.parse(message);
    if (method === UNKNOWN) playwright.send(JSON.stringify({ type: "success", id, result: {} }));
    else if (browser.readyState === Client.OPEN) browser.send(message);
    else waiting.push(message);
  });
  browser.on("message", (data) => playwright.send(data.toString()));
  browser.on("close", () => playwright.close());
  playwright.on("close", () => browser.close());
}
