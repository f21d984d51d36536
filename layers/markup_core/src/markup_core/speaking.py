"""The language in which a command speaks to its caller: its own sentences, and those of click and argparse.

Both libraries take their sentences from ``gettext``, whose catalogues are files found by the environment's language. A
command chooses its language by an option, and a child process must not inherit it; so :func:`speaking` puts a function
of ours in the place of ``gettext`` in these modules, which asks the language of the present call and knows the few
sentences that people meet.
"""

from __future__ import annotations

import gettext
import io
import locale
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Final

from markup_core.rounding import fixed

EN: Final = "en"
RU: Final = "ru"
LANGUAGES: Final = (EN, RU)
OPTION: Final = "--lang"
_SPOKEN: ContextVar[str] = ContextVar("spoken language", default=EN)
_SPEAKERS: Final = (
    "argparse",
    *(f"click.{name}" for name in ("core", "decorators", "exceptions", "formatting", "parser", "termui", "types")),
)
_RUSSIAN: Final[Mapping[str, str]] = MappingProxyType(
    {
        # click
        "Usage:": "Вызов:",
        "Options": "Параметры",
        "Commands": "Команды",
        "default: {default}": "по умолчанию: {default}",
        "required": "обязателен",
        "Show this message and exit.": "Показать эту справку и выйти.",
        "Show the version and exit.": "Показать версию и выйти.",
        "Error: {message}": "Ошибка: {message}",
        "Try '{command} {option}' for help.": "Справка: {command} {option}",
        "Aborted!": "Прервано.",
        "Missing command.": "Не указана команда.",
        "Missing argument": "Не указан аргумент",
        "Missing option": "Не указан параметр",
        "Missing parameter": "Не указан параметр",
        "No such option {name!r}.": "Параметра {name!r} нет.",
        "No such command {name!r}.": "Команды {name!r} нет.",
        "Invalid value: {message}": "Недопустимое значение: {message}",
        "Invalid value for {param_hint}: {message}": "Недопустимое значение для {param_hint}: {message}",
        "Could not open file {filename!r}: {message}": "Не удалось открыть файл {filename!r}: {message}",
        "Option {name!r} does not take a value.": "Параметр {name!r} значения не принимает.",
        "Argument {name!r} takes {nargs} values.": "Аргументу {name!r} нужно значений: {nargs}.",
        "Choose from:\n\t{choices}": "Возможны:\n\t{choices}",
        "{value} is not in the range {range}.": "{value} вне пределов {range}.",
        "{value!r} is not a valid boolean. Recognized values: {states}": "{value!r} — не «да» и не «нет»: {states}",
        "{value!r} is not a valid {number_type}.": "{value!r} — не число.",
        "{name} {filename!r} is a file.": "{filename!r} — это файл.",
        "{name} {filename!r} is a directory.": "{filename!r} — это папка.",
        "{name} {filename!r} is not readable.": "{filename!r}: нет прав на чтение.",
        "{name} {filename!r} is not writable.": "{filename!r}: нет прав на запись.",
        "{name} {filename!r} does not exist.": "{filename!r}: такого файла или папки нет.",
        "Repeat for confirmation": "Ещё раз",
        "Error: invalid input": "Ошибка: недопустимый ввод",
        # argparse
        "usage: ": "вызов: ",
        "options": "параметры",
        "positional arguments": "аргументы",
        "show this help message and exit": "показать эту справку и выйти",
        "%(prog)s: error: %(message)s\n": "%(prog)s: ошибка: %(message)s\n",
        "argument %(argument_name)s: %(message)s": "аргумент %(argument_name)s: %(message)s",
        "unrecognized arguments: %s": "неизвестные аргументы: %s",
        "invalid choice: %(value)r (choose from %(choices)s)": "значения %(value)r нет; возможны: %(choices)s",
        "invalid %(type)s value: %(value)r": "недопустимое значение: %(value)r",
        "expected one argument": "нужно одно значение",
        "expected at most one argument": "нужно не больше одного значения",
        "expected at least one argument": "нужно хотя бы одно значение",
        "the following arguments are required: %s": "не указаны: %s",
        "not allowed with argument %s": "вместе с %s не указывают",
        "ignored explicit argument %r": "значение %r здесь лишнее",
        "can't open '%(filename)s': %(error)s": "не удалось открыть '%(filename)s': %(error)s",
    }
)
_COUNTED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "Got unexpected extra argument ({args})": ("Лишний аргумент: {args}", "Лишние аргументы: {args}"),
        "Takes {nargs} values but 1 was given.": ("Нужно значений: {nargs}, дано 1.", "Нужно {nargs}, дано {len}."),
        "Did you mean {possibility}?": ("Возможно, {possibility}?", "(Возможно, одно из: {possibilities})"),
        "Option {name!r} requires an argument.": (
            "Параметру {name!r} нужно значение.",
            "Параметру {name!r} нужно значений: {nargs}.",
        ),
        "{value!r} is not {choice}.": ("{value!r} — не {choice}.", "Значения {value!r} нет; возможны: {choices}."),
        "{value!r} does not match the format {format}.": (
            "{value!r} не соответствует виду {format}.",
            "{value!r} не соответствует ни одному из видов {formats}.",
        ),
        "{len_type} values are required, but {len_value} was given.": (
            "Нужно значений: {len_type}, дано {len_value}.",
            "Нужно значений: {len_type}, дано {len_value}.",
        ),
        "expected %s argument": ("нужно значений: %s", "нужно значений: %s"),
    }
)
"""For one, and for any other number, by the English sentence for one."""


def language() -> str:
    """Return the language of the present call; English by default."""
    return _SPOKEN.get()


def say(english: str, russian: str) -> str:
    """Return the sentence in the language of the present call."""
    return russian if language() == RU else english


def number(value: float, digits: int) -> str:
    """Write a number with so many decimals in the language of the present call."""
    text = fixed(value, digits)
    return say(text, text.replace(".", ","))


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
    for name in _SPEAKERS:
        module = vars(sys.modules[name]) if name in sys.modules else {}
        for word, own in (("_", _said), ("ngettext", _said_counted)):
            if word in module:
                module[word] = own
    before = _SPOKEN.set(chosen)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def _said(message: str) -> str:
    return _RUSSIAN.get(message, message) if language() == RU else gettext.gettext(message)


def _said_counted(one: str, more: str, count: int) -> str:
    if language() != RU:
        return gettext.ngettext(one, more, count)
    return _COUNTED.get(one, (one, more))[count != 1]


_UNLIMITED: Final = 100_000
_LINES: Final = 25


def escape_unshowable() -> None:
    """Let characters that a terminal or a pipe cannot take (cp1251, cp866, ASCII) be escaped instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def columns() -> int:
    """Return the number of columns to print in: the terminal's, or ``COLUMNS``; unlimited for a file or a pipe.

    Tables cut nothing for a width that nobody sees: ids and hashes are there to be copied.
    """
    return shutil.get_terminal_size((_UNLIMITED, _LINES)).columns
