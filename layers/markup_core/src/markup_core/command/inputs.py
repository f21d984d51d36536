"""The inputs of commands and operations, and the refusals of those that cannot be used, in Russian and English.

Files and folders of markups are ``ID.json`` beside ``ID_exp01.json``, ``ID_exp02.json`` … (markup-scoring §8). The
faults inside a markup or its JSON are the library's own messages.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self
from unicodedata import normalize

from markup_core.texts import Text, at, first_of, in_language, tr

if TYPE_CHECKING:
    from pathlib import Path

    from markup_core.notation import NotationError
    from markup_core.reading.classifier import Classifier
    from markup_core.reading.wire import Limits

_SYSTEM: Final[Mapping[int, str]] = MappingProxyType(
    {
        errno.EEXIST: "такой файл уже есть",
        errno.ENOENT: "нет такого файла или папки",
        errno.EISDIR: "это папка, а не файл",
        errno.ENOTDIR: "это не папка",
        errno.EACCES: "нет прав доступа",
        errno.EPERM: "нет прав доступа",
        errno.EROFS: "сюда нельзя писать",
        errno.ENOSPC: "на диске нет места",
        errno.ENAMETOOLONG: "имя слишком длинное",
        errno.ELOOP: "ссылки ведут по кругу",
        errno.EIO: "устройство отказало",
        errno.EMFILE: "открыто слишком много файлов",
        errno.EINVAL: "так файл не открыть",
        errno.ECONNREFUSED: "в соединении отказано, по этому адресу ничего не работает",
    }
)
"""Russian texts of the frequent errors of the system, by their codes; any other error is named by its number."""


def of_notation(error: NotationError) -> Text:
    """Word an error of the notation and its place."""
    place = tr("line {line}, column {column}: {message}", line=error.line, column=error.column, message=error.message)
    excerpt = f"\n{error.excerpt}" if error.excerpt else ""
    return Text(f"{place}{excerpt}", f"{place.ru}{excerpt}")


def of_system(error: OSError) -> Text:
    """Word the system's refusal of a file or folder; in Russian as far as `_SYSTEM` has it, else by its number."""
    english = (error.strerror or str(error)).lower()
    number = f"отказ системы, errno {error.errno}" if error.errno else english
    return Text(english, _SYSTEM.get(error.errno or 0, number))


