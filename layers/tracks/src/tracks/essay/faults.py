"""Faults of a markup as reasons: the library words each in both languages, programs go by the code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.reading.fragment_reader import Fault
from markup_core.reading.recognition import described, foreign_text
from markup_core.said import told
from tracks.protocol import Reason, Text
from tracks.reasons import reason

_LISTED: Final = "GET /v1/classifier"
"""Where the platform lists the cycle's codes."""


def of_markup(fault: Fault) -> Reason:
    """A fault of a markup; ``where`` names fragment, field and what was perhaps meant as far as there are any."""
    where = {"fragment": fault.fragment, "field": fault.field, "suggestion": fault.suggestion}
    russian = told(fault.message, "ru")
    if fault.code != "unknown_code":
        return Reason(fault.code, Text(en=fault.message, ru=russian), _present(where))
    # The library knows no platform, whose cycle may have a classifier of its own.
    message = Text(f"{fault.message}; the cycle's codes: {_LISTED}", f"{russian}; коды цикла: {_LISTED}")
    return Reason(fault.code, message, _present(where))


def of_another_tool(body: bytes) -> Reason | None:
    """Name the tool or format that a text which cannot be read is of; None where it is none that is known."""
    tool = foreign_text(body.decode("utf-8", "replace"))
    if tool is None:
        return None
    message = described(tool)
    return Reason("another_format", Text(en=str(message), ru=message.russian), {})


def another_subject(found: str, expected: str) -> Reason:
    """A markup of another subject than the essay's."""
    message = f"the subject is {found}, the essay's is {expected}"
    return reason("subject_differs", "meta.subject", message, f"предмет {found}, а у эссе {expected}")


def _present(where: Mapping[str, int | str | None]) -> dict[str, int | str]:
    return {name: value for name, value in where.items() if value is not None}
