"""Faults of a markup as reasons in two languages.

The library words each fault in English with its details; the Russian sentence says the same of the kind of fault and
the place. Programs go by the code in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.reading.faults import Fault
from tracks.protocol import Reason, Text
from tracks.reasons import OF_JSON, reason

_RUSSIAN: Final[Mapping[str, str]] = {
    **OF_JSON,
    "not_an_object": "разметка должна быть объектом JSON",
    "missing_field": "нет обязательного поля",
    "wrong_type": "в поле значение другого типа",
    "lone_surrogate": "в строке половина суррогатной пары; нужны целые символы",
    "not_finite": "число не может быть NaN или бесконечностью",
    "text_too_long": "текст длиннее допустимого",
    "too_many_fragments": "фрагментов больше, чем допустимо",
    "text_differs": "текст отличается от текста выданного эссе",
    "subject_differs": "предмет отличается от предмета выданного эссе",
    "unknown_subject": "классификатор не знает такого предмета",
    "unknown_code": "классификатор не знает такого кода для этого предмета",
    "start_after_end": "начало фрагмента позже конца",
    "span_outside_text": "фрагмент выходит за пределы текста",
    "empty_span": "пустой фрагмент; пустым бывает только фрагмент 0, 0 обо всём тексте",
    "unknown_subtype": "такого подтипа нет в классификаторе",
    "correction_not_expected": "у этого кода не бывает исправления",
    "full_text_not_expected": "этот код не относят ко всему тексту; фрагмент учтён как полнотекстовый",
    "group_corrected": "группа исправлена по коду",
    "duplicate_id": "два фрагмента с одним номером",
    "missing_id": "у фрагмента нет номера; он получил порядковый",
    "unknown_field": "лишнее поле пропущено",
    "criteria_ignored": "критерии пропущены: нужны целые числа под K1, K2 …",
}

_LISTED: Final = "GET /v1/classifier"
"""Where the platform lists the cycle's codes."""


def of_markup(fault: Fault) -> Reason:
    """A fault of a markup; ``where`` names fragment, field and what was perhaps meant as far as there are any."""
    where = {"fragment": fault.fragment, "field": fault.field, "suggestion": fault.suggestion}
    return Reason(fault.code, Text(en=_english(fault), ru=_russian(fault)), _present(where))


def another_subject(found: str, expected: str) -> Reason:
    """A markup of another subject than the essay's."""
    message = f"the subject is {found}, the essay's is {expected}"
    return reason("subject_differs", "meta.subject", message, f"предмет {found}, а у эссе {expected}")


def _english(fault: Fault) -> str:
    """The library's own words; it knows no platform, whose cycle may have a classifier of its own."""
    return f"{fault.message}; the cycle's codes: {_LISTED}" if fault.code == "unknown_code" else fault.message


def _russian(fault: Fault) -> str:
    sentence = _RUSSIAN.get(fault.code, fault.message)
    if fault.suggestion is not None:
        sentence += f"; возможно, имелся в виду {fault.suggestion}"
    if fault.code == "unknown_code":
        sentence += f"; коды цикла: {_LISTED}"
    places = [
        f"фрагмент {fault.fragment}" if fault.fragment is not None else "",
        f"поле {fault.field}" if fault.field else "",
    ]
    place = ", ".join(filter(None, places))
    return f"{place}: {sentence}" if place else sentence


def _present(where: Mapping[str, int | str | None]) -> dict[str, int | str]:
    return {name: value for name, value in where.items() if value is not None}
