"""The language in which a command speaks to its caller: its own sentences, and those of click and argparse.

Both libraries take their sentences from ``gettext``, whose catalogues are files found by the environment's language. A
command chooses its language by an option, and a child process must not inherit it; so :func:`speaking` puts a function
of ours in the place of ``gettext`` in these modules, which asks the language of the present call and knows the few
sentences that people meet.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from markup_core.texts import EN as EN
from markup_core.texts import LANGUAGE, word
from markup_core.texts import LANGUAGES as LANGUAGES
from markup_core.texts import RU as RU
from markup_core.texts import language as language

OPTION: Final = "--lang"
_SPEAKERS: Final = (
    "argparse",
    *(f"click.{name}" for name in ("core", "decorators", "exceptions", "formatting", "parser", "termui", "types")),
)


def number(value: float, digits: int) -> str:
    """Write a number with so many decimals in the language of the present call."""
    from markup_core.rounding import fixed  # which loads decimal

    text = fixed(value, digits)
    return text.replace(".", ",") if language() == RU else text


def counted(count: int, one: str, few: str, many: str) -> str:
    """Write a number with its Russian noun: 1 файл, 2 файла, 5 файлов."""
    tens, ones = count % 100, count % 10
    if ones == 1 and tens != 11:
        return f"{count} {one}"
    return f"{count} {few if ones in (2, 3, 4) and tens not in (12, 13, 14) else many}"


def of_environment() -> str:
    """Return Russian where the system speaks Russian, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return RU if value.lower().startswith(RU) else EN
    import locale

    return RU if (locale.getlocale()[0] or "").lower().startswith(RU) else EN


def asked_for(arguments: Sequence[str], otherwise: str) -> str:
    """Return the language that a command line names, before anything of it is parsed."""
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == OPTION:
            wished = value if equals else next(iter(arguments[place + 1 :]), "")
            return wished if wished in LANGUAGES else otherwise
    return otherwise


@contextmanager
def speaking(chosen: str) -> Iterator[None]:
    """Speak this language until the end of the block."""
    for speaker in _SPEAKERS:
        module = vars(sys.modules[speaker]) if speaker in sys.modules else {}
        for name, own in (("_", _message), ("ngettext", _counted_message)):
            if name in module:
                module[name] = own
    before = LANGUAGE.set(chosen)
    try:
        yield
    finally:
        LANGUAGE.reset(before)


def _message(message: str) -> str:
    return word("click", message).ru if language() == RU else message


def _counted_message(one: str, more: str, count: int) -> str:
    if language() != RU:
        return one if count == 1 else more
    return word("click" if count == 1 else "click, several", one).ru


_UNLIMITED: Final = 100_000


def escape_unshowable() -> None:
    """Let characters that a terminal or a pipe cannot take (cp1251, cp866, ASCII) be escaped instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def columns(otherwise: int = _UNLIMITED) -> int:
    """Return the number of columns to print in: ``COLUMNS``, or the terminal's; ``otherwise`` for a file or a pipe.

    Tables cut nothing for a width that nobody sees: ids and hashes are there to be copied. shutil's function does the
    same, and loads three libraries of compression.
    """
    with suppress(KeyError, ValueError):
        if (wished := int(os.environ["COLUMNS"])) > 0:
            return wished
    with suppress(ValueError, OSError):
        return os.get_terminal_size(1).columns or otherwise
    return otherwise