class RefusedError(ValueError):
    """A request that cannot be answered: a stable code, a sentence, and details for programs.

    ``message`` and those of ``details`` are English and carry their Russian (:mod:`markup_core.texts`).
    """

    def __init__(self, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def to_dict(self) -> dict[str, Any]:
        """Return the refusal as JSON."""
        return {"code": self.code, "message": self.message, "details": self.details}

    def text(self, language: str) -> str:
        """Return the sentence in a language."""
        return in_language(self.message, language)


def bad_field(field: str, message: str) -> RefusedError:
    """Refuse a field of a request."""
    return RefusedError("invalid_request", message, {"field": field})


def unexpected(field: str, allowed: Text, value: Any) -> RefusedError:
    """Refuse a field's value, naming the values that are allowed."""
    from markup_core.reading.wire import short

    return bad_field(
        field, tr("{field} must be {allowed}, not {value}", field=field, allowed=allowed, value=short(value))
    )


def invalid(faults: list[dict[str, Any]]) -> RefusedError:
    """Refuse invalid markups with every fault."""
    message = first_of([at(fault["input"], fault["message"]) for fault in faults], 1)
    return RefusedError("invalid_markup", message, faults)


# Commands show their help, and complain, without what reads files.

NOTATION: Final = ".txt"
_EXPERT: Final = re.compile(r"(?P<essay>.+)_exp(?P<number>[0-9]+)")
_LARGE_BYTES: Final = 256 * 1024 * 1024
"""Most bytes of a record or classifier, which is no markup: a record of a large sample takes tens of megabytes."""


class UnreadableError(Exception):
    """A file or folder that cannot be read in the expected form; the text names it and the place in it.

    ``text`` returns it in a language.
    """

    @classmethod
    def about(cls, path: Path, why: str) -> Self:
        """Return the error of a file or folder."""
        return cls(at(str(path), why))

    def text(self, language: str) -> str:
        """Return the text in a language of the command."""
        return in_language(self.args[0], language)


class UnreadableFileError(UnreadableError, OSError):
    """A file that the system does not give: there is none, or it may not be read."""

    def __str__(self) -> str:
        """Return the message alone: it holds the system's number and the name of the file."""
        return str(self.args[0])


class EssayFiles(NamedTuple):
    """Files of one essay: the algorithm's markup (None: there is none) and the experts', by their numbers."""

    essay: str
    algorithm: Path | None
    experts: tuple[Path, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the experts' numbers, in the order of their files."""
        matches = (_EXPERT.fullmatch(path.stem) for path in self.experts)
        return tuple(int(match["number"]) for match in matches if match is not None)


def read_bytes(path: Path) -> bytes:
    """Read the content of a file; raises UnreadableError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFileError.about(path, of_system(error)) from error


def read_json(path: Path, limits: Limits | None = None) -> Any:
    """Read a JSON file, by default one that is no markup; raises UnreadableError."""
    from markup_core.reading.wire import Limits, MalformedInput, decode

    try:
        return decode(read_bytes(path), limits or Limits(max_bytes=_LARGE_BYTES, max_depth=80))
    except MalformedInput as error:
        _refuse_foreign(path, read_bytes(path).decode("utf-8", "replace"))
        raise UnreadableError.about(path, error.text) from None


def read_text(path: Path) -> str:
    """Read a UTF-8 file, its line ends untouched; raises UnreadableError."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(
            tr("{file}: the byte at offset {offset} is not UTF-8; save it as UTF-8", file=path, offset=error.start)
        ) from None


# Clause: R 2.22
def read_markup(path: Path) -> Any:
    """Read the JSON value of a markup's file; the suffix .txt stands for the notation. Raises UnreadableError."""
    if path.suffix.lower() == NOTATION:
        return read_notation(path)
    from markup_core.reading.wire import DEFAULT_LIMITS

    value = read_json(path, DEFAULT_LIMITS)
    if not isinstance(value, dict) or "selections" not in value:
        _refuse_foreign(path, value)
    return value


def read_notation(path: Path) -> Any:
    """Read the JSON value of a markup in the notation, whatever its suffix. Raises UnreadableError."""
    from markup_core.notation import NotationError, parse
    from markup_core.reading.wire import dump

    text = read_text(path)
    try:
        return dump(parse(text))
    except NotationError as error:
        _refuse_foreign(path, text)
        raise UnreadableError.about(path, of_notation(error)) from None


def _refuse_foreign(path: Path, content: Any) -> None:
    """Refuse a text or JSON value of another tool by the tool's name; accept any other."""
    from markup_core.reading.validation import (  # seldom needed, and loads the readers
        described,
        foreign_text,
        foreign_value,
    )

    foreign_format = foreign_text(content) if isinstance(content, str) else foreign_value(content)
    if foreign_format is not None:
        raise UnreadableError.about(path, described(foreign_format)) from None


def read_classifier(path: Path | None) -> Classifier | None:
    """Read an organizer's classifier; None stands for the contest's own. Raises UnreadableError."""
    if path is None:
        return None
    from markup_core.reading.classifier import Classifier, ClassifierError

    try:
        return Classifier.from_dict(read_json(path))
    except ClassifierError as error:
        problems = first_of(list(error.problems), len(error.problems))
        raise UnreadableError(
            tr("{file}: the classifier cannot be used: {problems}", file=path, problems=problems)
        ) from None


def find_essays(folder: Path, answers: Path | None = None) -> tuple[EssayFiles, ...]:
    """Return the essays of a folder in the order of their names; ``answers`` is another folder for the ``ID.json``.

    Only .json files count, their names compared in NFC: macOS writes й as two characters. An essay without ``ID.json``
    has no algorithm's markup; where ``answers`` is given, the folder's own ``ID.json`` tells only that the essay
    exists. Raises UnreadableError for a folder without essays.
    """
    own = _json_files(folder)
    essays: dict[str, dict[int, list[Path]]] = {}
    for name, path in own.items():
        match = _EXPERT.fullmatch(name)
        experts = essays.setdefault(match["essay"] if match else name, {})
        if match:
            experts.setdefault(int(match["number"]), []).append(path)
    algorithms = own if answers is None else _json_files(answers)
    if not essays:
        raise UnreadableError(tr("{folder}: there is no file ID.json or ID_exp01.json", folder=folder))
    strangers = sorted(algorithms.keys() - own.keys() - essays.keys())
    if strangers:
        raise UnreadableError(
            tr("{file}: there is no such essay in {folder}", file=algorithms[strangers[0]], folder=folder)
        )
    return tuple(
        EssayFiles(essay, algorithms.get(essay), tuple(path for number in sorted(experts) for path in experts[number]))
        for essay, experts in sorted(essays.items())
    )


def _json_files(folder: Path) -> Mapping[str, Path]:
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.suffix == ".json" and path.is_file()]
    except OSError as error:
        raise UnreadableFileError.about(folder, of_system(error)) from error
    files: dict[str, Path] = {}
    for path in paths:
        if files.setdefault(normalize("NFC", path.stem), path) is not path:
            raise UnreadableError(
                tr(
                    "{file}: two files have this name, their accented letters encoded in two ways; rename one of them",
                    file=path,
                )
            )
    return files
