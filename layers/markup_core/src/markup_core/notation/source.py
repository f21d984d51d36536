"""The source of a parse and the errors that point into it."""

from __future__ import annotations

from typing import Final

_BEFORE: Final = 40  # characters of the line that an excerpt shows on either side


class NotationError(ValueError):
    """A file that is not in the notation. ``line`` and ``column`` count from 1, columns in code points.

    ``excerpt`` is the faulty line, cut if long, with a caret under the place; ``russian`` says what ``message`` does.
    """

    def __init__(self, message: str, line: int, column: int, excerpt: str = "", russian: str = "") -> None:
        super().__init__(f"line {line}, column {column}: {message}" + (f"\n{excerpt}" if excerpt else ""))
        self.message = message
        self.russian = russian or message
        self.line = line
        self.column = column
        self.excerpt = excerpt


class Source:
    """The text that is parsed. Lines end at LF alone, as the text's positions count every character."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def place(self, position: int) -> tuple[int, int]:
        """Line and column of a position, from 1."""
        line_start = self.text.rfind("\n", 0, position) + 1
        return self.text.count("\n", 0, position) + 1, position - line_start + 1

    def error(self, message: str, russian: str, position: int) -> NotationError:
        """The error of a position in both languages, to be raised.

        Clause: MS §1.1 errors
        """
        line, column = self.place(position)
        start = max(position - column + 1, position - _BEFORE)
        end = self.text.find("\n", position)
        cut = self.text[start : min(end if end >= 0 else len(self.text), position + _BEFORE)]
        shown = "".join(char if char.isprintable() else " " for char in cut)
        return NotationError(message, line, column, f"    {shown}\n    {' ' * (position - start)}^", russian)

    def naming(self, position: int) -> tuple[str, str]:
        """A position as a message names it, in English and in Russian."""
        line, column = self.place(position)
        return f"line {line}, column {column}", f"строка {line}, столбец {column}"
