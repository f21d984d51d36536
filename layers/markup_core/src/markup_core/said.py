"""Sentences in both languages: an English string that carries the Russian one with it.

Programs read the string as it is (JSON, logs, exceptions); a command that speaks Russian asks for :func:`told`.
"""

from __future__ import annotations

from typing import Self


class Said(str):
    """The English sentence; ``russian`` says the same, with the same figures and places."""

    __slots__ = ("russian",)

    russian: str

    def __new__(cls, english: str, russian: str) -> Self:
        """Both sentences."""
        made = super().__new__(cls, english)
        made.russian = russian
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """How copies are made."""
        return str(self), self.russian


def told(message: str, language: str) -> str:
    """A message in a language; one that nobody said in Russian is told as it is."""
    return message.russian if language == "ru" and isinstance(message, Said) else str(message)


def at(place: str, message: str) -> Said:
    """A message behind the name of what it is about, which is the same in both languages."""
    return Said(f"{place}: {message}", f"{place}: {told(message, 'ru')}")


def first_of(messages: list[str], most: int) -> Said:
    """The first messages of a list in one line, and how many more there are."""
    more = len(messages) - most
    ends = (f" (and {more} more)", f" (и ещё {more})") if more > 0 else ("", "")
    said = ("; ".join(told(each, language) for each in messages[:most]) for language in ("en", "ru"))
    return Said(*(sentence + end for sentence, end in zip(said, ends, strict=True)))
