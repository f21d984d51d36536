"""Grade of an essay in Russian, exam or free, 24 points at most (markup-scoring §5, rus, rus-free)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.criteria.tally import (
    SPEECH,
    Formula,
    Noun,
    Points,
    Tally,
    because,
    counted,
    errors,
    present_errors,
    volume,
)
from markup_core.texts import Text, tr

PROBLEM: Final = Noun(
    "f",
    *("формулировка проблемы", "формулировки проблемы", "формулировок проблемы"),
    *("problem statement", "problem statements"),
)
EXAMPLE: Final = Noun("m", "пример", "примера", "примеров", "example", "examples")
EXPLANATION: Final = Noun("n", "пояснение", "пояснения", "пояснений", "explanation", "explanations")
LINK: Final = Noun("f", "связь", "связи", "связей", "link", "links")
POSITION: Final = Noun(
    "f", *("позиция автора", "позиции автора", "позиций автора"), *("author's position", "author's positions")
)
ATTITUDE: Final = Noun("n", "отношение", "отношения", "отношений", "attitude", "attitudes")
GRAMMAR: Final = Noun(
    "f",
    *("грамматическая ошибка", "грамматические ошибки", "грамматических ошибок"),
    *("grammar error", "grammar errors"),
)
LOGIC: Final = Noun("f", "логическая ошибка", "логические ошибки", "логических ошибок", "logic error", "logic errors")
FACT: Final = Noun(
    "f", *("фактическая ошибка", "фактические ошибки", "фактических ошибок"), *("factual error", "factual errors")
)
ETHICS: Final = Noun("f", "этическая ошибка", "этические ошибки", "этических ошибок", "ethical error", "ethical errors")
NO_SPELLING: Final = tr("spelling is not counted in this contest")
NO_PUNCTUATION: Final = tr("punctuation is not counted in this contest")

MAXIMA: Final = (1, 5, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1)
LEAST_WORDS: Final = 70
FULL_WORDS: Final = 150

# Spelling and punctuation are not marked up in this contest: ошОрф and ошПункт are 0 by definition.
SPELLING_ERRORS: Final = 0
PUNCTUATION_ERRORS: Final = 0


# Clause: MS §5 rus
def points(tally: Tally) -> Points:
    """Compute K1…K12; fewer than 70 words: all zero."""
    words = tally.volume
    if words < LEAST_WORDS:
        return (0,) * len(MAXIMA)
    short = 2 * (words < FULL_WORDS)  # in halves of a point, like the sums under the floors below
    k10 = max(0, (5 - tally.kind("р") - short) // 2)
    return (
        *_content(tally),
        max(0, 2 - tally.kind("л")),
        _expressiveness(tally, k10),
        max(0, (6 - SPELLING_ERRORS - short) // 2),
        max(0, (7 - PUNCTUATION_ERRORS - short) // 2),
        max(0, (4 - tally.kind("г") - short) // 2),
        k10,
        int(tally.kind("э") == 0),
        int(tally.kind("ф") == 0),
    )


def _content(tally: Tally) -> Points:
    if not tally["проблема"] or tally["п.проблема"] or tally["п.факт"]:
        return 0, 0, 0, 0
    position = tally["позиция"] > 0 and tally["п.позиция"] == 0
    attitude = tally["отношение"] > 0 and tally["п.отнош"] + tally["п.обоснов"] == 0
    return 1, _comment(tally), int(position), int(attitude)


def _comment(tally: Tally) -> int:
    if tally["п.опора"] + tally["п.пересказ"] + tally["п.факткомм"] + tally["п.другая"] + tally["п.копир"]:
        return 0
    examples, explanations, links = tally["пример"], tally["пояснение"], tally["связь"]
    if examples >= 2 and explanations >= 2 and links >= 1:
        return 5
    if examples >= 2 and explanations + links >= 2:
        return 4
    if examples + explanations + links >= 3:
        return 3
    return examples  # two, one or none: three would be three blocks


def _expressiveness(tally: Tally, k10: int) -> int:
    faults = tally["п.однообр"] + tally["п.точность"]
    if faults == 0 and k10 >= 2:
        return 2
    return int(faults == 1 or k10 < 2)


def reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    if tally.volume < LEAST_WORDS:
        yield from [[volume(tally.volume, LEAST_WORDS)]] * len(MAXIMA)
        return
    size = volume(tally.volume, FULL_WORDS)
    yield from _content_reasons(tally, scored)
    yield [counted(tally.kind("л"), LOGIC)]
    yield [*errors(tally, "П.однообр", "П.точность"), Text(f"K10 = {scored[9]}", f"K10 = {scored[9]}")]
    yield [NO_SPELLING, size]
    yield [NO_PUNCTUATION, size]
    yield [counted(tally.kind("г"), GRAMMAR), size]
    yield [counted(tally.kind("р"), SPEECH), size]
    yield [counted(tally.kind("э"), ETHICS)]
    yield [counted(tally.kind("ф"), FACT)]


def _content_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    yield [counted(tally["проблема"], PROBLEM), *present_errors(tally, "П.проблема", "П.факт")]
    if not scored[0]:
        yield from [[because("K1", 0)]] * 3
        return
    yield [
        counted(tally["пример"], EXAMPLE),
        counted(tally["пояснение"], EXPLANATION),
        counted(tally["связь"], LINK),
        *present_errors(tally, "П.опора", "П.пересказ", "П.фактКомм", "П.другая", "П.копир"),
    ]
    yield [counted(tally["позиция"], POSITION), *present_errors(tally, "П.позиция")]
    yield [counted(tally["отношение"], ATTITUDE), *present_errors(tally, "П.отнош", "П.обоснов")]


FORMULA: Final = Formula(MAXIMA, points, reasons)


FREE_MAXIMA: Final = (4, 4, 4, 3, 3, 3, 3)

# K1…K5: each error of a kind costs one of the criterion's points.
_KINDS: Final = (("г", GRAMMAR), ("р", SPEECH), ("л", LOGIC), ("ф", FACT), ("э", ETHICS))


# Clause: MS §5 rus-free
def free_points(tally: Tally) -> Points:
    """Compute K1…K7; the volume does not matter."""
    kinds = [max(0, most - tally.kind(letter)) for most, (letter, _) in zip(FREE_MAXIMA, _KINDS, strict=False)]
    return (*kinds, max(0, (6 - SPELLING_ERRORS) // 2), max(0, (7 - PUNCTUATION_ERRORS) // 2))


def free_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:  # noqa: ARG001  one signature for all subjects
    """Yield the counted facts behind each criterion."""
    for letter, noun in _KINDS:
        yield [counted(tally.kind(letter), noun)]
    yield [NO_SPELLING]
    yield [NO_PUNCTUATION]


FREE_FORMULA: Final = Formula(FREE_MAXIMA, free_points, free_reasons)
