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
        """Hold both sentences; the string itself is the English one."""
        sentence = super().__new__(cls, english)
        sentence.russian = russian
        return sentence

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """How copies are made."""
        return str(self), self.russian


def told(message: str, language: str) -> str:
    """Return a message in a language; one without a Russian sentence is returned as it is."""
    return message.russian if language == "ru" and isinstance(message, Said) else str(message)


def at(place: str, message: str) -> Said:
    """Put a place's name, the same in both languages, before a message."""
    return Said(f"{place}: {message}", f"{place}: {told(message, 'ru')}")


def first_of(messages: list[str], most: int) -> Said:
    """Join the first messages of a list in one line, and count the others."""
    more = len(messages) - most
    ends = (f" (and {more} more)", f" (и ещё {more})") if more > 0 else ("", "")
    sentences = ("; ".join(told(message, language) for message in messages[:most]) for language in ("en", "ru"))
    return Said(*(sentence + end for sentence, end in zip(sentences, ends, strict=True)))
