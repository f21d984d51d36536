"""Items and references of the track, checked at import, and a set in the contest's own files.

An item is ``{"id", "nosology", "versions": {"v3": xml, "v2": xml}}`` with the versions of its stage (D 8.7, 9.4) and,
in the final, ``"studies": [{"service": code, "xml": xml}]`` (v32); ``language`` may be given. A reference is
``{"code": ICD-10}`` in the selection stage, and ``{"ill": true or false, "complications": [codes],
"comorbidities": [codes]}`` later, the lists being optional.

The few facts that the contest needs of an epicrisis' XML are read safely (D-App1а 3, D 9.4). Any document type
declaration is refused, and with it every entity, internal, external or recursive. The file is read as a stream: no tree
is built, whatever it holds.

Codes of :class:`UnsafeError`: ``too_big``, ``not_xml``, ``declares_entities``, ``too_deep``, ``too_many_elements``.

A set's own file is XML by the names of D 9.5, ``AIDoc_NOSOLOGY_NO_VERSION.xml``, or for a study
``AIDoc_NOSOLOGY_NO_v32L_2L_CODE.xml``: v32I instrumental, v32L laboratory, then its number in the epicrisis and the
code of its service. The nosology is one of the track's names or a word of the parameter ``file_names``. All files of a
nosology and a number are one item, ``NOSOLOGY-NO``; which stage the set is of follows from the versions there are.

``references.csv`` holds the facts known of the patients of a folder of epicrises (tracks-sessions D-0): a line per
epicrisis under a line of names, with commas or semicolons between. ``no`` is the epicrisis' number; ``nosology`` may
stand beside it, as the files' names have it, and must where two epicrises share a number. Of the semifinal and the
final ``ill`` (1, true, да; 0, false, нет), ``complications`` and ``comorbidities``, ICD-10 codes with blanks or ``|``
between, or whichever of comma and semicolon does not part the fields. Of the selection stage ``code``, the one code
that is right.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final
from xml.etree import ElementTree

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]  # the package ships no types
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped]  # the same

from markup_core.comparable import written_otherwise
from markup_core.lazy import dataclass
from markup_core.reading.wire import short, writable
from markup_core.texts import Text, at
from tracks.base import Unpacking, reason
from tracks.capabilities import Unpacked
from tracks.diagnosis.answers import SECONDARY
from tracks.diagnosis.stages import (
    BY_SET,
    NAMES,
    RETURNED,
    VERSIONS,
    DiagnosisParameters,
    base_part,
    intended,
    stage_of,
)
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
"""Parser errors in a text without a document type, in Russian; any other error is :data:`_ELSE`, with its line."""
_ELSE: Final = "разобрать его нельзя"


class UnsafeError(ValueError):
    """XML that is refused: a stable code, a message, and the line (from 1; 0: none)."""

    def __init__(self, code: str, message: Text, line: int = 0) -> None:
        self.placed = tr("line {line}: {problem}", line=line, problem=message) if line else message
        super().__init__(self.placed)
        self.code, self.message, self.line = code, message, line


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """A study of an epicrisis: its identifier in the file (None: none), its code and its title there."""

    ident: str | None
    code: str
    directory: str
    title: str


@dataclass(frozen=True, slots=True)
class Epicrisis:
    """Facts of one file: its root element, its studies in their order, and the base parts of its ICD-10 codes."""

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
    if len(source) > MAX_BYTES:
        raise too_big(len(source))
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
    """Target of the parser: receives every element and keeps the facts."""

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
            raise UnsafeError("too_deep", tr("elements are nested deeper than {max_depth} levels", max_depth=MAX_DEPTH))
        if not self.open:
            self.root = name
        elif name == "id" and self.open[-1].ident is None:
            parts = [attributes[name] for name in ("root", "extension") if attributes.get(name)]
            self.open[-1].ident = "/".join(parts) or None
        code, system = attributes.get("code"), attributes.get("codeSystem")
        if code and system == ICD_10:
            self.diagnoses[base_part(code)] = None
        elif code and system in DIRECTORIES and self.entries:
            self.codes.append((self.open[-1], attributes))
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
        yield reason("unknown_nosology", "nosology", tr("nosology must be one of {names}", names=", ".join(NAMES)))
    if not isinstance(raw.get("language", rules.language), str):
        yield reason("wrong_type", "language", tr("language must be a string"))
    versions = raw.get("versions")
    stage = rules.stage if rules.stage != BY_SET else stage_of(versions if isinstance(versions, dict) else ())
    yield from _version_faults(versions, stage)
    studies = raw.get("studies", [])
    if not isinstance(studies, list):
        yield reason("wrong_type", "studies", tr("studies must be a list"))
    elif studies and stage != "final":
        yield reason("unknown_field", "studies", tr("only the final's epicrises have studies of their own"))
    else:
        for place, study in enumerate(studies):
            yield from _study_faults(f"studies[{place}]", study)


# Clause: D 8.7, D 9.4
def _version_faults(versions: Json, stage: str | None) -> Iterator[Reason]:
    """Yield the faults of an item's versions; ``stage`` is None if its versions are no stage's."""
    if stage is None:
        choices = " | ".join(" + ".join(names) for names in VERSIONS.values())
        message = tr("the versions of an epicrisis are those of one stage: {choices}", choices=choices)
    elif isinstance(versions, dict) and set(versions) == set(VERSIONS[stage]):
        for name in VERSIONS[stage]:
            yield from _xml_faults(f"versions.{name}", versions[name])
        return
    else:
        choices = ", ".join(VERSIONS[stage])
        message = tr("the versions of this stage are {choices}, all of them and no other", choices=choices)
    yield reason("wrong_versions", "versions", message)


def _study_faults(where: str, study: Json) -> Iterator[Reason]:
    if not isinstance(study, dict) or set(study) != {"service", "xml"}:
        yield reason("wrong_type", where, tr("{where} must be an object of service and xml", where=where))
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
        yield reason("wrong_type", field, tr("{field} must be XML as a string", field=field))
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


NAME: Final = "references.csv"
_COLUMNS: Final = frozenset({"no", "nosology", "ill", "code", *SECONDARY})
_WORDS: Final[Mapping[str, bool]] = {"1": True, "true": True, "да": True, "0": False, "false": False, "нет": False}
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_BETWEEN: Final = re.compile(r"[\s,;|]+")
_CODE: Final = re.compile(r"[A-Z][0-9]{2}")

Key = tuple[str | None, int]
"""An epicrisis: its nosology, None where a line names none, and its number."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line: its number in the file, and its fields by the names of their columns."""

    line: int
    fields: Mapping[str, str]


