"""A set in the contest's own files: XML by the names of D 9.5, and ``references.csv`` (tracks-sessions D-0).

A file is ``AIDoc_NOSOLOGY_NO_VERSION.xml``, or ``AIDoc_NOSOLOGY_NO_v32L_2L_CODE.xml`` for a study: v32I instrumental,
v32L laboratory, then its number in the epicrisis and the code of its service. The nosology is one of the track's names
or a word of the parameter ``file_names``. All files of a nosology and a number are one item, ``NOSOLOGY-NO``; which
stage the set is of follows from the versions there are.

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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Final

from markup_core.lazy import dataclass
from markup_core.reading.wire import short, writable
from tracks.capabilities import Unpacked
from tracks.diagnosis.answers import SECONDARY
from tracks.diagnosis.classifier import NAMES, base_part
from tracks.diagnosis.items import RETURNED, UnsafeError, read_epicrisis
from tracks.diagnosis.stages import BY_SET, VERSIONS, DiagnosisParameters, stage_of
from tracks.fields import Unpacking
from tracks.protocol import Json
from tracks.texts import tr

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
        message = tr("not UTF-8 at byte {start}", start=error.start)
        unpacking.refuse("not_utf8", message, NAME)
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
                more = "".join(fields[len(columns) :])
                if len(fields) > len(columns):  # what stands behind the last column, blanks too
                    named[""] = more
                _add_row(unpacking, rows, Row(lines.line_num, named), nosology_of)
    except csv.Error as error:
        message = tr("not CSV: {error}", error=error)
        unpacking.refuse("malformed_csv", message, NAME, {"line": lines.line_num})
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
        message = tr("more fields than columns")
        unpacking.refuse("too_many_fields", message, NAME, place)
    if not _NUMBER.fullmatch(number):
        message = tr("no must be a whole number, not {number}", number=short(number))
        unpacking.refuse("wrong_number", message, NAME, place)
        return
    nosology = nosology_of(word) if word else None
    if word and nosology is None:
        message = tr("there is no nosology {word}", word=short(word))
        unpacking.refuse("unknown_nosology", message, NAME, place)
        return
    key = nosology, int(number)
    if key in rows:
        first = rows[key].line
        message = tr("line {first} is of this epicrisis already", first=first)
        unpacking.refuse("repeated_line", message, NAME, place)
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
            code_text = writable(code)
            message = tr("{name}: {code_text} is no code of ICD-10", name=name, code_text=code_text)
            unpacking.refuse("wrong_code", message, NAME, {"line": row.line, "field": name})
        yield code


XML: Final = ".xml"
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
    names = sorted(name for name in files if name.endswith(XML))
    listed = NAME in files

    def nosology_of(word: str) -> str | None:
        return rules.file_names.get(word, word if word in NAMES else None)

    epicrises: dict[_Key, _Epicrisis] = {}
    for name in names:
        _add(unpacking, epicrises, name, nosology_of)
    stages = _stages(unpacking, epicrises, rules)
    if names and not listed:
        message = tr("there is no such file beside the epicrises")
        unpacking.refuse("missing_file", message, NAME)
    elif listed:
        rows = read_references(unpacking, unpacking.take(NAME), nosology_of)
        for key, row in _paired(unpacking, epicrises, rows).items():
            stage, epicrisis = stages[key], epicrises[key]
            if stage is not None:
                reference = reference_of(unpacking, row, stage)
                item = epicrisis.item(rules.language)
                unpacking.item(item["id"], item, {1: reference}, epicrisis.file)
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
            message = tr("no query of the contest returns {code}", code=code)
            unpacking.refuse("unknown_study", message, name)
    if is_repeated:
        message = tr("the epicrisis has {place} already", place=place)
        unpacking.refuse("repeated_file", message, name)


def _text(unpacking: Unpacking, name: str, body: bytes) -> str:
    """Return the XML of a file as it will be handed out; refuse it if it cannot be read safely."""
    try:
        text = body.decode("utf-8-sig")
        read_epicrisis(text)
    except UnicodeDecodeError as error:
        message = tr("not UTF-8 at byte {start}", start=error.start)
        unpacking.refuse("not_utf8", message, name)
    except UnsafeError as error:
        place = {"line": error.line} if error.line else {}
        unpacking.refuse(error.code, error.message, name, place)
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
            message = tr("no line of {name} is of it", name=NAME)
            unpacking.refuse("no_reference", message, epicrisis.file)
            continue
        if row_key[0] is None and shared[key[1]] > 1 and row_key not in used:
            message = tr(
                "epicrises of several nosologies have the number {key}: the column nosology is needed", key=key[1]
            )
            unpacking.refuse("ambiguous_number", message, NAME, {"line": rows[row_key].line})
        used.add(row_key)
        paired[key] = rows[row_key]
    for lost in (key for key in rows if key not in used):
        message = tr("there is no epicrisis {lost}", lost=lost[1])
        unpacking.refuse("no_item", message, NAME, {"line": rows[lost].line})
    return paired
