"""CodeBLEU of translations from Java to Python (tracks.md §4, C2C; F, "Подзадача 1").

Where the contest's public scorer and the package ``codebleu`` 0.7 give something else:

- a missing prediction is an empty one (the scorer stops there);
- NEW_LINE, INDENT and DEDENT become layout before programs are parsed (the scorer parses them as names), while the
  n-gram parts count the tokens as given;
- a part that matched nothing is 0 (the package then puts 1 for the data flow, so that an empty prediction earns a
  quarter of all points); a truth without any data flow leaves nothing to earn either, so there even an exact
  prediction ends at 75;
- docstrings are taken out of the tree, comments too, and not out of the text: the scorer cuts them out before it
  parses, which also cuts into programs whose layout is broken;
- nothing depends on the hash seed (:mod:`tracks.fusion.metrics.dataflow`) or on the order of the programs.

In the mode ``strict_text`` a subtree counts no more often than the prediction has it, as F's formula for Match ast
is written; without it, it is asked only whether the prediction has it, as the public scorer does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tracks.fusion.metrics import dataflow, ngrams, syntax
from tracks.fusion.metrics.layout import laid_out
from tracks.fusion.subtasks import Scored, Subtask, sorted_apart

PARTS: Final = ("ngram", "weighted_ngram", "syntax", "dataflow")
"""Each weighs a quarter."""
STRICT_TEXT: Final = "strict_text"
MODES: Final = (STRICT_TEXT,)


def score(truth: Mapping[str, str], prediction: Mapping[str, str], mode: str | None = None) -> Scored:
    """CodeBLEU from 0 to 100 with its four parts as fractions; undefined without programs.

    Linear in the length of the programs, apart from nested loops (:data:`tracks.fusion.metrics.dataflow.MOST_STEPS`).

    Clause: F C2C CodeBLEU, tracks §4 missing
    """
    apart = sorted_apart(truth, prediction)
    if not truth:
        return Scored(Subtask.C2C, None, dict.fromkeys(PARTS), apart)
    pairs = [(program, prediction.get(name, "")) for name, program in sorted(truth.items())]
    tokens = [(program.split(), predicted.split()) for program, predicted in pairs]
    values = (ngrams.bleu(tokens), ngrams.weighted_bleu(tokens), *_structure(pairs, clipped=mode == STRICT_TEXT))
    return Scored(Subtask.C2C, 100 * sum(values) / len(PARTS), dict(zip(PARTS, values, strict=True)), apart)


def _structure(pairs: list[tuple[str, str]], *, clipped: bool) -> tuple[float, float]:
    """The syntax and the data-flow part; every program is parsed once."""
    subtrees = syntax.Subtrees()
    trees, flows = [], []
    for pair in pairs:
        wanted, given = (syntax.parsed(laid_out(program)) for program in pair)
        truth, found = subtrees.of(wanted), subtrees.of(given)
        trees.append((syntax.matched(truth, found, clipped=clipped), truth.total()))
        truth_flows, found_flows = dataflow.flows(wanted), dataflow.flows(given)
        flows.append((dataflow.matched(truth_flows, found_flows), truth_flows.total()))
    return syntax.share(trees), syntax.share(flows)
