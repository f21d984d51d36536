#!/bin/sh
# @apache-annotator/dom: does it run with what it declares?
#
# Guess: `npm install @apache-annotator/dom` brings all that it imports.
# Seen: it imports @apache-annotator/selector, which stands among its devDependencies alone, so that the import fails
#    until somebody installs that package as well.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @apache-annotator/dom@0.2.0
cat > "$folder/look.mjs" <<'LOOK'
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';

const described = JSON.parse(readFileSync(new URL('node_modules/@apache-annotator/dom/package.json', import.meta.url)));
console.log(described.version, Object.keys(described.dependencies), Object.keys(described.devDependencies));
assert.ok(!('@apache-annotator/selector' in described.dependencies));
const failure = await import('@apache-annotator/dom').catch((error) => error);
console.log(failure.code);
assert.equal(failure.code, 'ERR_MODULE_NOT_FOUND');
LOOK
node "$folder/look.mjs"
