"""Errors of a foreign file with their place in it, and JSON values that know their path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markup_core.reading.wire import short, short_ru
from markup_core.said import Said, at


class FormatError(ValueError):
    """A file that cannot be converted; ``place`` is a line or a JSON path, empty where the whole file is meant.

    ``said`` is the whole text in both languages.
    """

    def __init__(self, message: str, place: str = "") -> None:
        self.said = at(place, message) if place else message
        super().__init__(self.said)
        self.message = message
        self.place = place


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON file and its path, as ``$[0].result[2].value``; every look that fails names the path."""

    value: Any
    path: str = "$"

    def error(self, message: str) -> FormatError:
        """The error of this place, to be raised."""
        return FormatError(message, self.path)

    def _unexpected(self, english: str, russian: str) -> FormatError:
        return self.error(
            Said(f"{english} is expected, not {short(self.value)}", f"ожидается {russian}, а не {short_ru(self.value)}")
        )

    def has(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return isinstance(self.value, dict) and self.value.get(name) is not None

    def child(self, name: str) -> Node:
        """A field of an object; null where there is none."""
        return Node(self.object().get(name), f"{self.path}.{name}")

    def object(self) -> dict[str, Any]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self._unexpected("an object", "объект")
        return self.value

    def items(self) -> Iterator[Node]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self._unexpected("a list", "список")
        return (Node(item, f"{self.path}[{number}]") for number, item in enumerate(self.value))

    def one_or_more(self) -> Iterator[Node]:
        """The items of a list; a single value counts as a list of one, null as none."""
        if self.value is None:
            return iter(())
        return self.items() if isinstance(self.value, list) else iter((self,))

    def text(self) -> str:
        """The value as a string."""
        if not isinstance(self.value, str):
            raise self._unexpected("a string", "строка")
        return self.value

    def whole(self) -> int:
        """The value as a whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self._unexpected("a whole number", "целое число")
        return self.value


def checked_span(start: int | None, end: int | None, text: str, place: str) -> tuple[int, int]:
    """A span in code points that lies in the text and is not empty; None stands for a place that is none."""
    if start is None or end is None:
        message = Said(
            "the span begins or ends outside the text or inside a character",
            "отрезок начинается или кончается вне текста или внутри знака",
        )
        raise FormatError(message, place)
    if not 0 <= start < end <= len(text):
        message = Said(
            f"the span {start}, {end} does not lie in the text, which spans 0 to {len(text)}, or is empty",
            f"отрезок {start}, {end} пуст или выходит за текст, занимающий места от 0 до {len(text)}",
        )
        raise FormatError(message, place)
    return start, end


def same_words(one: str, other: str) -> bool:
    r"""Whether two quotations agree but for white space, which tools rewrite (a line end becomes a blank or ``\n``)."""
    return _squeezed(one) == _squeezed(other)


def _squeezed(quotation: str) -> str:
    return "".join(quotation.replace("\\n", "\n").split())
