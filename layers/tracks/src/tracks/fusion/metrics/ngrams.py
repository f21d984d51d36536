"""The two n-gram parts of CodeBLEU, over the tokens as given (tracks.md §4; F, "Метрика качества" of C2C).

Both are figures of the whole corpus: the counts of all programs are added up before anything is divided, as in the
contest's public scorer. All counts are whole numbers, so the order of the programs cannot matter. Linear in the
number of tokens.

An n-gram order without a match counts as 0.1 matches ("method 1" of Chen and Cherry, which the public scorer uses),
and a program too short for an order weighs as one n-gram that was not matched: so a program of fewer than four tokens
(five without a keyword, in the weighted part) does not reach 1 even when it is predicted exactly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

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


def bleu(pairs: Sequence[Pair]) -> float:
    """BLEU: clipped precisions of orders 1 to 4, their geometric mean, times the brevity penalty (F, BLEU).

    Clause: F C2C BLEU
    """
    matched, total = Counter[int](), Counter[int]()
    for truth, prediction in pairs:
        for order in ORDERS:
            known, found = _grams(truth, order), _grams(prediction, order)
            matched[order] += sum(min(count, known[gram]) for gram, count in found.items())
            total[order] += max(1, found.total())
    return _brevity(pairs) * _mean([(matched[order], total[order]) for order in ORDERS])


def weighted_bleu(pairs: Sequence[Pair]) -> float:
    """Weighted BLEU: single tokens weigh 1 if they are keywords and 0.2 otherwise (F, BLEU weight).

    As in the public scorer the shares are of the truth's n-grams and the weights apply to single tokens. A short
    prediction loses by that alone, and no brevity penalty comes on top: the scorer takes one from a length of 2 for
    every truth, whatever its length, which leaves programs as they are.

    Clause: F C2C weighted
    """
    matched, total = Counter[int](), Counter[int]()
    for truth, prediction in pairs:
        for order in ORDERS:
            known, found = _grams(truth, order), _grams(prediction, order)
            common = Counter({gram: min(count, found[gram]) for gram, count in known.items()})
            unit = _KEYWORD if order == 1 else 1
            matched[order] += _weight(common, order)
            total[order] += max(unit, _weight(known, order))
    shares = [(matched[1] / _KEYWORD, total[1] / _KEYWORD), *((matched[n], total[n]) for n in ORDERS[1:])]
    return _mean(shares)


def _grams(tokens: Tokens, order: int) -> Grams:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _weight(grams: Grams, order: int) -> int:
    """Clause: F C2C weighted"""
    if order > 1:
        return grams.total()
    return sum(count * (_KEYWORD if gram[0] in KEYWORDS else _OTHER) for gram, count in grams.items())


def _mean(shares: Sequence[tuple[float, float]]) -> float:
    """Geometric mean of the shares; 0 where not a single token was matched."""
    if not shares[0][0]:
        return 0.0
    return math.exp(math.fsum(math.log((part or _NO_MATCH) / whole) for part, whole in shares) / len(shares))


def _brevity(pairs: Iterable[Pair]) -> float:
    """1 for a corpus at least as long as the truth, else exp(1 - truth / prediction) (Papineni et al.); 0 for none.

    Clause: F C2C BLEU
    """
    wanted, given = 0, 0
    for truth, prediction in pairs:
        wanted += len(truth)
        given += len(prediction)
    if given >= wanted:
        return 1.0
    return math.exp(1 - wanted / given) if given else 0.0
