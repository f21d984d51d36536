"""Counts of the grading formulas in a markup, and the sentences that explain a criterion in Russian and English.

"K2 = 3: two examples, one explanation, one link" · «K2 = 3: два примера, одно пояснение, одна связь».

Nouns with the forms that numerals need: ru one, few, many; en singular, plural.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from markup_core.comparable import fold, folded
from markup_core.model import Fragment, Markup, words_of
from markup_core.texts import Text, at, tr


# Clause: MS §5 counting
class Tally:
    """Counts of a markup's codes, the ``#code`` of markup-scoring §5.

    ``tally[code]`` takes the code folded (``"п.факткомм"``). Fragments with the same code and the same non-empty tag
    count once; blanks around a tag do not distinguish it, a tag of blanks alone is no tag.
    """

    __slots__ = ("_counts", "_kinds", "_markup", "text")

    def __init__(self, markup: Markup) -> None:
        self.text = markup.text
        self._markup = markup
        columns = markup.columns
        keys: Iterable[str] = columns.keys
        if any(columns.tags):
            numbered = enumerate(zip(keys, map(str.strip, columns.tags), strict=True))
            keys = [key for key, _ in dict.fromkeys((key, tag or number) for number, (key, tag) in numbered)]
        counts: dict[str, int] = {}
        for key in keys:  # Python's own Counter takes longer for so few
            counts[key] = counts.get(key, 0) + 1
        self._counts = counts
        self._kinds: dict[str, int] | None = None

    def __getitem__(self, code: str) -> int:
        return self._counts.get(code, 0)

    def kind(self, letter: str) -> int:
        """Sum of the counts over the codes that begin with the folded letter and a dot: ``kind("г")`` is ``ошГрам``."""
        if self._kinds is None:
            kinds: dict[str, int] = {}
            for code, count in self._counts.items():
                begin = code[:2]
                kinds[begin] = kinds.get(begin, 0) + count
            self._kinds = kinds
        return self._kinds.get(letter + ".", 0)

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """Return the fragments in the order of the file."""
        return self._markup.fragments

    @property
    def volume(self) -> int:
        """Count the words of the text."""
        return words_of(self.text).total

    def fragments_of(self, codes: Iterable[str]) -> list[Fragment]:
        """Return the fragments of the folded codes in text order: by start, then end; each one, tagged or not."""
        code_set = frozenset(codes)
        fragments = [fragment for fragment in self.fragments if folded(fragment.code) in code_set]
        return sorted(fragments, key=lambda fragment: (fragment.start, fragment.end))


class Noun(NamedTuple):
    """A noun with the forms that counting needs: «один пример, два примера, пять примеров», "one example"."""

    gender: Literal["m", "f", "n"]
    one: str
    few: str
    many: str
    singular: str
    plural: str = ""
    """Plural; empty: the singular with an s."""


ERROR: Final = Noun("f", "ошибка", "ошибки", "ошибок", "error")
WORD: Final = Noun("n", "слово", "слова", "слов", "word")

_RU_ONE: Final = {"m": "один", "f": "одна", "n": "одно"}
_RU_TWO: Final = {"m": "два", "f": "две", "n": "два"}
_RU: Final = ("", "", "", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять")
_EN: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def russian_form(count: int, noun: Noun) -> str:
    """Return the form of the noun after the number: 1, 21 → one; 2–4, 22 → few; 0, 5–20, 25 → many."""
    if count % 10 == 1 and count % 100 != 11:
        return noun.one
    if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14):
        return noun.few
    return noun.many


def counted(count: int, noun: Noun) -> Text:
    """Write «два примера» / "two examples": words up to ten, figures above, «нет примеров» / "no examples" for zero."""
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
    return Text(
        f"{english} {noun.singular if count == 1 else noun.plural or f'{noun.singular}s'}",
        f"{numeral} {russian_form(count, noun)}",
    )


def errors(tally: Tally, *codes: str) -> list[Text]:
    """Count the errors of each of the codes; without any, state that there are no errors."""
    counts = [(tally[fold(code)], code) for code in codes]
    present = [tr("{errors} {code}", errors=counted(count, ERROR), code=code) for count, code in counts if count]
    return present or [counted(0, ERROR)]


def present_errors(tally: Tally, *codes: str) -> list[Text]:
    """Count errors as :func:`errors` does, but return nothing without any: for criteria that name blocks anyway."""
    return errors(tally, *codes) if any(tally[fold(code)] for code in codes) else []


def volume(words: int, least: int) -> Text:
    """State the volume in figures, and the bound that it misses, if any."""
    counted_words = Text(f"{words} {'word' if words == 1 else 'words'}", f"{words} {russian_form(words, WORD)}")
    return tr("{words}, fewer than {least}", words=counted_words, least=least) if words < least else counted_words


def because(criterion: str, points: int) -> Text:
    """State that another criterion decides this one."""
    return tr("because {criterion} = {points}", criterion=criterion, points=points)


def criterion(name: str, points: int, parts: Iterable[Text]) -> Text:
    """Write the sentence of one criterion: its points and the facts behind them."""
    listed = list(parts)
    return at(f"{name} = {points}", Text(", ".join(part.en for part in listed), ", ".join(part.ru for part in listed)))


Points = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Formula:
    """The grading formula of a subject (markup-scoring §5).

    ``points`` counts the points of K1, K2 …; ``reasons`` gives, for the same criteria, the facts behind the points.
    They are apart so that a score that needs only the sum (M1) builds no sentence.
    """

    maxima: Points
    points: Callable[[Tally], Points]
    reasons: Callable[[Tally, Points], Iterable[Sequence[Text]]]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the criteria: K1, K2 …"""
        return tuple(f"K{number}" for number in range(1, len(self.maxima) + 1))

    @property
    def max(self) -> int:
        """Return the greatest possible total."""
        return sum(self.maxima)

    # Clause: MS §5 explained
    def explain(self, tally: Tally, points: Points) -> dict[str, Text]:
        """Write the sentence of every criterion."""
        rows = zip(self.names, points, self.reasons(tally, points), strict=True)
        return {name: criterion(name, score, facts) for name, score, facts in rows}


NOTION: Final = Noun("n", "понятие", "понятия", "понятий", "notion")

SPEECH: Final = Noun("f", "речевая ошибка", "речевые ошибки", "речевых ошибок", "speech error")
