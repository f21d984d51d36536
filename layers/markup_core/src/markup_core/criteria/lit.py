"""Grade of an exam essay in literature, 14 points at most (markup-scoring §5, lit)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.criteria.tally import (
    NOTION,
    SPEECH,
    Formula,
    Noun,
    Points,
    Tally,
    counted,
    errors,
    present_errors,
    volume,
)
from markup_core.texts import Text

ARGUMENT: Final = Noun("m", "аргумент", "аргумента", "аргументов", "argument", "arguments")

MAXIMA: Final = (3, 3, 2, 3, 3)
LEAST_WORDS: Final = 150


# Clause: MS §5 lit
def points(tally: Tally) -> Points:
    """Compute K1…K5; fewer than 150 words: all zero."""
    if tally.volume < LEAST_WORDS:
        return (0,) * len(MAXIMA)
    return (
        _topic(tally),
        _use_of_the_work(tally),
        _notions(tally),
        _composition(tally),
        max(0, (7 - tally.kind("р")) // 2),
    )


def _topic(tally: Tally) -> int:
    if tally["с.тема"]:
        return 0
    if tally["с.поверхн"]:
        return 1
    return 2 if tally["с.одностор"] else 3


def _use_of_the_work(tally: Tally) -> int:
    facts = tally["с.факт"]
    if not tally["аргумент"] or tally["с.опора"] or tally["с.позиция"] or facts >= 4:
        return 0
    if tally["с.упрощен"] or tally["с.пересказ"] or facts >= 3:
        return 1
    return 2 if facts else 3  # the source leaves one factual error open: it costs one point


def _notions(tally: Tally) -> int:
    if not tally["понятие"] or tally["с.понятие"] >= 2:
        return 0
    return 1 if tally["с.неиспол"] or tally["с.понятие"] else 2


def _composition(tally: Tally) -> int:
    if tally["с.композ"]:
        return 0
    if tally["с.неразв"] or tally["с.связь"]:
        return 1
    return 2 if tally["с.послед"] else 3


def reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:  # noqa: ARG001  one signature for all subjects
    """Yield the counted facts behind each criterion."""
    if tally.volume < LEAST_WORDS:
        yield from [[volume(tally.volume, LEAST_WORDS)]] * len(MAXIMA)
        return
    yield errors(tally, "С.тема", "С.поверхн", "С.одностор")
    yield [
        counted(tally["аргумент"], ARGUMENT),
        *present_errors(tally, "С.опора", "С.позиция", "С.упрощен", "С.пересказ", "С.факт"),
    ]
    yield [counted(tally["понятие"], NOTION), *present_errors(tally, "С.понятие", "С.неиспол")]
    yield errors(tally, "С.композ", "С.неразв", "С.связь", "С.послед")
    yield [counted(tally.kind("р"), SPEECH)]


FORMULA: Final = Formula(MAXIMA, points, reasons)
