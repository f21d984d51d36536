"""Reasons why a command or an operation cannot do its work: sentences in Russian and English.

The faults inside a markup or its JSON are not among them: those are the library's own messages.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from markup_core.texts import Text, at, first_of, in_language, tr

if TYPE_CHECKING:
    from markup_core.notation import NotationError

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
