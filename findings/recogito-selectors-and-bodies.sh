#!/bin/sh
# @recogito/text-annotator: which valid Web Annotations does its W3C reader take?
#
# Guess: one selector is enough, a body may be left out, and a body that is an address (a string) is kept, as the
#    model allows.
# Seen: both selectors must be there; without a body it throws a TypeError instead of returning its error; an address
#    becomes a body whose fields are its letters.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @recogito/text-annotator@4.1.1 jsdom@26.1.0
cat > "$folder/look.mjs" <<'LOOK'
import { strict as assert } from 'node:assert';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><body><p id="text">one two</p></body>', { url: 'https://example.org/', pretendToBeVisual: true });
for (const name of Object.getOwnPropertyNames(window)) if (!(name in globalThis)) globalThis[name] = window[name];
const { W3CTextFormat } = await import('@recogito/text-annotator');
const source = 'https://example.org/text';
const format = W3CTextFormat(source, window.document.getElementById('text'));
const quote = { type: 'TextQuoteSelector', exact: 'two', prefix: 'one ', suffix: '' };
const position = { type: 'TextPositionSelector', start: 4, end: 7 };
const read = (selector, more) =>
    format.parse({
        '@context': 'http://www.w3.org/ns/anno.jsonld',
        id: '1',
        type: 'Annotation',
        target: { source, selector },
        ...more,
    });
const body = [{ type: 'TextualBody', value: 'x' }];
assert.equal(read([quote, position], { body }).parsed.target.selector[0].quote, 'two');
for (const selector of [[quote], [position]]) {
    const { error } = read(selector, { body });
    console.log(String(error));
    assert.match(String(error), /Missing selector types/);
}
assert.throws(() => read([quote, position], {}), TypeError);
const [letters] = read([quote, position], { body: 'urn:x' }).parsed.bodies;
console.log(letters);
assert.deepEqual([letters[0], letters[4]], ['u', 'x']);
LOOK
node "$folder/look.mjs"
