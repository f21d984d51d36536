"""CodeBLEU of translations from Java to Python: n-grams and layout (tracks.md §4, C2C; F, "Подзадача 1").

The two n-gram parts are over the tokens as given (tracks.md §4; F, "Метрика качества" of C2C). Both are figures of the
whole corpus: the counts of all programs are added up before anything is divided, as in the contest's public scorer. All
counts are whole numbers, so the order of the programs cannot matter. Linear in the number of tokens. An n-gram order
without a match counts as 0.1 matches ("method 1" of Chen and Cherry, which the public scorer uses), and a program too
short for an order weighs as one n-gram that was not matched: so a program of fewer than four tokens (five without a
keyword, in the weighted part) does not reach 1 even when it is predicted exactly.

A program as the contest writes it is tokens with blanks between, its layout spelled out (tracks.md §4, C2C):
``def f ( x ) : NEW_LINE INDENT return x NEW_LINE DEDENT`` is a program; Python has to see lines and indents.

Where the contest's public scorer and the package ``codebleu`` 0.7 give something else:

- a missing prediction is an empty one (the scorer stops there);
- NEW_LINE, INDENT and DEDENT become layout before programs are parsed (the scorer parses them as names), while the
  n-gram parts count the tokens as given;
- a part that matched nothing is 0 (the package then puts 1 for the data flow, so that an empty prediction earns a
  quarter of all points); a truth without any data flow leaves nothing to earn either, so there even an exact
  prediction ends at 75;
- docstrings are taken out of the tree, comments too, and not out of the text: the scorer cuts them out before it
  parses, which also cuts into programs whose layout is broken;
- nothing depends on the hash seed (:mod:`tracks.fusion.dataflow`) or on the order of the programs.

In the mode ``strict_text`` a subtree counts no more often than the prediction has it, as F's formula for Match ast
is written; without it, it is asked only whether the prediction has it, as the public scorer does.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tracks.fusion import dataflow
from tracks.fusion.subtasks import Scored, Subtask, sorted_apart

ORDERS: Final = (1, 2, 3, 4)
_NO_MATCH: Final = 0.1
_KEYWORD: Final = 5
_OTHER: Final = 1
"""Weights 1 and 0.2 of the weighted part, in fifths."""
KEYWORDS: Final = frozenset(
    "False None True and as assert async await break class continue def del elif else except finally for from global"
    " if import in is lambda nonlocal not or pass raise return try while with yield".split()
)
"""Python's reserved words. The package ``codebleu`` 0.7 adds ``match``, ``case`` and ``type``, which are names in the
contest's programs: they are ordinary tokens here."""

Tokens = Sequence[str]
Pair = tuple[Tokens, Tokens]
"""A program of the truth and its prediction."""
Grams = Counter[tuple[str, ...]]


# Clause: F C2C BLEU
def bleu(pairs: Sequence[Pair]) -> float:
    """Compute BLEU: clipped precisions of orders 1 to 4, their geometric mean, times the brevity penalty (F, BLEU)."""
    matched, total = Counter[int](), Counter[int]()
    for truth, prediction in pairs:
        for order in ORDERS:
            true_grams, predicted_grams = _grams(truth, order), _grams(prediction, order)
            matched[order] += sum(min(count, true_grams[gram]) for gram, count in predicted_grams.items())
            total[order] += max(1, predicted_grams.total())
    return _brevity(pairs) * _mean([(matched[order], total[order]) for order in ORDERS])


# Clause: F C2C weighted
def weighted_bleu(pairs: Sequence[Pair]) -> float:
    """Compute weighted BLEU: single tokens weigh 1 if they are keywords and 0.2 otherwise (F, BLEU weight).

    As in the public scorer the shares are of the truth's n-grams and the weights apply to single tokens. A short
    prediction loses by that alone, and no brevity penalty comes on top: the scorer takes one from a length of 2 for
    every truth, whatever its length, which leaves programs as they are.
    """
    matched, total = Counter[int](), Counter[int]()
    for truth, prediction in pairs:
        for order in ORDERS:
            true_grams, predicted_grams = _grams(truth, order), _grams(prediction, order)
            common = Counter({gram: min(count, predicted_grams[gram]) for gram, count in true_grams.items()})
            unit = _KEYWORD if order == 1 else 1
            matched[order] += _weight(common, order)
            total[order] += max(unit, _weight(true_grams, order))
    shares = [(matched[1] / _KEYWORD, total[1] / _KEYWORD), *((matched[n], total[n]) for n in ORDERS[1:])]
    return _mean(shares)


def _grams(tokens: Tokens, order: int) -> Grams:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


