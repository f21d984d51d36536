"""How an operation says that a request cannot be answered, in both languages."""

from __future__ import annotations

from typing import Any

from markup_core.reading.wire import short, short_ru
from markup_core.said import Said, at, first_of, told


class RefusedError(ValueError):
    """A request that cannot be answered: a stable code, a sentence, and details for programs.

    ``message`` and those of ``details`` are English and carry their Russian (:mod:`markup_core.said`).
    """

    def __init__(self, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def to_dict(self) -> dict[str, Any]:
        """The refusal as JSON."""
        return {"code": self.code, "message": self.message, "details": self.details}

    def text(self, language: str) -> str:
        """The sentence in a language."""
        return told(self.message, language)


def bad_field(field: str, message: str) -> RefusedError:
    """A field of a request that is none."""
    return RefusedError("invalid_request", message, {"field": field})


def unexpected(field: str, english: str, russian: str, value: Any) -> RefusedError:
    """A field with another value than it may have; what it may is said in both languages."""
    message = Said(
        f"{field} must be {english}, not {short(value)}", f"{field}: ожидается {russian}, а не {short_ru(value)}"
    )
    return bad_field(field, message)


def invalid(faults: list[dict[str, Any]]) -> RefusedError:
    """Markups that are none, with every fault."""
    message = first_of([at(fault["input"], fault["message"]) for fault in faults], 1)
    return RefusedError("invalid_markup", message, faults)
