"""What an answer says, whatever its wording: the mode ``normalised`` of VQA (tracks.md §4).

The same is done to the true and to the predicted answer (the contest's public script normalises only the prediction,
so that a truth with an article can never be met). Lemmas are pymorphy3's first reading of a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final
from unicodedata import normalize

_ARTICLES: Final = frozenset({"a", "an", "the"})
_ENGLISH: Final[Mapping[str, str]] = {
    "none": "0",
    **{
        word: str(number) for number, word in enumerate("zero one two three four five six seven eight nine ten".split())
    },
}
_RUSSIAN: Final[Mapping[str, str]] = {
    **dict.fromkeys(("нуль", "нисколько", "никакой"), "0"),
    **{
        word: str(number)
        for number, word in enumerate("ноль один два три четыре пять шесть семь восемь девять десять".split())
    },
}
"""Number words as the public script knows them, up to ten."""
_BETWEEN_DIGITS: Final = re.compile(r"(?<=\d),(?=\d)")
_STOPS: Final = re.compile(r"(?<!\d)[.:]|[.:](?!\d)")
_PUNCTUATION: Final = re.compile(r"[^\w\s'.:%$€£₽°#&]|_")


def words(answer: str, lang: str) -> tuple[str, ...]:
    """The words of an answer in ``lang`` ("ru" or "en"), without articles, number words as digits; may be empty."""
    found = _plain(answer).split()
    if lang == "en":
        return tuple(_ENGLISH.get(word, word) for word in found if word not in _ARTICLES)
    lemmas = map(_lemma, found)
    return tuple(_RUSSIAN.get(lemma, lemma) for lemma in lemmas)


def _plain(answer: str) -> str:
    """Lower case; punctuation is a blank, but nothing at all in ``2,000`` and itself in ``3.5`` and ``10:30``."""
    text = _BETWEEN_DIGITS.sub("", normalize("NFC", answer).lower().replace("’", "'"))
    return _PUNCTUATION.sub(" ", _STOPS.sub(" ", text))


@lru_cache(maxsize=1)
def _analyzer() -> Any:
    from pymorphy3 import MorphAnalyzer  # type: ignore[import-untyped]  # the library has no annotations

    return MorphAnalyzer(lang="ru")


@lru_cache(maxsize=65_536)
def _lemma(word: str) -> str:
    """The dictionary form; ё and е are one letter here, since most writers do not tell them apart."""
    lemma: str = _analyzer().parse(word)[0].normal_form
    return lemma.replace("ё", "е")