# Clause: F C2C weighted
def _weight(grams: Grams, order: int) -> int:
    if order > 1:
        return grams.total()
    return sum(count * (_KEYWORD if gram[0] in KEYWORDS else _OTHER) for gram, count in grams.items())


def _mean(shares: Sequence[tuple[float, float]]) -> float:
    """Compute the geometric mean of the shares; 0 if not a single token was matched."""
    if not shares[0][0]:
        return 0.0
    return math.exp(math.fsum(math.log((part or _NO_MATCH) / whole) for part, whole in shares) / len(shares))


# Clause: F C2C BLEU
def _brevity(pairs: Iterable[Pair]) -> float:
    """Return 1 for a corpus as long as the truth or longer, else exp(1 - truth / prediction) (Papineni et al.) or 0."""
    true_length, predicted_length = 0, 0
    for truth, prediction in pairs:
        true_length += len(truth)
        predicted_length += len(prediction)
    if predicted_length >= true_length:
        return 1.0
    return math.exp(1 - true_length / predicted_length) if predicted_length else 0.0


NEW_LINE: Final = "NEW_LINE"
INDENT: Final = "INDENT"
DEDENT: Final = "DEDENT"
_STEP: Final = "    "
DEEPEST: Final = 100
"""Levels of indents that Python itself reads; deeper lines stand at the last one, so that depth costs nothing more."""
_LAYOUT: Final = re.compile(rf"(?<!\S)({NEW_LINE}|{INDENT}|{DEDENT})(?!\S)")


# Clause: tracks §4 layout
def laid_out(program: str) -> str:
    """Turn a program's layout tokens into line breaks and indents; linear in its length.

    INDENT and DEDENT begin a line also where no NEW_LINE stands before them, since Python knows them nowhere else;
    a DEDENT at the margin changes nothing. In a program with such tokens a real line break is a blank, as it is for
    the n-grams; a program without any is taken as it stands. A line deeper than :data:`DEEPEST` stands at that level.
    """
    pieces = _LAYOUT.split(program)
    if len(pieces) == 1:
        return program
    depth, lines, line = 0, [], ""
    for piece in pieces:
        if piece not in (NEW_LINE, INDENT, DEDENT):
            line = " ".join(piece.splitlines()).strip()
            continue
        if line:
            lines.append(_STEP * min(depth, DEEPEST) + line)
            line = ""
        depth = max(0, depth + (piece == INDENT) - (piece == DEDENT))
    if line:
        lines.append(_STEP * min(depth, DEEPEST) + line)
    return "\n".join(lines)


PARTS: Final = ("ngram", "weighted_ngram", "syntax", "dataflow")
"""Each weighs a quarter."""
STRICT_TEXT: Final = "strict_text"
MODES: Final = (STRICT_TEXT,)


# Clause: F C2C CodeBLEU, tracks §4 missing
def score(truth: Mapping[str, str], prediction: Mapping[str, str], mode: str | None = None) -> Scored:
    """Compute CodeBLEU from 0 to 100 with its four parts as fractions; undefined without programs.

    Linear in the length of the programs, apart from nested loops (:data:`tracks.fusion.dataflow.MOST_STEPS`).
    """
    apart = sorted_apart(truth, prediction)
    if not truth:
        return Scored(Subtask.C2C, None, dict.fromkeys(PARTS), apart)
    pairs = [(program, prediction.get(name, "")) for name, program in sorted(truth.items())]
    tokens = [(program.split(), predicted.split()) for program, predicted in pairs]
    values = (bleu(tokens), weighted_bleu(tokens), *_structure(pairs, clipped=mode == STRICT_TEXT))
    return Scored(Subtask.C2C, 100 * sum(values) / len(PARTS), dict(zip(PARTS, values, strict=True)), apart)


def _structure(pairs: list[tuple[str, str]], *, clipped: bool) -> tuple[float, float]:
    """Compute the syntax and the data-flow part; every program is parsed once."""
    subtrees = dataflow.Subtrees()
    trees, flows = [], []
    for pair in pairs:
        true_tree, predicted_tree = (dataflow.parsed(laid_out(program)) for program in pair)
        truth, predicted = subtrees.of(true_tree), subtrees.of(predicted_tree)
        trees.append((dataflow.matched_subtrees(truth, predicted, clipped=clipped), truth.total()))
        true_flows, predicted_flows = dataflow.flows(true_tree), dataflow.flows(predicted_tree)
        flows.append((dataflow.matched_flows(true_flows, predicted_flows), true_flows.total()))
    return dataflow.share(trees), dataflow.share(flows)
