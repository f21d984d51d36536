"""Sentences that explain a criterion in Russian and English: counts with the right plural forms.

"K2 = 3: two examples, one explanation, one link" · «K2 = 3: два примера, одно пояснение, одна связь».
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from markup_core.criteria.tally import Tally
from markup_core.model import fold


class Text(NamedTuple):
    """One text in the two languages of the platform."""

    ru: str
    en: str


class Noun(NamedTuple):
    """A noun with the forms that counting needs: «один пример, два примера, пять примеров», "one example"."""

    gender: Literal["m", "f", "n"]
    one: str
    few: str
    many: str
    singular: str
    plural: str


ERROR: Final = Noun("f", "ошибка", "ошибки", "ошибок", "error", "errors")
WORD: Final = Noun("n", "слово", "слова", "слов", "word", "words")

_RU_ONE: Final = {"m": "один", "f": "одна", "n": "одно"}
_RU_TWO: Final = {"m": "два", "f": "две", "n": "два"}
_RU: Final = ("", "", "", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять")
_EN: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def russian_form(count: int, noun: Noun) -> str:
    """The form of the noun after the number: 1, 21 → one; 2–4, 22 → few; 0, 5–20, 25 → many."""
    if count % 10 == 1 and count % 100 != 11:
        return noun.one
    if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14):
        return noun.few
    return noun.many


def counted(count: int, noun: Noun) -> Text:
    """«два примера» / "two examples": words up to ten, figures above, «нет примеров» / "no examples" for zero."""
    numeral = str(count)
    if count == 0:
        numeral = "нет"
    elif count == 1:
        numeral = _RU_ONE[noun.gender]
    elif count == 2:
        numeral = _RU_TWO[noun.gender]
    elif count <= 10:
        numeral = _RU[count]
    english = _EN[count] if count <= 10 else str(count)
    return Text(f"{numeral} {russian_form(count, noun)}", f"{english} {noun.singular if count == 1 else noun.plural}")


def errors(tally: Tally, *codes: str) -> list[Text]:
    """The errors present among the codes, each with its count; none present: that there are no errors."""
    found = [(tally[fold(code)], code) for code in codes]
    present = [Text(*(f"{part} {code}" for part in counted(count, ERROR))) for count, code in found if count]
    return present or [counted(0, ERROR)]


def present_errors(tally: Tally, *codes: str) -> list[Text]:
    """Like :func:`errors`, but says nothing where there are none: for criteria that tell of blocks anyway."""
    return errors(tally, *codes) if any(tally[fold(code)] for code in codes) else []


def volume(words: int, least: int) -> Text:
    """The volume in figures, and the bound it misses, if it does."""
    ru, en = f"{words} {russian_form(words, WORD)}", f"{words} {'word' if words == 1 else 'words'}"
    if words < least:
        return Text(f"{ru}, меньше {least}", f"{en}, fewer than {least}")
    return Text(ru, en)


def because(criterion: str, points: int) -> Text:
    """That another criterion decides this one."""
    return Text(f"потому что {criterion} = {points}", f"because {criterion} = {points}")


def criterion(name: str, points: int, parts: Iterable[Text]) -> Text:
    """The sentence of one criterion: its points and the facts behind them."""
    listed = list(parts)
    return Text(
        f"{name} = {points}: {', '.join(part.ru for part in listed)}",
        f"{name} = {points}: {', '.join(part.en for part in listed)}",
    )