def read_references(unpacking: Unpacking, body: bytes, nosology_of: Callable[[str], str | None]) -> dict[Key, Row]:
    """Read the lines by their epicrises. Faults of the form go to ``unpacking``."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        unpacking.refuse("not_utf8", tr("not UTF-8 at byte {start}", start=error.start), NAME)
        return {}
    head = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in head else ",", strict=True)
    rows: dict[Key, Row] = {}
    try:
        columns = [column.strip().lower() for column in next(lines, [])]
        if not _has_columns(unpacking, columns):
            return {}
        for fields in lines:
            if any(cell.strip() for cell in fields):
                named = {name: cell.strip() for name, cell in zip(columns, fields, strict=False)}
                if len(fields) > len(columns):  # text behind the last column, even blanks
                    named[""] = "".join(fields[len(columns) :])
                _add_row(unpacking, rows, Row(lines.line_num, named), nosology_of)
    except csv.Error as error:
        unpacking.refuse("malformed_csv", tr("not CSV: {error}", error=error), NAME, {"line": lines.line_num})
    return rows


def _has_columns(unpacking: Unpacking, columns: list[str]) -> bool:
    unknown = sorted({column for column in columns if column not in _COLUMNS})
    twice = len(set(columns)) < len(columns)
    if "no" not in columns or unknown or twice:
        named = ", ".join(sorted(_COLUMNS))
        message = tr(
            "the first line names columns of {named}, no among them, each once, not {columns}",
            named=named,
            columns=short(", ".join(columns)),
        )
        unpacking.refuse("wrong_columns", message, NAME, {"line": 1})
        return False
    return True


def _add_row(unpacking: Unpacking, rows: dict[Key, Row], row: Row, nosology_of: Callable[[str], str | None]) -> None:
    place = {"line": row.line}
    number, word = row.fields.get("no", ""), row.fields.get("nosology", "")
    if "" in row.fields:
        unpacking.refuse("too_many_fields", tr("more fields than columns"), NAME, place)
    if not _NUMBER.fullmatch(number):
        message = tr("no must be a whole number, not {number}", number=short(number))
        unpacking.refuse("wrong_number", message, NAME, place)
        return
    nosology = nosology_of(word) if word else None
    if word and nosology is None:
        unpacking.refuse("unknown_nosology", tr("there is no nosology {word}", word=short(word)), NAME, place)
        return
    key = nosology, int(number)
    if key in rows:
        first = rows[key].line
        unpacking.refuse("repeated_line", tr("line {first} is of this epicrisis already", first=first), NAME, place)
    else:
        rows[key] = row


def reference_of(unpacking: Unpacking, row: Row, stage: str) -> Json:
    """Convert a line to a reference of an item of this stage. Faults go to ``unpacking``."""
    if stage == "selection":
        return {"code": _one_code(unpacking, row)}
    word = row.fields.get("ill", "").lower()
    if word not in _WORDS:
        words = ", ".join(_WORDS)
        message = tr("ill must be one of {words}, not {word}", words=words, word=short(word))
        unpacking.refuse("wrong_ill", message, NAME, {"line": row.line, "field": "ill"})
    lists = {name: list(_codes(unpacking, row, name)) for name in SECONDARY}
    return {"ill": _WORDS.get(word, False), **lists}


def _one_code(unpacking: Unpacking, row: Row) -> str:
    codes = list(_codes(unpacking, row, "code"))
    if len(codes) == 1:
        return codes[0]
    message = tr("the selection stage needs the one right code")
    unpacking.refuse("missing_code", message, NAME, {"line": row.line, "field": "code"})
    return ""


def _codes(unpacking: Unpacking, row: Row, name: str) -> Iterator[str]:
    for code in filter(None, _BETWEEN.split(row.fields.get(name, ""))):
        if not _CODE.fullmatch(base_part(code)):
            message = tr("{name}: {code_text} is no code of ICD-10", name=name, code_text=writable(code))
            unpacking.refuse("wrong_code", message, NAME, {"line": row.line, "field": name})
        yield code


_NAME: Final = re.compile(
    r"AIDoc_(?P<nosology>.+)_(?P<no>[0-9]{1,9})"
    r"_(?:(?P<version>v1|v2|v3|v3F)|v32(?P<kind>[IL])_(?P<study>[0-9]{1,4})(?P=kind)_(?P<code>[A-Z][0-9.]+))\.xml",
    re.DOTALL,
)
_Key = tuple[str, int]
"""An epicrisis: its nosology and its number."""


@dataclass(slots=True)
class _Epicrisis:
    """Files of one epicrisis: versions by their names, studies by number and kind, and the first file's name."""

    nosology: str
    number: int
    file: str
    versions: dict[str, str] = field(default_factory=dict)
    studies: dict[tuple[int, str], Json] = field(default_factory=dict)

    def item(self, language: str) -> Json:
        """Return the epicrisis as an item of the track."""
        listed = {"studies": [self.studies[key] for key in sorted(self.studies)]} if self.studies else {}
        return {
            "id": f"{self.nosology}-{self.number}",
            "nosology": self.nosology,
            "language": language,
            "versions": self.versions,
            **listed,
        }


