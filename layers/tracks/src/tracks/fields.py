"""The fields of a request, read one by one: the value in its type, or a refusal that names the field.

Everything here raises :class:`markup_core.command.operations.RefusedError` with code ``invalid_request`` and details
``{"field": path}``. Absent and null are the same where a default is given; without one a field must be there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from markup_core.command.operations import RefusedError
from markup_core.reading.wire import short

_REQUIRED: Final = object()


def refuse(path: str, problem: str) -> NoReturn:
    """Refuse a field: ``problem`` completes the sentence that begins with its path."""
    raise RefusedError("invalid_request", f"{path} {problem}", {"field": path})


@dataclass(frozen=True, slots=True)
class Fields:
    """An object of a request; ``where`` is its own path, empty for the request itself."""

    values: Mapping[str, Any]
    where: str = ""

    def path(self, name: str) -> str:
        """How an error names a field."""
        return f"{self.where}.{name}" if self.where else name

    def raw(self, name: str, default: Any = _REQUIRED) -> Any:
        """The value as it is; null only where the field holds null and no default is given."""
        if name not in self.values:
            if default is _REQUIRED:
                refuse(self.path(name), "is missing")
            return default
        value = self.values[name]
        return default if value is None and default is not _REQUIRED else value

    def text(self, name: str, default: Any = _REQUIRED) -> Any:
        """A string."""
        value = self.raw(name, default)
        if not isinstance(value, str) and value is not default:
            self._expected(name, "a string", value)
        return value

    def flag(self, name: str, default: Any = _REQUIRED) -> Any:
        """True or false."""
        value = self.raw(name, default)
        if not isinstance(value, bool) and value is not default:
            self._expected(name, "true or false", value)
        return value

    def whole(self, name: str, default: Any = _REQUIRED, *, low: int | None = None, high: int | None = None) -> Any:
        """A whole number from ``low`` to ``high``."""
        value = self.raw(name, default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, int):
            self._expected(name, "a whole number", value)
        self._bounded(name, value, low, high)
        return value

    def number(
        self, name: str, default: Any = _REQUIRED, *, low: float | None = None, high: float | None = None
    ) -> Any:
        """A finite number from ``low`` to ``high``, as a float."""
        value = self.raw(name, default)
        if value is default:
            return value
        if not is_number(value):
            self._expected(name, "a finite number", value)
        self._bounded(name, value, low, high)
        return float(value)

    def choice(self, name: str, options: Sequence[str], default: Any = _REQUIRED) -> Any:
        """One of the named words."""
        value = self.raw(name, default)
        if value is not default and value not in options:
            self._expected(name, f"one of {', '.join(options)}", value)
        return value

    def items(self, name: str, default: Any = _REQUIRED) -> Any:
        """A list."""
        value = self.raw(name, default)
        if not isinstance(value, list) and value is not default:
            self._expected(name, "a list", value)
        return value

    def mapping(self, name: str, default: Any = _REQUIRED) -> Any:
        """An object."""
        value = self.raw(name, default)
        if not isinstance(value, dict) and value is not default:
            self._expected(name, "an object", value)
        return value

    def part(self, name: str) -> Fields:
        """An object whose fields are read in their turn."""
        return Fields(self.mapping(name), self.path(name))

    def parts(self, name: str) -> Iterator[Fields]:
        """The objects of a list, whose fields are read in their turn."""
        for index, value in enumerate(self.items(name)):
            path = f"{self.path(name)}[{index}]"
            if not isinstance(value, dict):
                refuse(path, f"must be an object, not {short(value)}")
            yield Fields(value, path)

    def _expected(self, name: str, what: str, value: Any) -> NoReturn:
        refuse(self.path(name), f"must be {what}, not {short(value)}")

    def _bounded(self, name: str, value: float, low: float | None, high: float | None) -> None:
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = (
                f"at least {low}" if high is None else f"at most {high}" if low is None else f"from {low} to {high}"
            )
            refuse(self.path(name), f"must be {bounds}, not {short(value)}")


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that a float can hold: true and NaN are none, nor is 10 to the 400."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
