"""Comparison of annotators' short texts and comments by meaning, and of codes by look (markup-scoring §3).

Case folding and NFC come from the Unicode tables of the running Python. Both are stable for every character
that Unicode 14 (Python 3.11) knows, so answers can differ between Python versions only for characters that an
older table does not have; this module is the only place where that can happen.

Judges, chosen by name, decide whether two comments mean the same (markup-scoring §3, M4); all are offline and
deterministic. ``exact`` takes comments for paraphrases when they are equal after normalisation. ``default`` also when
their content words agree: it strips endings, drops words without content, maps the few dozen words with which
annotators say "missing", "superfluous", "wrong" … to one concept each, and compares the sets that remain. It works on
Russian and English, needs no model, and its precision and recall on a labelled list are printed by the benchmark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal
from unicodedata import normalize

from markup_core.texts import Text

Group = Literal["meaning", "error"]

MEANING: Final[Group] = "meaning"
ERROR: Final[Group] = "error"


# Clause: MS §1 codes
def fold(value: str) -> str:
    """Return the key under which codes and subtypes are equal: ``Г.СЛОВ`` and ``Г.слов`` are one code.

    Canonically equal texts (й as one code point or as letter and mark) are one.
    """
    return normalize("NFC", value).strip().casefold()


folded: Final = lru_cache(maxsize=4096)(fold)
"""Key of a code; codes come from a classifier of some fifty, so the same few are asked for again and again."""


LONG: Final = 400
"""Most characters of a text in the cache, which so stays small for any input."""


def text_key(text: str) -> str:
    """Return the key under which corrections, and comments before any judging, are equal.

    Unicode NFC, case folding, runs of white space as one space, trimmed; blanks give the empty string.
    """
    return _remembered_key(text) if len(text) <= LONG else _text_key(text)


# Clause: MS §3 M6
def _text_key(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


_remembered_key: Final = lru_cache(maxsize=2048)(_text_key)

_LATIN: Final = "abekmhopctyxijs"
_CYRILLIC: Final = "авекмнорстухіјѕ"
_IN_LATIN: Final = str.maketrans(_CYRILLIC + _CYRILLIC.upper(), _LATIN + _LATIN.upper())
"""Letters that look alike in the two alphabets, in one case at least."""
_ALPHABETS: Final = {
    **dict.fromkeys(_LATIN, ("Latin", "латинская")),
    **dict.fromkeys(_CYRILLIC, ("Cyrillic", "кириллическая")),
}


def lookalike(spelling: str, codes: Iterable[str]) -> str | None:
    """Return the code that differs from ``spelling`` by the alphabet of letters, their case or blanks alone."""
    shape = _shape(spelling)
    return next((code for code in codes if code != spelling and _shape(code) == shape), None) if shape else None


def written_otherwise(spelling: str, code: str, *, case: bool = False) -> Text:
    """Describe the letters and blanks, with ``case`` also the case, in which a spelling differs from a similar code."""
    one, other = "".join(spelling.split()), "".join(code.split())
    pairs = list(dict.fromkeys(zip(one, other, strict=False)))
    english, russian = [], []
    for letter, right in pairs:
        ours, theirs = _ALPHABETS.get(letter.casefold()), _ALPHABETS.get(right.casefold())
        if ours and theirs and ours != theirs:
            english.append(f"{letter} is a {ours[0]} letter, {right} in the code a {theirs[0]} one")
            russian.append(f"буква {letter} — {ours[1]}, а в коде {right} — {theirs[1]}")
    if case and any(letter.isupper() != right.isupper() for letter, right in pairs):
        english.append("the case of letters differs")
        russian.append("отличается регистр букв")
    if one != spelling and other == code:
        english.append("there are blanks in it")
        russian.append("в коде лишние пробелы")
    return Text("; ".join(english), "; ".join(russian))


def _shape(text: str) -> str:
    """Return what a code looks like: folded, without blanks, in Latin letters where there are such."""
    return in_latin("".join(fold(text).split()))


def in_latin(text: str) -> str:
    """Return a text with Cyrillic letters that look like Latin ones replaced by these."""
    return text.translate(_IN_LATIN)


Judge = Callable[[str, str], bool]

ALIKE: Final = (2, 3)
"""Smallest share of common content words (Dice) at which comments are paraphrases, as a fraction."""

_WORD: Final = r"[^\W\d_]+|\d+"
_STEM_LENGTH: Final = 3

# Of the endings that leave at least _STEM_LENGTH letters the longest is taken off, once.
_ENDINGS: Final = frozenset(
    "иваться ываться оваться аниями ениями остями ившись ывшись аться иться еться уться ются аются яются ается яется"
    " ится ется утся ятся ость ости остью остей ение ения ений ению ением ении ание ания аний анию анием ании ский"
    " ская ское ские ского ской ским скими скую ческий енный енная енное енные енного анный анная анное анные"
    " ован ована овано ованы ыми ими ого его ому ему ами ями ать ять ить еть уть ает яет ует ают яют уют ала яла ила"
    " ела али яли или ели ало яло ило ело ана ано аны ена ено ены ый ий ой ая яя ое ее ые ие ую юю ым им ом ем ах ях"
    " ам ям ов ев ей ью ия ии ию ет ит ут ют ат ят ал ил ел ан ен на но ны а я о е ы и у ю ь й"
    " ations ation itions ition nesses ness ments ment ingly edly ings ing ions ion ies ied ers est ess ed er es ly al"
    " s y e".split()
)
_LONGEST: Final = max(map(len, _ENDINGS))

_EMPTY: Final = frozenset(
    "а и но или что как это этот эта эти этого этой в во на с со к ко о об от до из за по при для у над под между"
    " ли же бы быть был была было были есть он она оно они его ее их себя собой слишком здесь тут нужно надо следует"
    " нужен нужна нужны сам сама само сделан дан дана даны указан указана указано приведен приведена ошибка ошибки"
    " ошибке автор автора авторская считает мнению проблема проблемы позиция слово слова слов союз союзом употребление"
    " употреблено употреблен"
    " a an the of to in on at for from with by and or but is are was were be been it its this that these there here"
    " we you use used using should must has have do does did as too very needed"
    " need required mistake error form".split()
)
"""Words by which no two comments differ in substance. Where nothing else is left they count after all."""

_CONCEPTS: Final = {
    "missing": "пропущена пропущен пропущено пропуск отсутствует отсутствие нет не без missing omitted absent lacking"
    " no not without never",
    "superfluous": "лишний лишняя лишнее лишние ненужный ненужная избыточный unnecessary redundant superfluous extra",
    "wrong": "неверный неверная неверное неверно неправильный неправильная неправильно ошибочный ошибочно неточно"
    " неточная некорректно искажен искажена wrong incorrect incorrectly improper misspelled",
    "broken": "нарушено нарушена нарушен нарушение нарушения confused confusion confuse смешение смешаны",
    "repeated": "повтор повторы повторяется повторение тавтология repetition repeated repeats",
}
_NOT_NEEDED: Final = r"\bне (?:нуж|треб)\w+|\bnot (?:needed|necessary|required)\b"
"""Patterns are compiled by the first comment that is judged: most processes judge none."""


def exact(one: str, other: str) -> bool:
    """Return whether two comments are equal after NFC, case folding and collapsing white space."""
    return text_key(one) == text_key(other)


def default(one: str, other: str) -> bool:
    """Return whether two comments agree in their content words; symmetric, cached for pairs of ordinary length."""
    if one == other:
        return True
    first, second = (one, other) if one <= other else (other, one)
    return _remembered(first, second) if len(one) + len(other) <= LONG else _alike(first, second)


# Clause: MS §3 paraphrase
def _alike(one: str, other: str) -> bool:
    if text_key(one) == text_key(other):
        return True
    first, second = _content(text_key(one)), _content(text_key(other))
    if _fixed(first) != _fixed(second):
        return False
    above, below = ALIKE
    return 2 * len(first & second) * below >= (len(first) + len(second)) * above > 0


_remembered: Final = lru_cache(maxsize=2048)(_alike)


def _fixed(content: frozenset[str]) -> frozenset[str]:
    """Return the words that paraphrases must share: numbers, and "missing" or "superfluous"."""
    return frozenset(word for word in content if word.isdecimal() or word in {"missing", "superfluous"})


def _content(text: str) -> frozenset[str]:
    """Return the concepts and stems of a comment's content words."""
    words = re.findall(_WORD, re.sub(_NOT_NEEDED, "superfluous", text).replace("ё", "е"))
    chosen = [word for word in words if word not in _EMPTY] or words
    return frozenset(_CONCEPT_OF.get(word) or stem(word) for word in chosen)


def stem(word: str) -> str:
    """Remove the ending of a folded word; light, for comparing words of one language with each other."""
    for length in range(min(len(word) - _STEM_LENGTH, _LONGEST), 0, -1):
        if word[-length:] in _ENDINGS:
            return word[:-length]
    return word


_CONCEPT_OF: Final = {word: concept for concept, words in _CONCEPTS.items() for word in words.split()}

JUDGES: Final[Mapping[str, Judge]] = MappingProxyType({"default": default, "exact": exact})
"""The judges a cycle may name in its parameters."""
