"""Names of codes that brat can store, and the configuration of a project with them.

brat's configuration replaces every character of a type outside ``a-zA-Z0-9_-`` by ``_``: ``Г.упр`` and ``Р.тав`` would
both become ``_____``. So a code is written under a Latin name of its own, transliterated and told apart from all others
of the classifier, and ``visual.conf`` shows the code itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from markup_core.formats.labels import Codes
from markup_core.formats.places import FormatError
from markup_core.model import MEANING, fold
from markup_core.reading.classifier import Classifier
from markup_core.reading.wire import short, short_ru
from markup_core.said import Said

ANNOTATION: Final = "annotation.conf"
VISUAL: Final = "visual.conf"
FULL_TEXT: Final = "FullText"
STORED: Final = re.compile(r"[a-zA-Z0-9_-]+")
"""Types that brat stores as they are."""
_LATIN: Final = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "a b v g d e yo zh z i j k l m n o p r s t u f kh ts ch sh shch  y  eh yu ya".split(" "),
        strict=True,
    )
)
_COLOURS: Final = {True: "#cfe2ff", False: "#ffd8cc"}
"""Of semantic blocks and of errors."""


def type_names(classifier: Classifier) -> dict[str, str]:
    """Return brat's type of each code of a classifier, by the folded code; no two codes have one type.

    A code that brat can store is its own type. Of codes that come to the same name the later ones get a number.
    """
    codes = {fold(each.code): each.code for subject in classifier.subjects for each in classifier.codes(subject)}
    names = {key: code for key, code in codes.items() if STORED.fullmatch(code)}
    taken = {name.casefold() for name in names.values()}
    for key, code in codes.items():
        if key not in names:
            names[key] = _free(_transliterated(code), taken)
            taken.add(names[key].casefold())
    return names


def _transliterated(code: str) -> str:
    letters = []
    for letter in unicodedata.normalize("NFC", code):
        latin = _LATIN.get(letter.lower())
        if latin is None:
            latin = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
            latin = re.sub(r"[^a-zA-Z0-9_-]", "_", latin) or "_"
        letters.append(latin.capitalize() if letter.isupper() and letter.lower() in _LATIN else latin)
    name = "".join(letters).upper() if code.isupper() else "".join(letters)
    return name if re.search(r"[a-zA-Z0-9]", name) else "code"


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def chosen_names(classifier: Classifier, codes: Codes) -> dict[str, str]:
    """Return :func:`type_names` with the labels of ``--codes`` in their place, read backwards: of each code the first.

    Raises FormatError for a label that brat would store as another one, and for one that another code has already.
    """
    names, given = type_names(classifier), dict[str, str]()
    for label, code in codes.items():
        if code is not None and fold(code) in names:
            given.setdefault(fold(code), label)
    for label in given.values():
        if not STORED.fullmatch(label):
            message = Said(
                f"brat stores types of a-zA-Z0-9_- alone; {short(label)} would become another one",
                f"в типах brat допустимы только знаки a-zA-Z0-9_-; {short_ru(label)} превратится в другой тип",
            )
            raise FormatError(message, "--codes")
    found = {**names, **given}
    holders: dict[str, str] = {}
    for code, name in found.items():
        other = holders.setdefault(name.casefold(), code)
        if other != code:
            message = Said(
                f"{short(other)} and {short(code)} would both be of the type {name}",
                f"{short_ru(other)} и {short_ru(code)} получили бы один тип {name}",
            )
            raise FormatError(message, "--codes")
    return found


def configuration(classifier: Classifier, subjects: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a brat project by name: the types of the subjects' codes, and what is shown for them."""
    listed = {fold(each.code): each for subject in subjects for each in classifier.codes(subject)}
    types = "".join(f"{names[key]}\n" for key in listed)
    labels = "".join(f"{names[key]} | {each.code}\n" for key, each in listed.items())
    colours = "".join(f"{names[key]}\tbgColor:{_COLOURS[each.group == MEANING]}\n" for key, each in listed.items())
    annotation = f"[entities]\n\n{types}\n[relations]\n\n[events]\n\n[attributes]\n\n{FULL_TEXT}\tArg:<ENTITY>\n"
    defaults = "SPAN_DEFAULT\tfgColor:black, bgColor:lightgreen, borderColor:darken\nATTRIBUTE_DEFAULT\tglyph:*\n"
    return {ANNOTATION: annotation, VISUAL: f"[labels]\n\n{labels}\n[drawing]\n\n{defaults}{colours}"}
