import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { macros } from "./macros.ts";

/** Where `make up` answers; the dev server passes on what is no page. */
const CLOUD = "http://127.0.0.1:8700";

/** The font's licence goes wherever the font goes; its files have no room for it. */
function fontLicence(): Plugin {
  const licence = fileURLToPath(import.meta.resolve("@fontsource/pt-serif/LICENSE"));
  return {
    name: "font-licence",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "assets/pt-serif-OFL.txt", source: readFileSync(licence, "utf8") });
    },
  };
}

export default defineConfig({
  plugins: [macros(), react(), fontLicence(), lingui({ failOnMissing: true, failOnCompileError: true })],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    // The policy allows no inline script and no data: script; every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: Object.fromEntries(["/v1", "/docs", "/published", "/_local"].map((path) => [path, CLOUD])) },
  // A loaded machine is slow, and no test here is about how fast something is. Files share their modules, which none of
  // them changes: loading them anew for each file took two thirds of the time.
  test: {
    include: ["src/**/*.test.ts", "src/**/*.test.tsx"],
    environment: "node",
    isolate: false,
    testTimeout: 60_000,
  },
});
