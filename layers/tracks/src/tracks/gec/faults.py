"""Refusals of fields and of M2 as reasons in two languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.command.operations import RefusedError
from tracks.gec.m2 import M2Error
from tracks.protocol import Reason, Text
from tracks.reasons import reason

_RUSSIAN: Final[Mapping[str, str]] = {
    "no_units": "нет строки S",
    "unknown_line": "строка должна начинаться с «S » или «A »",
    "edit_without_sentence": "над правкой нет её предложения",
    "no_blank_line": "перед предложением нужна пустая строка",
    "wrong_fields": "у правки должно быть шесть полей через |||",
    "invalid_span": "отрезок — два целых числа, начало не позже конца",
    "span_outside": "отрезок выходит за пределы текста",
    "invalid_noop": "тип noop бывает только у отрезка -1 -1",
    "empty_type": "тип правки пуст",
    "invalid_annotator": "номер разметчика — целое число",
}


def of_refusal(code: str, error: RefusedError) -> Reason:
    """A refused field as a reason."""
    field = error.details["field"]
    return reason(code, field, error.message, f"{field}: недопустимое или пропущенное значение")


def of_m2(line: int, code: str, message: str) -> Reason:
    """A fault of an answer in M2, with its line."""
    text = Text(en=f"m2: line {line}: {message}", ru=f"m2: строка {line}: {_RUSSIAN[code]}")
    return Reason(code, text, {"field": "m2", "line": line})


def of_m2_file(error: M2Error) -> list[Reason]:
    """Faults of a file in M2 with their lines, and how many there are where they are too many to be told."""
    found = [Reason(code, Text(en=message, ru=_RUSSIAN[code]), {"line": line}) for line, code, message in error.faults]
    more = error.count - len(found)
    if more:
        found.append(reason("more_faults", "", f"and {more} faults more", f"и ещё ошибок: {more}"))
    return found
