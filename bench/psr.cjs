// Times the contest's earlier comparer on pairs of markups, one JSON object {x, y} per line of standard input.
// Answers one JSON object: milliseconds for all pairs (parsing included, best of the rounds) and, for each pair,
// the fragments it matched as [startX, endX, codeX, startY, endY, codeY].
"use strict";
const fs = require("node:fs");
const { performance } = require("node:perf_hooks");
const { MetricService } = require("@upgreat-readable/psr");
const { MathMachine } = require("@upgreat-readable/psr/build/main/MathMachine.js");

console.log = () => {}; // the comparer prints while it works; standard output is for the answer
const lines = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
const rounds = Number(process.argv[2] || 3);

function score(line) {
  const { x, y } = JSON.parse(line);
  const markups = [
    { id: "x", isExpert: false, third: false, criteria: x.criteria, selections: x.selections },
    { id: "y", isExpert: true, third: false, criteria: y.criteria, selections: y.selections },
  ];
  return new MetricService().calculate({ essay: { id: "essay", meta: x.meta, text: x.text, markups } });
}

function matched(line) {
  const { x, y } = JSON.parse(line);
  const machine = new MathMachine(x.selections, y.selections, true, "type", "type");
  const details = machine.complexSearchDetailSelections().getMatchedDetailSelections();
  return details.map(([a, b]) => [a.start, a.end, a.determFactor, b.start, b.end, b.determFactor]);
}

let best = Infinity;
for (let round = 0; round < rounds; round += 1) {
  const begin = performance.now();
  lines.forEach(score);
  best = Math.min(best, performance.now() - begin);
}
process.stdout.write(JSON.stringify({ milliseconds: best, matched: lines.map(matched) }));
