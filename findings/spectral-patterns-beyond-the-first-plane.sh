#!/bin/sh
# Spectral and ajv: does a linter of OpenAPI 3.1 read a pattern with a range of letters beyond U+FFFF?
#
# Guess: both do, for JSON Schema 2020-12 asks for Unicode patterns, and Spectral's rules are made of ajv.
# Seen: ajv compiles the pattern and tells Gothic letters from Latin ones. Spectral finds in the valid document that the
#    pattern "must match format regex": its check of the format leaves the flag u out. For the range a-z it has none.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --prefix own ajv@8.17.1  # apart: Spectral brings an ajv of another version
npm install --silent --no-fund --no-audit @stoplight/spectral-core@1.24.1 @stoplight/spectral-parsers@1.0.5 \
    @stoplight/spectral-rulesets@1.23.1
cat > look.mjs <<'LOOK'
import assert from "node:assert";
import { readFileSync } from "node:fs";
import spectral from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import rulesets from "@stoplight/spectral-rulesets";
import Ajv from "./own/node_modules/ajv/dist/2020.js";

const version = (name) => JSON.parse(readFileSync(`${name}/package.json`, "utf8")).version;
for (const name of ["own/node_modules/ajv", "node_modules/@stoplight/spectral-core", "node_modules/@stoplight/spectral-rulesets"]) console.log(name, version(name));

async function findings(pattern) {
  const schema = { type: "string", pattern };
  const document = { openapi: "3.1.0", info: { title: "words", version: "1" }, paths: {}, components: { schemas: { Word: schema } } };
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, "off"]], rules: { "oas3-schema": "error" } });
  const seen = await linter.run(new spectral.Document(JSON.stringify(document), parsers.Json));
  return seen.map((finding) => `${finding.code}: ${finding.message}`);
}

const GOTHIC = "^[\u{10330}-\u{1034a}]+$";
const matches = new Ajv.default().compile({ type: "string", pattern: GOTHIC });
console.log("ajv", matches("\u{10333}\u{10330}"), matches("da"));
assert.deepStrictEqual([matches("\u{10333}\u{10330}"), matches("da")], [true, false]);
const [gothic, latin] = [await findings(GOTHIC), await findings("^[a-z]+$")];
console.log("Spectral, Gothic:", gothic, "Latin:", latin);
assert.deepStrictEqual(latin, []);
assert.ok(gothic.length === 1 && /pattern.*must match format "regex"/.test(gothic[0]), gothic);
LOOK
node look.mjs
