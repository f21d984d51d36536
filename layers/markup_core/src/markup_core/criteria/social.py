"""Grade of an exam essay in social studies, 6 points at most (markup-scoring §5, social)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.criteria.tally import NOTION, Formula, Noun, Points, Tally, because, counted, present_errors
from markup_core.texts import Text

THEORY: Final = Noun(
    "n",
    *("теоретическое положение", "теоретических положения", "теоретических положений"),
    *("theoretical proposition", "theoretical propositions"),
)
IDEA: Final = Noun("f", "идея", "идеи", "идей", "idea", "ideas")
REASONING: Final = Noun("n", "рассуждение", "рассуждения", "рассуждений", "piece of reasoning", "pieces of reasoning")
PUBLIC_EXAMPLE: Final = Noun(
    "m",
    *("общественный пример", "общественных примера", "общественных примеров"),
    *("public example", "public examples"),
)
PERSONAL_EXAMPLE: Final = Noun(
    "m", *("личный пример", "личных примера", "личных примеров"), *("personal example", "personal examples")
)
HISTORICAL_EXAMPLE: Final = Noun(
    "m",
    *("исторический пример", "исторических примера", "исторических примеров"),
    *("historical example", "historical examples"),
)

MAXIMA: Final = (1, 2, 1, 2)


# Clause: MS §5 social
def points(tally: Tally) -> Points:
    """Compute K1…K4; K1 = 0: all zero."""
    if not tally["идея"] or tally["о.смысл"] or tally["о.подмена"] or tally["о.пересказ"]:
        return 0, 0, 0, 0
    wrong = int(tally["о.понятие"] + tally["о.теория"] > 0) + tally["о.теорсвязь"] + tally["о.нехватает"]
    theory = 0 if tally["о.упрощ"] else int(tally["понятие"] > 0) + int(tally["теория"] > 0) - wrong
    reasoning = int(tally["логика"] > 0) - tally["о.рассужд"] - tally["о.вывод"]
    kinds = sum(tally[kind] > 1 for kind in ("пример.общ", "пример.лич", "пример.ист"))
    faults = ("о.примсвязь", "о.подтв", "о.дубл", "о.факт", "о.подробн")
    return 1, max(0, theory), max(0, reasoning), max(0, min(2, kinds) - sum(tally[code] for code in faults))


def reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    yield [counted(tally["идея"], IDEA), *present_errors(tally, "О.смысл", "О.подмена", "О.пересказ")]
    if not scored[0]:
        yield from [[because("K1", 0)]] * 3
        return
    yield [
        counted(tally["понятие"], NOTION),
        counted(tally["теория"], THEORY),
        *present_errors(tally, "О.упрощ", "О.понятие", "О.теория", "О.теорСвязь", "О.неХватает"),
    ]
    yield [counted(tally["логика"], REASONING), *present_errors(tally, "О.рассужд", "О.вывод")]
    yield [
        counted(tally["пример.общ"], PUBLIC_EXAMPLE),
        counted(tally["пример.лич"], PERSONAL_EXAMPLE),
        counted(tally["пример.ист"], HISTORICAL_EXAMPLE),
        *present_errors(tally, "О.примСвязь", "О.подтв", "О.дубл", "О.факт", "О.подробн"),
    ]


FORMULA: Final = Formula(MAXIMA, points, reasons)
