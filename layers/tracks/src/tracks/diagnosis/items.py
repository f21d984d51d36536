"""Items and references of the track, checked at import: epicrises in versions, and facts about the patient.

An item is ``{"id", "nosology", "versions": {"v3": xml, "v2": xml}}`` with the versions of its stage (D 8.7, 9.4) and,
in the final, ``"studies": [{"service": code, "xml": xml}]`` (v32); ``language`` may be given. A reference is
``{"code": ICD-10}`` in the selection stage, and ``{"ill": true or false, "complications": [codes],
"comorbidities": [codes]}`` later, the lists being optional.

The few facts that the contest needs of an epicrisis' XML are read safely (D-App1а 3, D 9.4). Any document type
declaration is refused, and with it every entity, internal, external or recursive. The file is read as a stream: no tree
is built, whatever it holds.

Codes of :class:`UnsafeError`: ``too_big``, ``not_xml``, ``declares_entities``, ``too_deep``, ``too_many_elements``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final
from xml.etree import ElementTree

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]  # the package ships no types
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped]  # the same

from markup_core.comparable import written_otherwise
from markup_core.lazy import dataclass
from markup_core.reading.wire import short
from markup_core.texts import Text, at
from tracks.diagnosis.answers import SECONDARY
from tracks.diagnosis.classifier import NAMES, SERVICES, base_part, intended
from tracks.diagnosis.stages import BY_SET, VERSIONS, DiagnosisParameters, stage_of
from tracks.fields import reason
from tracks.protocol import ItemFacts, Json, Reason
from tracks.texts import tr

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
    """XML that is not read: a stable code, a sentence, and the line where there is one (from 1, else 0)."""

    def __init__(self, code: str, message: Text, line: int = 0) -> None:
        self.placed = tr("line {line}: {problem}", line=line, problem=message) if line else message
        super().__init__(self.placed)
        self.code = code
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """A study of an epicrisis: its identifier in the file (None: none), its code and its title there."""

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


# Clause: D 6.4, tracks §1 XML
def read_epicrisis(source: bytes | str) -> Epicrisis:
    """Read an epicrisis; raises :class:`UnsafeError` and nothing else. Linear in the size, memory for the facts alone.

    A study is a ``code`` of one of :data:`DIRECTORIES` below an ``entry``; its identifier is the ``id`` beside it.
    A code with the same identifier in the same directory is one study, one without an identifier always another.
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
        message = tr("this is no XML: {problem}", problem=Text(problem, _PROBLEMS.get(problem, _ELSE)))
        raise UnsafeError("not_xml", message, error.position[0]) from None
    except DefusedXmlException:
        message = tr("the file declares a document type or entities; an epicrisis has none")
        raise UnsafeError("declares_entities", message) from None
    except UnsafeError:
        raise
    except (LookupError, ValueError):  # an encoding that is unknown or is not what the bytes are in
        message = tr("this is no XML: its encoding is unknown or not the one that it names")
        raise UnsafeError("not_xml", message) from None
    return reader.epicrisis()


def too_big(size: int) -> UnsafeError:
    """Return the refusal of a file of so many bytes."""
    message = tr("the file takes {size} bytes, at most {max_bytes} are read", size=size, max_bytes=MAX_BYTES)
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
    codes: list[tuple[_Frame, Mapping[str, str]]] = field(default_factory=list)
    diagnoses: dict[str, None] = field(default_factory=dict)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Handle an element's start."""
        name = tag.rpartition("}")[2]
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            message = tr("the file has more than {max_elements} elements", max_elements=MAX_ELEMENTS)
            raise UnsafeError("too_many_elements", message)
        if len(self.open) >= MAX_DEPTH:
            message = tr("elements are nested deeper than {max_depth} levels", max_depth=MAX_DEPTH)
            raise UnsafeError("too_deep", message)
        if not self.open:
            self.root = name
        elif name == "id" and self.open[-1].ident is None:
            parts = [attributes[name] for name in ("root", "extension") if attributes.get(name)]
            self.open[-1].ident = "/".join(parts) or None
        self._keep(attributes)
        self.open.append(_Frame(name))
        self.entries += name == "entry"

    def end(self, _tag: str) -> None:
        """Handle an element's end."""
        self.entries -= self.open.pop().name == "entry"

    def close(self) -> None:
        """Handle the file's end."""

    def epicrisis(self) -> Epicrisis:
        """Return the facts; identifiers are complete only now, since an ``id`` may follow its ``code``."""
        studies: dict[Any, StudyEntry] = {}
        for frame, attributes in self.codes:
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
            self.codes.append((self.open[-1], attributes))


RETURNED: Final = frozenset(service for services in SERVICES.values() for service in services)
"""Service codes that a query brings."""


