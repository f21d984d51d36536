"""A solver's command line as words, by the rules of the system that it is typed on."""

from __future__ import annotations

import shlex
from typing import Final

_BLANKS: Final = " \t\n"


def words_of(command: str, *, windows: bool) -> list[str]:
    """Split a command line into words: as a POSIX shell does, or as programs of Windows do.

    On Windows a backslash is a letter of a path, unless it stands before a quotation mark. ValueError for quotes that
    do not close. O(length).

    Source: Microsoft, "Parsing C command-line arguments", in the version of runtimes since 2008.
    """
    return _windows_words(command) if windows else shlex.split(command)


def _windows_words(command: str) -> list[str]:
    words: list[str] = []
    word: list[str] | None = None
    quoted, place = False, 0
    while place < len(command):
        letter = command[place]
        if letter in _BLANKS and not quoted:
            if word is not None:
                words.append("".join(word))
            word, place = None, place + 1
            continue
        word = [] if word is None else word
        slashes = len(command) - place - len(command[place:].lstrip("\\"))
        place += slashes
        if command[place : place + 1] != '"':
            word.append("\\" * slashes if slashes else letter)
            place += 0 if slashes else 1
            continue
        word.append("\\" * (slashes // 2))
        if slashes % 2:
            word.append('"')
        elif quoted and command[place + 1 : place + 2] == '"':
            word.append('"')
            place += 1
        else:
            quoted = not quoted
        place += 1
    if quoted:
        raise ValueError("a quotation mark is not closed")
    return words if word is None else [*words, "".join(word)]
