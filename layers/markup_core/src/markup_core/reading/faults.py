"""Faults of a markup and the memory of one reading: what was found wrong, and against what the rest is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from markup_core.comparable import lookalike
from markup_core.model import fold
from markup_core.reading.classifier import Classifier, Code
from markup_core.reading.wire import Limits

_MOST_SUGGESTIONS: Final = 20  # likeness of words is slow to compute


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong: a stable code, a sentence, the fragment's id (or number, counted from 1) and the field.

    ``message`` carries its Russian: :func:`markup_core.said.told`.

    ``suggestion``: what was perhaps meant, where something listed is near.
    """

    code: str
    message: str
    fragment: int | str | None = None
    field: str | None = None
    suggestion: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fault as JSON (markup-scoring §8.1)."""
        return {"code": self.code, "message": self.message, "fragment": self.fragment, "field": self.field}


class Reading:
    """The state of reading one markup.

    ``table`` is None while the subject is unknown, ``length`` while the text is. ``written`` gathers every string,
    so that one look finds surrogates in all of them; ``odd`` tells that only the JSON itself knows its size.
    """

    __slots__ = (
        "_suggested",
        "classifier",
        "errors",
        "length",
        "limits",
        "odd",
        "subject",
        "table",
        "warnings",
        "written",
    )

    def __init__(self, classifier: Classifier, limits: Limits) -> None:
        self.classifier = classifier
        self.limits = limits
        self.errors: list[Fault] = []
        self.warnings: list[Fault] = []
        self.subject = ""
        self.table: Mapping[str, Code] | None = None
        self.length: int | None = None
        self.written: list[str] = []
        self.odd = False
        self._suggested: dict[str, str | None] = {}

    def error(
        self,
        code: str,
        message: str,
        field: str | None = None,
        fragment: int | str | None = None,
        suggestion: str | None = None,
    ) -> None:
        """Note an error."""
        self.errors.append(Fault(code, message, fragment, field, suggestion))

    def warn(self, code: str, message: str, field: str | None = None, fragment: int | str | None = None) -> None:
        """Note a warning."""
        self.warnings.append(Fault(code, message, fragment, field))

    def suggestion(self, code: str) -> str | None:
        """Return the listed code that was perhaps meant; None where none is near."""
        if len(code) > 40 or self.table is None:
            return None
        if code not in self._suggested and len(self._suggested) < _MOST_SUGGESTIONS:
            names = {fold(listed.code): listed.code for listed in self.classifier.codes(self.subject)}
            alike = lookalike(code, names.values())
            near = [] if alike else get_close_matches(fold(code), names, n=1, cutoff=0.7)
            self._suggested[code] = alike or (names[near[0]] if near else None)
        return self._suggested.get(code)
