#!/bin/sh
# @apache-annotator/dom and @recogito/text-annotator: do they mean the same place by a TextPositionSelector?
#
# Guess: both count as JavaScript does, in UTF-16, so that they agree with each other, and not with the W3C's model.
# Seen: apache-annotator counts code points, as the model says; Recogito counts UTF-16 units. Behind an emoji Recogito
#    reads the other's place as half of it, though the annotation carries the right words beside the place, says
#    nothing, and writes those words back with a prefix and suffix that do not fit them.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @apache-annotator/dom@0.2.0 @apache-annotator/selector@0.2.0 @recogito/text-annotator@4.1.1 jsdom@26.1.0
cat > "$folder/look.mjs" <<'LOOK'
import { strict as assert } from 'node:assert';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><body><p id="text">a\u{1f600}b cd</p></body>', { url: 'https://example.org/', pretendToBeVisual: true });
for (const name of Object.getOwnPropertyNames(window)) if (!(name in globalThis)) globalThis[name] = window[name];
const { describeTextPosition } = await import('@apache-annotator/dom');
const { W3CTextFormat, reviveAnnotation } = await import('@recogito/text-annotator');

const text = window.document.getElementById('text');
const range = window.document.createRange();
range.setStart(text.firstChild, 3);
range.setEnd(text.firstChild, 4);
assert.equal(range.toString(), 'b');
const position = await describeTextPosition(range, text);
console.log('apache-annotator:', position);
assert.deepEqual(position, { type: 'TextPositionSelector', start: 2, end: 3 });

const format = W3CTextFormat('https://example.org/text', text);
const quote = { type: 'TextQuoteSelector', exact: 'b', prefix: 'a\u{1f600}', suffix: ' cd' };
const { parsed } = format.parse({
    '@context': 'http://www.w3.org/ns/anno.jsonld',
    id: '1',
    type: 'Annotation',
    body: [{ type: 'TextualBody', value: 'x' }],
    target: { source: 'https://example.org/text', selector: [quote, position] },
});
const revived = reviveAnnotation(parsed, text);
const read = revived.target.selector[0].range.toString();
const [written] = format.serialize(revived).target[0].selector;
console.log('Recogito reads:', JSON.stringify(read), 'and writes:', JSON.stringify(written));
assert.equal(read, '\ude00');
assert.deepEqual(written, { type: 'TextQuoteSelector', exact: 'b', prefix: 'a\ud83d', suffix: 'b cd' });
LOOK
node "$folder/look.mjs"
