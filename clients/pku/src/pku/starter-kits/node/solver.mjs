// Baseline: phrases and places that the experts' annotations of the training set have in common.
//
//     node solver.mjs INPUT OUTPUT      answers one essay, as `pku run --solver` starts it
//
// `learn` makes a model of annotations, `mark` applies it to an essay. Replace both.
// The contest counts in code points, a string of JavaScript in UTF-16: whatever is counted here is an array of code points.
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

// Code points; a longer fragment is a part of the essay, and its place is learned instead of its words.
const LONGEST_PHRASE = 40;
export const MODEL = fileURLToPath(new URL("model.json", import.meta.url));

// The code points before an offset in UTF-16: what `indexOf` or a regular expression gives becomes an offset of the contest.
export function codePoints(text, offset = text.length) {
  return [...text.slice(0, offset)].length;
}

// The model: by subject, phrases with their code, and codes with their usual place. A phrase is kept if at least half of its
// occurrences are marked; a place, if at least half of the annotations have the code. Equal counts: the first code by code points.
export function learn(annotations) {
  const bySubject = Map.groupBy(annotations, (annotation) => annotation.meta.subject);
  const model = {};
  for (const [subject, part] of bySubject) model[subject] = { phrases: phrases(part), places: places(part) };
  return model;
}

// The essay with fragments by the model; of two equal places the first one stays.
export function mark(essay, model) {
  const known = model[essay.meta.subject] ?? { phrases: {}, places: {} };
  const spans = Object.entries(known.places).map(([code, part]) => [...snapped(essay.text, ...part), code]);
  for (const [phrase, code] of Object.entries(known.phrases))
    for (const span of occurrences(essay.text, phrase)) spans.push([...span, code]);
  spans.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const fragments = new Map();
  for (const [start, end, type] of spans) {
    const place = `${start}-${end}`;
    if (start < end && !fragments.has(place))
      fragments.set(place, { id: fragments.size + 1, startSelection: start, endSelection: end, type });
  }
  return { ...essay, selections: [...fragments.values()] };
}

// Where a phrase stands as whole words, in code points.
export function occurrences(text, phrase) {
  const found = [];
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + phrase.length)) {
    const isBegun = /[\p{L}\p{N}]$/u.test(text.slice(0, at));
    const isContinued = /^[\p{L}\p{N}]/u.test(text.slice(at + phrase.length));
    if (!isBegun && !isContinued) found.push([codePoints(text, at), codePoints(text, at + phrase.length)]);
  }
  return found;
}

function phrases(annotations) {
  const marked = new Map();
  for (const { text, selections } of annotations) {
    const points = [...text];
    for (const { startSelection, endSelection, type } of selections) {
      const size = endSelection - startSelection;
      const phrase = points.slice(startSelection, endSelection).join("");
      if (size > LONGEST_PHRASE || size <= 2 || phrase !== phrase.trim()) continue;
      const codes = marked.get(phrase) ?? new Map();
      marked.set(phrase, codes.set(type, (codes.get(type) ?? 0) + 1));
    }
  }
  const kept = {};
  for (const [phrase, codes] of marked) {
    const [[code, count]] = [...codes].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    const all = annotations.reduce((sum, { text }) => sum + occurrences(text, phrase).length, 0);
    if (2 * count >= all) kept[phrase] = code;
  }
  return kept;
}

function places(annotations) {
  const spans = new Map();
  for (const { text, selections } of annotations) {
    const size = codePoints(text);
    const firsts = new Map();
    for (const { startSelection, endSelection, type } of selections.toSorted((a, b) => a.startSelection - b.startSelection))
      if (endSelection - startSelection > LONGEST_PHRASE && !firsts.has(type))
        firsts.set(type, [startSelection / size, endSelection / size]);
    for (const [type, span] of firsts) spans.set(type, [...(spans.get(type) ?? []), span]);
  }
  const kept = {};
  for (const type of [...spans.keys()].sort()) {
    const found = spans.get(type);
    if (2 * found.length >= annotations.length) kept[type] = [0, 1].map((end) => middle(found.map((span) => span[end])));
  }
  return kept;
}

// The median; of an even number the lower one.
function middle(values) {
  return values.toSorted((one, other) => one - other)[(values.length - 1) >> 1];
}

// A place of the essay, moved to the nearest ends of sentences.
function snapped(text, start, end) {
  const points = [...text];
  const ends = [...text.matchAll(/[.!?…](?=\s|$)|\n/gu)].map((match) => codePoints(text, match.index + 1));
  const breaks = [0, ...ends, points.length];
  let [first, last] = [start, end].map((part) => {
    const distance = (at) => Math.abs(at - part * points.length);
    return breaks.reduce((best, at) => (distance(at) < distance(best) ? at : best));
  });
  while (first < last && /\s/u.test(points[first])) first += 1;
  return [first, last];
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const model = JSON.parse(readFileSync(MODEL, "utf8"));
  const essay = JSON.parse(readFileSync(argv[2], "utf8"));
  writeFileSync(argv[3], JSON.stringify(mark(essay, model)));
}