# Clause: TS D-0, TS T14, D 9.5
def unpack(files: Mapping[str, bytes], rules: DiagnosisParameters) -> Unpacked:
    """Convert a folder of the contest's files: epicrises and their patients' references, all of one stage."""
    unpacking = Unpacking(files)
    names = sorted(name for name in files if name.endswith(".xml"))

    def nosology_of(word: str) -> str | None:
        return rules.file_names.get(word, word if word in NAMES else None)

    epicrises: dict[_Key, _Epicrisis] = {}
    for name in names:
        _add(unpacking, epicrises, name, nosology_of)
    stages = _stages(unpacking, epicrises, rules)
    if NAME in files:
        rows = read_references(unpacking, unpacking.take(NAME), nosology_of)
        for key, row in _paired(unpacking, epicrises, rows).items():
            stage, epicrisis = stages[key], epicrises[key]
            if stage is not None:
                item, reference = epicrisis.item(rules.language), reference_of(unpacking, row, stage)
                unpacking.item(item["id"], item, {1: reference}, epicrisis.file)
    elif names:
        unpacking.refuse("missing_file", tr("there is no such file beside the epicrises"), NAME)
    return unpacking.result()


def _add(
    unpacking: Unpacking, epicrises: dict[_Key, _Epicrisis], name: str, nosology_of: Callable[[str], str | None]
) -> None:
    """Add a file to its epicrisis."""
    body, parts = unpacking.take(name), _NAME.fullmatch(name)
    nosology = nosology_of(parts["nosology"]) if parts else None
    if parts is None or nosology is None:
        message = tr(
            "a file is AIDoc_NOSOLOGY_NO_VERSION.xml, or AIDoc_NOSOLOGY_NO_v32L_2L_CODE.xml; the "
            "nosology is a word of file_names or one of {names}",
            names=", ".join(NAMES),
        )
        unpacking.refuse("wrong_file_name", message, name)
        return
    text = _text(unpacking, name, body)
    key = nosology, int(parts["no"])
    epicrisis = epicrises.setdefault(key, _Epicrisis(*key, name))
    if parts["version"]:
        place, is_repeated = parts["version"], parts["version"] in epicrisis.versions
        epicrisis.versions[parts["version"]] = text
    else:
        study = int(parts["study"]), parts["kind"]
        place, is_repeated = f"{study[0]}{study[1]}", study in epicrisis.studies
        epicrisis.studies[study] = {"service": parts["code"], "xml": text}
        if parts["code"] not in RETURNED:
            code = parts["code"]
            unpacking.refuse("unknown_study", tr("no query of the contest returns {code}", code=code), name)
    if is_repeated:
        unpacking.refuse("repeated_file", tr("the epicrisis has {place} already", place=place), name)


