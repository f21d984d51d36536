"""Refusals of fields and of M2 as reasons in two languages."""

from __future__ import annotations

from markup_core.command.complaints import RefusedError
from markup_core.said import told
from tracks.gec.m2 import M2Error
from tracks.protocol import Reason, Text
from tracks.reasons import reason


def of_refusal(code: str, error: RefusedError) -> Reason:
    """A refused field as a reason."""
    return reason(code, error.details["field"], error.message, error.text("ru"))


def of_m2(line: int, code: str, message: str) -> Reason:
    """A fault of an answer in M2, with its line."""
    text = Text(en=f"m2: line {line}: {message}", ru=f"m2: строка {line}: {told(message, 'ru')}")
    return Reason(code, text, {"field": "m2", "line": line})


def of_m2_file(error: M2Error) -> list[Reason]:
    """Faults of a file in M2 with their lines, and how many there are where they are too many to be told."""
    found = [
        Reason(code, Text(en=message, ru=told(message, "ru")), {"line": line}) for line, code, message in error.faults
    ]
    more = error.count - len(found)
    if more:
        found.append(reason("more_faults", "", f"and {more} faults more", f"и ещё ошибок: {more}"))
    return found
