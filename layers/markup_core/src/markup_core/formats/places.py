"""Errors of a foreign file with their place in it, and JSON values that know their path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markup_core.reading.wire import short


class FormatError(ValueError):
    """A file that cannot be converted; ``place`` is a line or a JSON path, empty where the whole file is meant."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
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

    def has(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return isinstance(self.value, dict) and self.value.get(name) is not None

    def child(self, name: str) -> Node:
        """A field of an object; null where there is none."""
        return Node(self.object().get(name), f"{self.path}.{name}")

    def object(self) -> dict[str, Any]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self.error(f"an object is expected, not {short(self.value)}")
        return self.value

    def items(self) -> Iterator[Node]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.error(f"a list is expected, not {short(self.value)}")
        return (Node(item, f"{self.path}[{number}]") for number, item in enumerate(self.value))

    def one_or_more(self) -> Iterator[Node]:
        """The items of a list; a single value counts as a list of one, null as none."""
        if self.value is None:
            return iter(())
        return self.items() if isinstance(self.value, list) else iter((self,))

    def text(self) -> str:
        """The value as a string."""
        if not isinstance(self.value, str):
            raise self.error(f"a string is expected, not {short(self.value)}")
        return self.value

    def whole(self) -> int:
        """The value as a whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.error(f"a whole number is expected, not {short(self.value)}")
        return self.value


def checked_span(start: int | None, end: int | None, text: str, place: str) -> tuple[int, int]:
    """A span in code points that lies in the text and is not empty; None stands for a place that is none."""
    if start is None or end is None:
        raise FormatError("the span begins or ends outside the text or inside a character", place)
    if not 0 <= start < end <= len(text):
        message = f"the span {start}, {end} does not lie in the text, which spans 0 to {len(text)}, or is empty"
        raise FormatError(message, place)
    return start, end


def same_words(one: str, other: str) -> bool:
    r"""Whether two quotations agree but for white space, which tools rewrite (a line end becomes a blank or ``\n``)."""
    return _squeezed(one) == _squeezed(other)


def _squeezed(quotation: str) -> str:
    return "".join(quotation.replace("\\n", "\n").split())
