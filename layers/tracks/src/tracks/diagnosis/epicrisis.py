"""The few facts the contest needs of an epicrisis' XML, read safely (D-App1а 3, D 9.4).

Any document type declaration is refused, and with it every entity, internal, external or recursive. The file is read
as a stream: no tree is built, whatever it holds.

Codes of :class:`UnsafeError`: ``too_big``, ``not_xml``, ``declares_entities``, ``too_deep``, ``too_many_elements``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final
from xml.etree import ElementTree

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]  # the package ships no types
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped]  # the same

from markup_core.said import Said, told
from tracks.diagnosis.nosologies import base_part

MAX_BYTES: Final = 20 * 1024 * 1024
MAX_DEPTH: Final = 200
MAX_ELEMENTS: Final = 1_000_000
DIRECTORIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "1.2.643.5.1.13.13.11.1471": "instrumental",
        "1.2.643.5.1.13.13.11.1080": "laboratory",
        "1.2.643.5.1.13.13.11.1070": "service",
    }
)
"""Federal directories whose codes name a study: instrumental ones (the one of D's example), laboratory ones, and the
nomenclature of services."""
ICD_10: Final = "1.2.643.5.1.13.13.11.1005"


_PROBLEMS: Final = MappingProxyType(
    {
        "no element found": "нет ни одного элемента или файл обрезан",
        "not well-formed (invalid token)": "недопустимый знак или разметка",
        "mismatched tag": "закрывающий тег не подходит к открывающему",
        "unclosed token": "тег не закрыт",
        "junk after document element": "после корневого элемента стоит лишнее",
        "duplicate attribute": "атрибут повторяется",
        "unbound prefix": "префикс пространства имён не объявлен",
        "undefined entity": "сущность не определена",
        "XML or text declaration not at start of entity": "объявление XML стоит не в начале",
        "unknown encoding": "кодировка неизвестна",
        "encoding specified in XML declaration is incorrect": "в объявлении указана не та кодировка",
        "syntax error": "файл начинается не с разметки",
        "unclosed CDATA section": "раздел CDATA не закрыт",
        "reference to invalid character number": "ссылка на знак, которого в XML быть не может",
        "XML declaration not well-formed": "ошибка в объявлении XML",
        "must not undeclare prefix": "префикс пространства имён нельзя отменять",
    }
)
"""What the parser says of a text without a document type; of what is left it says the place."""
_ELSE: Final = "разобрать его нельзя"


class UnsafeError(ValueError):
    """XML that is not read: a stable code, a sentence, and the line where there is one (from 1, else 0).

    ``russian``: the whole text in Russian.
    """

    def __init__(self, code: str, message: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.russian = f"строка {line}: {told(message, 'ru')}" if line else told(message, "ru")
        self.code = code
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """A study that an epicrisis holds: its identifier in the file (None: none), its code and what the file calls it."""

    ident: str | None
    code: str
    directory: str
    title: str


@dataclass(frozen=True, slots=True)
class Epicrisis:
    """Facts of one file: its root element, its studies in their order, the ICD-10 codes it names, by base part."""

    root: str
    elements: int
    studies: tuple[StudyEntry, ...]
    diagnoses: tuple[str, ...]


def read(source: bytes | str) -> Epicrisis:
    """Read an epicrisis; raises :class:`UnsafeError` and nothing else. Linear in the size, memory for the facts alone.

    A study is a ``code`` of one of :data:`DIRECTORIES` below an ``entry``; its identifier is the ``id`` beside it.
    A code with the same identifier in the same directory is one study, one without an identifier always another.

    Clause: D 6.4, tracks §1 XML
    """
    size = len(source)
    if size > MAX_BYTES:
        raise too_big(size)
    reader = _Reader()
    parser = DefusedXMLParser(target=reader, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(source)
        parser.close()
    except ElementTree.ParseError as error:
        problem = str(error).partition(": line")[0]
        told_ru = _PROBLEMS.get(problem, _ELSE)
        message = Said(f"this is no XML: {problem}", f"это не XML: {told_ru}")
        raise UnsafeError("not_xml", message, error.position[0]) from None
    except DefusedXmlException:
        message = Said(
            "the file declares a document type or entities; an epicrisis has none",
            "в файле объявлен тип документа или сущности; в эпикризе их не бывает",
        )
        raise UnsafeError("declares_entities", message) from None
    except UnsafeError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that is unknown or is not what the bytes are in
        message = Said(f"this is no XML: {error}", "это не XML: кодировка неизвестна или не та, что указана")
        raise UnsafeError("not_xml", message) from None
    return reader.epicrisis()


def too_big(size: int) -> UnsafeError:
    """The refusal of a file of so many bytes."""
    message = Said(
        f"the file takes {size} bytes, at most {MAX_BYTES} are read", f"размер файла {size} байт, допустимо {MAX_BYTES}"
    )
    return UnsafeError("too_big", message)


@dataclass(slots=True)
class _Frame:
    """An open element: its name, and the first ``id`` among its children."""

    name: str
    ident: str | None = None


@dataclass(slots=True)
class _Reader:
    """Target of the parser: hears of every element and keeps the facts."""

    open: list[_Frame] = field(default_factory=list)
    entries: int = 0
    elements: int = 0
    root: str = ""
    found: list[tuple[_Frame, Mapping[str, str]]] = field(default_factory=list)
    diagnoses: dict[str, None] = field(default_factory=dict)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        name = tag.rpartition("}")[2]
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            message = f"the file has more than {MAX_ELEMENTS} elements", f"элементов в файле больше {MAX_ELEMENTS}"
            raise UnsafeError("too_many_elements", Said(*message))
        if len(self.open) >= MAX_DEPTH:
            message = (
                f"elements are nested deeper than {MAX_DEPTH} levels",
                f"глубина вложенности элементов больше {MAX_DEPTH}",
            )
            raise UnsafeError("too_deep", Said(*message))
        if not self.open:
            self.root = name
        elif name == "id" and self.open[-1].ident is None:
            self.open[-1].ident = _ident(attributes)
        self._keep(attributes)
        self.open.append(_Frame(name))
        self.entries += name == "entry"

    def end(self, _tag: str) -> None:
        """An element ends."""
        self.entries -= self.open.pop().name == "entry"

    def close(self) -> None:
        """The file ends."""

    def epicrisis(self) -> Epicrisis:
        """What was found; identifiers are known only now, since an ``id`` may follow its ``code``."""
        studies: dict[Any, StudyEntry] = {}
        for frame, attributes in self.found:
            code, directory = attributes["code"], DIRECTORIES[attributes["codeSystem"]]
            key = (frame.ident, directory, code) if frame.ident is not None else len(studies)
            studies.setdefault(key, StudyEntry(frame.ident, code, directory, attributes.get("displayName", "")))
        return Epicrisis(self.root, self.elements, tuple(studies.values()), tuple(self.diagnoses))

    def _keep(self, attributes: Mapping[str, str]) -> None:
        code, system = attributes.get("code"), attributes.get("codeSystem")
        if not code:
            return
        if system == ICD_10:
            self.diagnoses[base_part(code)] = None
        elif system in DIRECTORIES and self.entries:
            self.found.append((self.open[-1], attributes))


def _ident(attributes: Mapping[str, str]) -> str | None:
    parts = [attributes[name] for name in ("root", "extension") if attributes.get(name)]
    return "/".join(parts) or None
