"""The contest's six diseases: their ICD-10 codes (D 6.5), the thresholds of the barrier (D 5.5), their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from markup_core.comparable import in_latin
from tracks.protocol import Json, Text

HEALTHY: Final = "another"
"""The answer for a patient with none of the six (D-App3); written exactly so."""
_ICD_10: Final = re.compile(r"[A-Z][0-9]{2}")
_AS_PRINTED: Final[Mapping[str, str]] = MappingProxyType({"А19": "A19"})
"""D 6.5 spells this one code with a Cyrillic letter; who copies it from there means the code of ICD-10."""


class Thresholds(NamedTuple):
    """What the lower bounds of sensitivity and specificity must exceed, as fractions."""

    se: float
    sp: float


@dataclass(frozen=True, slots=True)
class Nosology:
    """One disease; ``codes`` are base parts, ``number`` is what the earlier clients call it."""

    name: str
    title: Text
    codes: tuple[str, ...]
    thresholds: Thresholds
    number: int


_LISTED: Final = (
    Nosology(
        "tuberculosis", Text(en="Tuberculosis", ru="Туберкулёз"), ("A15", "A16", "A19"), Thresholds(0.83, 0.87), 2
    ),
    Nosology("lung_cancer", Text(en="Lung cancer", ru="Рак лёгкого"), ("C34",), Thresholds(0.83, 0.87), 1),
    Nosology(
        "bacterial_pneumonia",
        Text(en="Bacterial pneumonia", ru="Бактериальная пневмония"),
        ("J13", "J14", "J15", "J16", "J18"),
        Thresholds(0.82, 0.83),
        3,
    ),
    Nosology(
        "viral_pneumonia",
        Text(en="Viral pneumonia", ru="Вирусная пневмония"),
        ("J10", "J12", "U07"),
        Thresholds(0.82, 0.83),
        4,
    ),
    Nosology("copd", Text(en="COPD", ru="ХОБЛ"), ("J44",), Thresholds(0.83, 0.84), 5),
    Nosology("cteph", Text(en="CTEPH", ru="ХТЭЛГ"), ("I27",), Thresholds(0.81, 0.88), 6),
)
"""Clause: D 5.5, D 6.5"""
NOSOLOGIES: Final[Mapping[str, Nosology]] = MappingProxyType({each.name: each for each in _LISTED})
NAMES: Final = tuple(NOSOLOGIES)
THRESHOLDS: Final[Mapping[str, Thresholds]] = MappingProxyType({each.name: each.thresholds for each in _LISTED})
_BY_CODE: Final = MappingProxyType({code: each.name for each in _LISTED for code in each.codes})


def classifier() -> list[dict[str, Json]]:
    """The diseases as everybody may read them."""
    return [
        {"name": each.name, "title": {"en": each.title.en, "ru": each.title.ru}, "codes": list(each.codes)}
        for each in _LISTED
    ]


def base_part(code: str) -> str:
    """The code before its dot, in the case in which it is given (D 7.10.2); the misprint of D 6.5 is put right.

    Clause: D 6.5, D 7.10.2
    """
    base = code.partition(".")[0]
    return _AS_PRINTED.get(base, base)


def misprinted(code: str) -> bool:
    """Whether the code is spelled as D 6.5 misprints it."""
    return code.partition(".")[0] in _AS_PRINTED


def intended(code: str) -> str | None:
    """Return the ICD-10 code that a text looks like and is not: by letters of the other alphabet, case or blanks.

    None for a code that is compared as it is meant, and for any other text.
    """
    base = base_part(code)
    clean = in_latin("".join(base.split()))
    if clean.casefold() == HEALTHY:
        return HEALTHY if base != HEALTHY else None
    return clean.upper() if base != clean.upper() and _ICD_10.fullmatch(clean.upper()) else None


def nosology_of(code: str) -> str | None:
    """Name of the disease that a code stands for; None for every other code and for no code.

    Clause: D 6.5
    """
    return _BY_CODE.get(base_part(code))