def _text(unpacking: Unpacking, name: str, body: bytes) -> str:
    """Return the XML of a file as it will be handed out; refuse it if it cannot be read safely."""
    try:
        text = body.decode("utf-8-sig")
        read_epicrisis(text)
    except UnicodeDecodeError as error:
        unpacking.refuse("not_utf8", tr("not UTF-8 at byte {start}", start=error.start), name)
    except UnsafeError as error:
        unpacking.refuse(error.code, error.message, name, {"line": error.line} if error.line else {})
    else:
        return text
    return ""


def _stages(
    unpacking: Unpacking, epicrises: Mapping[_Key, _Epicrisis], rules: DiagnosisParameters
) -> dict[_Key, str | None]:
    """Return each epicrisis' stage by its versions; a set has one, the cycle's if the cycle has one."""
    stages: dict[_Key, str | None] = {}
    for key, epicrisis in epicrises.items():
        stage = stage_of(epicrisis.versions)
        if stage is None or (epicrisis.studies and stage != "final"):
            sets = " | ".join(" + ".join(versions) for versions in VERSIONS.values())
            present = ", ".join([*sorted(epicrisis.versions), *(["v32"] if epicrisis.studies else [])])
            message = tr(
                "an epicrisis has the versions of one stage, {sets}, and v32 beside v3F alone; this has {present}",
                sets=sets,
                present=present,
            )
            unpacking.refuse("wrong_versions", message, epicrisis.file)
            stage = None
        stages[key] = stage
    there = sorted({stage for stage in stages.values() if stage is not None})
    expected = rules.stage if rules.stage != BY_SET else there[0] if there else None
    if there and there != [expected]:
        names = ", ".join(there)
        message = tr("a set is of one stage; this has {names}", names=names)
        if rules.stage != BY_SET:
            message = tr("a set is of one stage, here the {expected}; this has {names}", expected=expected, names=names)
        other = next(key for key, stage in stages.items() if stage not in (None, expected))
        unpacking.refuse("wrong_stage", message, epicrises[other].file)
    return stages


def _paired(unpacking: Unpacking, epicrises: Mapping[_Key, _Epicrisis], rows: Mapping[Key, Row]) -> dict[_Key, Row]:
    """Return the line of each epicrisis, whether or not it names the nosology."""
    shared = Counter(number for _, number in epicrises)
    paired: dict[_Key, Row] = {}
    used: set[Key] = set()
    for key, epicrisis in epicrises.items():
        row_key: Key = key if key in rows else (None, key[1])
        if row_key not in rows:
            unpacking.refuse("no_reference", tr("no line of {name} is of it", name=NAME), epicrisis.file)
            continue
        if row_key[0] is None and shared[key[1]] > 1 and row_key not in used:
            message = tr(
                "epicrises of several nosologies have the number {key}: the column nosology is needed", key=key[1]
            )
            unpacking.refuse("ambiguous_number", message, NAME, {"line": rows[row_key].line})
        used.add(row_key)
        paired[key] = rows[row_key]
    for lost in (key for key in rows if key not in used):
        unpacking.refuse("no_item", tr("there is no epicrisis {lost}", lost=lost[1]), NAME, {"line": rows[lost].line})
    return paired