def read_item(raw: Json, rules: DiagnosisParameters) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an epicrisis; None exactly when there are reasons."""
    if not isinstance(raw, dict):
        return None, (reason("not_an_object", "", tr("an epicrisis is an object")),)
    reasons = tuple(_item_faults(raw, rules))
    if reasons:
        return None, reasons
    return ItemFacts(raw["id"], raw.get("language", rules.language), raw["nosology"]), ()


def read_reference(raw: Json, stage: str) -> tuple[Reason, ...]:
    """Check the reference of a patient."""
    if not isinstance(raw, dict):
        return (reason("not_an_object", "", tr("a reference is an object")),)
    if stage != "selection":
        return tuple(_patient_faults(raw))
    if not isinstance(raw.get("code"), str) or not raw["code"]:
        return (reason("missing_code", "code", tr("the reference needs the ICD-10 code")),)
    return tuple(_lookalikes("code", [raw["code"]]))


# Clause: D 9.5
def hand_out(item: Json, file_id: str, step: str) -> Json:
    """Return one version's XML under an opaque name: neither the nosology nor another version (D 9.5)."""
    version = step if step in item["versions"] else VERSIONS["final"][0]
    return {"id": file_id, "version": version, "xml": item["versions"][version]}


def services(item: Mapping[str, Any]) -> list[str]:
    """Return the service codes of a final item's studies, in their order."""
    return [study["service"] for study in item.get("studies", ())]


def _item_faults(raw: Mapping[str, Any], rules: DiagnosisParameters) -> Iterator[Reason]:
    if not isinstance(raw.get("id"), str) or not raw["id"].strip():
        yield reason("missing_id", "id", tr("the epicrisis has no id"))
    if raw.get("nosology") not in NAMES:
        names = ", ".join(NAMES)
        yield reason("unknown_nosology", "nosology", tr("nosology must be one of {names}", names=names))
    if not isinstance(raw.get("language", rules.language), str):
        yield reason("wrong_type", "language", tr("language must be a string"))
    versions = raw.get("versions")
    stage = rules.stage if rules.stage != BY_SET else stage_of(versions if isinstance(versions, dict) else ())
    yield from _version_faults(versions, stage)
    studies = raw.get("studies", [])
    if not isinstance(studies, list):
        yield reason("wrong_type", "studies", tr("studies must be a list"))
    elif studies and stage != "final":
        message = tr("only the final's epicrises have studies of their own")
        yield reason("unknown_field", "studies", message)
    else:
        for place, study in enumerate(studies):
            yield from _study_faults(f"studies[{place}]", study)


# Clause: D 8.7, D 9.4
def _version_faults(versions: Json, stage: str | None) -> Iterator[Reason]:
    """Yield the faults of an item's versions; ``stage`` is None if its versions are no stage's."""
    if stage is None:
        choices = " | ".join(" + ".join(names) for names in VERSIONS.values())
        message = tr("the versions of an epicrisis are those of one stage: {choices}", choices=choices)
        yield reason("wrong_versions", "versions", message)
        return
    expected = VERSIONS[stage]
    if not isinstance(versions, dict) or set(versions) != set(expected):
        choices = ", ".join(expected)
        message = tr("the versions of this stage are {choices}, all of them and no other", choices=choices)
        yield reason("wrong_versions", "versions", message)
        return
    for name in expected:
        yield from _xml_faults(f"versions.{name}", versions[name])


def _study_faults(where: str, study: Json) -> Iterator[Reason]:
    if not isinstance(study, dict) or set(study) != {"service", "xml"}:
        message = tr("{where} must be an object of service and xml", where=where)
        yield reason("wrong_type", where, message)
        return
    if not isinstance(study["service"], str) or study["service"] not in RETURNED:
        message = tr(
            "{where}.service: no query of the contest returns {service}", where=where, service=short(study["service"])
        )
        yield reason("unknown_study", f"{where}.service", message)
    yield from _xml_faults(f"{where}.xml", study["xml"])


# Clause: D 6.4
def _xml_faults(field: str, source: Json) -> Iterator[Reason]:
    if not isinstance(source, str):
        message = tr("{field} must be XML as a string", field=field)
        yield reason("wrong_type", field, message)
        return
    try:
        read_epicrisis(source)
    except UnsafeError as error:
        yield reason(error.code, field, at(field, error.placed))


def _patient_faults(raw: Mapping[str, Any]) -> Iterator[Reason]:
    if not isinstance(raw.get("ill"), bool):
        yield reason("wrong_type", "ill", tr("ill must be true or false"))
    for name in SECONDARY:
        listed = raw.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(code, str) and code for code in listed):
            yield reason("wrong_type", name, tr("{name} must be a list of codes", name=name))
        else:
            yield from _lookalikes(name, listed)


def _lookalikes(field: str, codes: Iterable[str]) -> Iterator[Reason]:
    """Refuse codes that no answer could equal: they only look like codes of ICD-10."""
    for code in codes:
        if alike := intended(code):
            how = written_otherwise(base_part(code), alike, case=True)
            message = tr(
                "{field}: {code} looks like {alike} and is another text: {how}",
                field=field,
                code=short(code),
                alike=alike,
                how=how,
            )
            yield reason("wrong_code", field, message)
