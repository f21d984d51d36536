"""The fields of a request, read one by one: the value in its type, or a refusal that names the field.

Everything here raises :class:`markup_core.command.complaints.RefusedError` with code ``invalid_request`` and details
``{"field": path}``. Absent and null are the same where a default is given; without one a field must be there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import short, short_ru
from markup_core.said import Said

_REQUIRED: Final = object()


def refuse(path: str, problem: str, russian: str) -> NoReturn:
    """Refuse a field: ``problem`` completes the sentence that begins with its path, ``russian`` follows its colon."""
    raise RefusedError("invalid_request", Said(f"{path} {problem}", f"{path}: {russian}"), {"field": path})


def refuse_value(path: str, what: str, russian: str, value: object) -> NoReturn:
    """Refuse a field whose value is not ``what``, in Russian in the nominative."""
    refuse(path, f"must be {what}, not {short(value)}", f"ожидается {russian}, а не {short_ru(value)}")


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
                refuse(self.path(name), "is missing", "поля нет")
            return default
        value = self.values[name]
        return default if value is None and default is not _REQUIRED else value

    def text(self, name: str, default: Any = _REQUIRED) -> Any:
        """A string."""
        value = self.raw(name, default)
        if not isinstance(value, str) and value is not default:
            self._expected(name, "a string", "строка", value)
        return value

    def flag(self, name: str, default: Any = _REQUIRED) -> Any:
        """True or false."""
        value = self.raw(name, default)
        if not isinstance(value, bool) and value is not default:
            self._expected(name, "true or false", "true или false", value)
        return value

    def whole(self, name: str, default: Any = _REQUIRED, *, low: int | None = None, high: int | None = None) -> Any:
        """A whole number from ``low`` to ``high``."""
        value = self.raw(name, default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, int):
            self._expected(name, "a whole number", "целое число", value)
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
            self._expected(name, "a finite number", "конечное число", value)
        self._bounded(name, value, low, high)
        return float(value)

    def choice(self, name: str, options: Sequence[str], default: Any = _REQUIRED) -> Any:
        """One of the named words."""
        value = self.raw(name, default)
        if value is not default and value not in options:
            listed = ", ".join(options)
            self._expected(name, f"one of {listed}", f"одно из: {listed}", value)
        return value

    def items(self, name: str, default: Any = _REQUIRED) -> Any:
        """A list."""
        value = self.raw(name, default)
        if not isinstance(value, list) and value is not default:
            self._expected(name, "a list", "список", value)
        return value

    def mapping(self, name: str, default: Any = _REQUIRED) -> Any:
        """An object."""
        value = self.raw(name, default)
        if not isinstance(value, dict) and value is not default:
            self._expected(name, "an object", "объект", value)
        return value

    def part(self, name: str) -> Fields:
        """An object whose fields are read in their turn."""
        return Fields(self.mapping(name), self.path(name))

    def parts(self, name: str) -> Iterator[Fields]:
        """The objects of a list, whose fields are read in their turn."""
        for index, value in enumerate(self.items(name)):
            path = f"{self.path(name)}[{index}]"
            if not isinstance(value, dict):
                refuse_value(path, "an object", "объект", value)
            yield Fields(value, path)

    def _expected(self, name: str, what: str, russian: str, value: Any) -> NoReturn:
        refuse_value(self.path(name), what, russian, value)

    def _bounded(self, name: str, value: float, low: float | None, high: float | None) -> None:
        if (low is not None and value < low) or (high is not None and value > high):
            if high is None:
                bounds = f"at least {low}", f"не меньше {low}"
            elif low is None:
                bounds = f"at most {high}", f"не больше {high}"
            else:
                bounds = f"from {low} to {high}", f"от {low} до {high}"
            refuse(
                self.path(name),
                f"must be {bounds[0]}, not {short(value)}",
                f"ожидается число {bounds[1]}, а не {short_ru(value)}",
            )


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that a float can hold: true and NaN are none, nor is 10 to the 400."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
