"""Sentences in the platform's two languages: English stands in the code, Russian in the package's ``ru.po``.

``tr("{file} is empty", file=name)`` is the English sentence, a `str` that carries the Russian one: programs, logs and
JSON read it as it is, :func:`in_language` returns either. ``say(…)`` is the sentence in the language of the present
call. A sentence that needs different Russian in different places has a context: ``tr_in("table", "open")``.

The catalogues are gettext's: ``python -m tools.texts`` collects the sentences of each package into its ``ru.po`` and
compiles ``ru.mo``, which the package reads.

A command speaks the language of its caller: its own sentences, and those of click and argparse. Both libraries take
their sentences from ``gettext``, whose catalogues are files found by the environment's language. A command chooses its
language by an option, and a child process must not inherit it; so :func:`speaking` puts a function of ours in the place
of ``gettext`` in these modules, which asks the language of the present call and knows the few sentences that people
meet.
"""

from __future__ import annotations

import errno
import gettext
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Final, Self

EN: Final = "en"
RU: Final = "ru"
LANGUAGES: Final = (EN, RU)
LANGUAGE: Final[ContextVar[str]] = ContextVar("language of the present call", default=EN)


class Text(str):
    """An English sentence with the Russian one; ``ru`` says the same, with the same figures and places."""

    __slots__ = ("ru",)

    ru: str

    def __new__(cls, en: str, ru: str) -> Self:
        """Return the English string with its Russian."""
        text = super().__new__(cls, en)
        text.ru = ru
        return text

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Return both sentences as the arguments that create a copy."""
        return self.en, self.ru

    @property
    def en(self) -> str:
        """Return the English sentence alone."""
        return str(self)

    def as_fields(self, name: str = "message") -> dict[str, str]:
        """Return both sentences as fields of JSON: ``message`` and ``message_ru``."""
        return {name: self.en, f"{name}_ru": self.ru}


def language() -> str:
    """Return the language of the present call; English unless one was chosen."""
    return LANGUAGE.get()


def in_language(message: str, chosen: str) -> str:
    """Return a sentence in a language; one without Russian stays as it is."""
    return message.ru if chosen == RU and isinstance(message, Text) else str(message)


def localized(message: str) -> str:
    """Return a sentence in the language of the present call."""
    return in_language(message, language())


def at(place: str, message: str) -> Text:
    """Return a sentence behind the name of its subject."""
    return Text(f"{place}: {message}", f"{in_language(place, RU)}: {in_language(message, RU)}")


class Catalogue:
    """The sentences of one package; the Russian is read, when first needed, from the ``ru.mo`` beside its ``texts``."""

    def __init__(self, module: str) -> None:
        self._file = os.path.join(os.path.dirname(module), "ru.mo")  # noqa: PTH118, PTH120 - pathlib loads slowly

    @cached_property
    def _russian(self) -> gettext.GNUTranslations:
        with open(self._file, "rb") as file:  # noqa: PTH123 - as above
            return gettext.GNUTranslations(file)

    def tr(self, message: str, /, **values: Any) -> Text:
        """Return a sentence in both languages, its fields filled; a value that is a :class:`Text` in each language."""
        return _filled(message, self._russian.gettext(message), values)

    def tr_in(self, context: str, message: str, /, **values: Any) -> Text:
        """Return a sentence by its context, for English that has different Russian in different places."""
        return _filled(message, self._russian.pgettext(context, message), values)

    def word(self, context: str, english: str) -> Text:
        """Look up a word that no call names (a code, a heading, a help text); without Russian it stays English."""
        return Text(english, self._russian.pgettext(context, english))

    def say(self, message: str, /, **values: Any) -> str:
        """Return a sentence in the language of the present call."""
        return localized(self.tr(message, **values))


def _filled(english: str, russian: str, values: dict[str, Any]) -> Text:
    """Fill the fields of both sentences; braces of sentences without values stay as they are."""
    return filled(Text(english, russian), **values) if values else Text(english, russian)


def filled(sentence: Text, /, **values: Any) -> Text:
    """Fill the fields of both languages; a value that is a :class:`Text` in each language."""
    in_russian = {name: value.ru if isinstance(value, Text) else value for name, value in values.items()}
    return Text(sentence.en.format(**values), sentence.ru.format(**in_russian))


_CATALOGUE: Final = Catalogue(__file__)
tr, tr_in, word = _CATALOGUE.tr, _CATALOGUE.tr_in, _CATALOGUE.word


def first_of(messages: Sequence[str], most: int) -> Text:
    """Return the first messages of a list in one line, and how many more there are."""
    listed = Text(*("; ".join(in_language(message, chosen) for message in messages[:most]) for chosen in LANGUAGES))
    more = len(messages) - most
    return tr("{messages} (and {count} more)", messages=listed, count=more) if more > 0 else listed


OPTION: Final = "--lang"
_SPEAKERS: Final = (
    "argparse",
    *(f"click.{name}" for name in ("core", "decorators", "exceptions", "formatting", "parser", "termui", "types")),
)


def number(value: float, digits: int) -> str:
    """Write a number with so many decimals in the language of the present call."""
    from markup_core.rounding import fixed  # few sentences have decimals

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


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def prepare_streams() -> None:
    """Open closed streams on the null device; escape characters that a terminal or pipe cannot take (cp1251, ASCII)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def lost_output(error: OSError) -> Text:
    """Return the sentence about standard output that takes nothing more (a full disk); raise any other error again."""
    if error.filename is not None or error.errno not in _FULL:
        raise error
    drop_output()
    return tr("the output cannot be written: {why}", why=error.strerror)


def drop_output() -> None:
    """Send what standard output still holds to the null device: at exit it would fail once more, with a message."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
