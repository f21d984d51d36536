import { fileURLToPath } from "node:url";
import { defineConfig, type PlaywrightTestConfig } from "@playwright/test";
import { CLOUD } from "./tests/cloud.ts";

/** Debian's Chromium; the flags keep it from looking for Google's hosts. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Debian's Firefox (`apt-get install firefox-esr`) for the main paths: `HURDLE_FIREFOX=yes npm run browser -- hands`. */
const BROWSER: NonNullable<PlaywrightTestConfig["use"]> = process.env.HURDLE_FIREFOX
  ? {
      browserName: "firefox",
      channel: "moz-firefox",
      launchOptions: { executablePath: fileURLToPath(new URL("tests/firefox.mjs", import.meta.url)) },
    }
  : {
      permissions: ["clipboard-read", "clipboard-write"],
      launchOptions: { executablePath: process.env.HURDLE_CHROMIUM ?? "/usr/bin/chromium", args: ARGS },
    };

export default defineConfig({
  testDir: "tests",
  globalSetup: "./tests/start.ts",
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    baseURL: CLOUD,
    locale: "en-GB",
    timezoneId: "Asia/Yekaterinburg",
    viewport: { width: 1280, height: 900 },
    // A trace takes a picture of every frame, which is a seventh of a path's processor time.
    trace: process.env.HURDLE_TRACE ? "retain-on-failure" : "off",
    ...BROWSER,
  },
});
