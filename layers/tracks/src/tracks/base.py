"""Bases of tracks' classes, places on a board, fingerprints, parts of JSON Schemas, and readers of input.

A base answers the methods of :class:`tracks.protocol.Track` that most contests answer alike; a track overrides those in
which its contest is different.

Readers of a request's fields raise :class:`markup_core.command.inputs.RefusedError` with code ``invalid_request``
and details ``{"field": path}``. Absent and null are the same where a default is given; without one a field must be
there. A set's own files give the reasons of a refusal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar, Final, NoReturn

from markup_core.command.inputs import RefusedError
from markup_core.lazy import dataclass
from markup_core.reading.wire import Limits, MalformedInput, decode, short, writable
from markup_core.receipt import canonical_bytes, canonical_json
from markup_core.texts import RU, Text, in_language
from tracks import __version__
from tracks.capabilities import Judged, Unpacked
from tracks.protocol import Json, Outcome, Place, Reason, Schemas, Standing, Step, Track, Turn, Verdict, Written
from tracks.rules import BoardRules, Details, ModeRules, NoticePeriod
from tracks.texts import tr, tr_in

_PORTION: Final = 1 << 20
"""Characters that are hashed at a time."""


class PlainTrack:
    """A track without a notation for people, with totals alone for hidden sets.

    ``version`` is that of the tracks; each other class variable is the return value of a method.
    """

    version = f"tracks {__version__}"
    mode_rules: ClassVar[tuple[ModeRules, ...]]
    board_rules: ClassVar[tuple[BoardRules, ...]]
    forms: ClassVar[Schemas]
    periods: ClassVar[tuple[NoticePeriod, ...]] = ()
    sizes: ClassVar[Mapping[str, int]] = {}

    def modes(self) -> tuple[ModeRules, ...]:
        """Return the kinds of sessions that the contest has."""
        return self.mode_rules

    def boards(self) -> tuple[BoardRules, ...]:
        """Return the contest's boards, its main one first."""
        return self.board_rules

    def schemas(self) -> Schemas:
        """Return JSON Schemas of all that the contest says, and of the answers to it."""
        return self.forms

    def notice_periods(self) -> tuple[NoticePeriod, ...]:
        """Return the contest's notice periods, none where its rules name no days."""
        return self.periods

    def least_sets(self) -> Mapping[str, int]:
        """Return the least sizes of sets by their kinds, none where the rules name none."""
        return self.sizes

    def details(self, set_kind: str) -> Details:
        """Return the details: every file for a training set, totals alone for any other."""
        return Details.FILES if set_kind == "training" else Details.TOTALS

    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        """Return the aggregate as it is, because it names no item."""
        return aggregate

    def rank(self: Track, standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
        """Return the places by the board's value, highest first; undefined ones share the last."""
        return by_value({standing.team: self.value(standing.aggregate, board) for standing in standings})

    def read_text(self, body: bytes, parameters: Json) -> Verdict:
        """Refuse the text: there is no notation."""
        return Verdict((no_notation(),))

    def write_text(self, body: bytes, parameters: Json) -> Written:
        """Refuse to write: there is no notation."""
        return Written(None, (no_notation(),))

    def compare(self, item: Json, x: Json, y: Json, parameters: Json, *, x_is_reference: bool) -> Json:
        """Return nothing: the score record is enough."""
        return None

    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Return nothing: the contest has no barrier."""
        return None


class OneStepTrack(PlainTrack):
    """A track whose items are answered at one step, which is the same in every cycle."""

    step: ClassVar[Step]

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        """Return the one step."""
        return (self.step,)

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        """Return nothing: an answer ends an item."""
        return None


class UnratedTrack:
    """The part of :class:`tracks.capabilities.MarkedByExperts` about ratings, where nothing of an answer is rated."""

    def cards(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return nothing to rate."""
        return None

    def judge_ratings(self, answer: Json, body: bytes, parameters: Json) -> Judged:
        """Refuse any ratings."""
        return Judged((reason("nothing_to_rate", "", tr("nothing of an answer is rated")),))

    def weighs_ratings(self, parameters: Json) -> bool:
        """Return False: scores depend on no ratings."""
        return False

    def is_rated(self, answer: Json, ratings: Json) -> bool:
        """Return True: there is nothing to wait for."""
        return True

    def score_rated(
        self: Track, item: Json, answer: Json, references: Sequence[Json], ratings: Json, parameters: Json
    ) -> Json:
        """Return the score without ratings."""
        return self.score(item, answer, references, parameters)


# Clause: R 2.13, platform §4 boards
def by_value(values: Mapping[str, float | Decimal | None]) -> tuple[Place, ...]:
    """Rank teams by a value of which more is better; None is undefined, behind every defined one."""
    return by_key({team: (True, 0) if value is None else (False, -value) for team, value in values.items()})


def by_key(keys: Mapping[str, tuple[Any, ...]]) -> tuple[Place, ...]:
    """Rank teams by keys, the smallest first: 1 + the number of smaller ones, so equal keys share a place.

    Teams that share a place stand in the order of their names. O(n log n).
    """
    places: list[Place] = []
    for number, team in enumerate(sorted(keys, key=lambda team: (keys[team], team)), start=1):
        shared = places and keys[places[-1].team] == keys[team]
        places.append(Place(team, places[-1].place if shared else number))
    return tuple(places)


LIBRARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "fusion.c2c": ("tree-sitter", "tree-sitter-python"),
    "fusion.vqa": ("pymorphy3", "pymorphy3-dicts-ru"),
    "gec.agreement": ("krippendorff", "numpy"),
}
"""Operations whose results depend on the versions of other distributions, with these distributions."""
_BY_MODE: Final = frozenset({"fusion.vqa"})
"""Operations that use their libraries only where a mode is asked for."""
_ENVELOPE: Final = frozenset({"id", "op"})


def fingerprint(op: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result's fingerprint: versions, and the SHA-256 of every field of the request.

    ``libraries`` are those that this result depends on, none for most.
    A field is hashed in canonical JSON (markup-scoring §8); the order of fields and the request's id do not count.
    """
    return {
        "library": f"tracks {__version__}",
        "libraries": {} if op in _BY_MODE and fields.get("mode") is None else dict(_versions(op)),
        "op": op,
        "inputs": {
            name: _digest(canonical_json(value)) for name, value in sorted(fields.items()) if name not in _ENVELOPE
        },
    }


def _digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8, which is made in portions: requests hold whole files."""
    digest = sha256()
    for begin in range(0, len(text), _PORTION):
        digest.update(text[begin : begin + _PORTION].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@lru_cache
def _versions(op: str) -> tuple[tuple[str, str], ...]:
    if op not in LIBRARIES:
        return ()
    from importlib.metadata import version  # what needs no libraries starts faster

    return tuple((name, version(name)) for name in LIBRARIES[op])


Form = dict[str, Any]
STRING: Final[Form] = {"type": "string"}
WHOLE: Final[Form] = {"type": "integer", "minimum": 0}
FRACTION: Final[Form] = {"type": "number", "minimum": 0, "maximum": 1}
AMOUNT: Final[Form] = {"type": "number", "minimum": 0}
FLAG: Final[Form] = {"type": "boolean"}
SHA256: Final[Form] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
NOTHING: Final[Form] = {"type": "null", "description": "The contest has nothing to say here."}
IN_TWO_LANGUAGES: Final[Form] = {
    "type": "object",
    "properties": {"en": STRING, "ru": STRING},
    "required": ["en", "ru"],
    "additionalProperties": False,
}


def null_or(form: Mapping[str, Any]) -> Form:
    """Build the schema of the form or null."""
    return {"anyOf": [form, {"type": "null"}]}


def ref(name: str) -> Form:
    """Build a reference to one of the track's models by its name (``Schemas.named``)."""
    return {"$ref": f"#/$defs/{name}"}


def either(*names: str) -> Form:
    """Build the schema of one of several of the track's models."""
    return {"anyOf": [ref(name) for name in names]}


def listed(items: Mapping[str, Any], **more: Any) -> Form:
    """Build the schema of a list."""
    return {"type": "array", "items": items, **more}


def mapped(values: Mapping[str, Any], description: str = "") -> Form:
    """Build the schema of an object that maps any names to values."""
    described = {"description": description} if description else {}
    return {"type": "object", "additionalProperties": values, **described}


def closed(description: str, properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> Form:
    """Build the schema of an object with these fields alone; ``optional`` ones may be absent."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def fingerprint_form() -> Form:
    """Build the schema of :func:`tracks.base.fingerprint`'s result."""
    return closed(
        "By what a score can be recognised and recomputed.",
        {"library": STRING, "libraries": mapped(STRING), "op": STRING, "inputs": mapped(SHA256)},
    )


_REQUIRED: Final = object()


def refuse(path: str, problem: Text) -> NoReturn:
    """Refuse a field: ``problem`` completes the sentence that begins with its path, in Russian it follows a colon."""
    raise RefusedError("invalid_request", tr("{path} {problem}", path=path, problem=problem), {"field": path})


def refuse_value(path: str, allowed: Text, value: object) -> NoReturn:
    """Refuse a field whose value is not an allowed one, in Russian in the nominative."""
    refuse(path, tr("must be {allowed}, not {value}", allowed=allowed, value=short(value)))


@dataclass(frozen=True, slots=True)
class Fields:
    """An object of a request; ``where`` is its own path, empty for the request itself."""

    values: Mapping[str, Any]
    where: str = ""

    def path(self, name: str) -> str:
        """Return a field's path as errors name it."""
        return f"{self.where}.{name}" if self.where else name

    def raw(self, name: str, default: Any = _REQUIRED) -> Any:
        """Return the value as it is; null only if the field holds null and no default is given."""
        if name not in self.values:
            if default is _REQUIRED:
                refuse(self.path(name), tr_in("fields", "is missing"))
            return default
        value = self.values[name]
        return default if value is None and default is not _REQUIRED else value

    def text(self, name: str, default: Any = _REQUIRED) -> Any:
        """Read a string."""
        value = self.raw(name, default)
        if not isinstance(value, str) and value is not default:
            self._expected(name, tr("a string"), value)
        return value

    def flag(self, name: str, default: Any = _REQUIRED) -> Any:
        """Read a field that is true or false."""
        value = self.raw(name, default)
        if not isinstance(value, bool) and value is not default:
            self._expected(name, tr("true or false"), value)
        return value

    def whole(self, name: str, default: Any = _REQUIRED, *, low: int | None = None, high: int | None = None) -> Any:
        """Read a whole number from ``low`` to ``high``."""
        value = self.raw(name, default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, int):
            self._expected(name, tr("a whole number"), value)
        self._bounded(name, value, low, high)
        return value

    def number(
        self, name: str, default: Any = _REQUIRED, *, low: float | None = None, high: float | None = None
    ) -> Any:
        """Read a finite number from ``low`` to ``high``, as a float."""
        value = self.raw(name, default)
        if value is default:
            return value
        if not is_number(value):
            self._expected(name, tr("a finite number"), value)
        self._bounded(name, value, low, high)
        return float(value)

    def choice(self, name: str, options: Sequence[str], default: Any = _REQUIRED) -> Any:
        """Read one of the words in ``options``."""
        value = self.raw(name, default)
        if value is not default and value not in options:
            listed = ", ".join(options)
            self._expected(name, tr("one of {listed}", listed=listed), value)
        return value

    def items(self, name: str, default: Any = _REQUIRED) -> Any:
        """Read a list."""
        value = self.raw(name, default)
        if not isinstance(value, list) and value is not default:
            self._expected(name, tr("a list"), value)
        return value

    def mapping(self, name: str, default: Any = _REQUIRED) -> Any:
        """Read an object."""
        value = self.raw(name, default)
        if not isinstance(value, dict) and value is not default:
            self._expected(name, tr("an object"), value)
        return value

    def part(self, name: str) -> Fields:
        """Read an object as further fields."""
        return Fields(self.mapping(name), self.path(name))

    def parts(self, name: str) -> Iterator[Fields]:
        """Read a list of objects, each as further fields."""
        for index, value in enumerate(self.items(name)):
            path = f"{self.path(name)}[{index}]"
            if not isinstance(value, dict):
                refuse_value(path, tr("an object"), value)
            yield Fields(value, path)

    def _expected(self, name: str, allowed: Text, value: Any) -> NoReturn:
        refuse_value(self.path(name), allowed, value)

    def _bounded(self, name: str, value: float, low: float | None, high: float | None) -> None:
        if (low is not None and value < low) or (high is not None and value > high):
            if high is None:
                bounds = tr("at least {low}", low=low)
            elif low is None:
                bounds = tr("at most {high}", high=high)
            else:
                bounds = tr("from {low} to {high}", low=low, high=high)
            refuse(self.path(name), tr("must be {bounds}, not {value}", bounds=bounds, value=short(value)))


def is_number(value: Any) -> bool:
    """Check whether a JSON value is a number that a float can hold: not true, not NaN, not 10 to the 400."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


GIVEN: Final = frozenset({"classifier", "languages"})
"""Fields of a cycle's file that the platform hands to every track besides the track's own parameters."""


def reason(code: str, field: str, problem: str) -> Reason:
    """Return a reason; no ``field`` where the whole value is meant.

    Names from the input are escaped so that any of them can be stored and sent.
    """
    message = Text(_storable(problem), _storable(in_language(problem, RU)))
    return Reason(code, message, {"field": _storable(field)} if field else {})


def _storable(text: str) -> str:
    """Return a text with halves of surrogate pairs escaped, which no store and no answer takes."""
    return text.encode("utf-8", "backslashreplace").decode()


def to_dict(remark: Reason) -> dict[str, Json]:
    """Return a reason as JSON, with both sentences beside each other."""
    return {
        "code": remark.code,
        "message": remark.message.en,
        "message_ru": remark.message.ru,
        "where": dict(remark.where),
    }


def of_json(error: MalformedInput) -> Reason:
    """Return the reason of malformed JSON: one code for programs, the library's code and the place in ``where``."""
    where = {"problem": error.code, "line": error.line, "column": error.column}
    return Reason("malformed_json", error.text, where)


def of_refusal(code: str, error: RefusedError) -> Reason:
    """Return the reason of a refused field; no ``field`` where the whole value is meant."""
    return reason(code, str(error.details["field"] or ""), error.message)


def no_notation() -> Reason:
    """Return the reason of a contest whose answers are for programs alone."""
    return reason("no_notation", "", tr("the contest has no notation for people"))


def of_parameters(raw: Json, names: AbstractSet[str]) -> Iterator[Reason]:
    """Yield a reason if a cycle's parameters are no object, and one for every unknown name; no value is read."""
    if isinstance(raw, Mapping):
        yield from unknown_names(raw, names)
    else:
        yield reason("not_an_object", "parameters", tr("the parameters must be an object"))


def unknown_names(parameters: Mapping[str, Json], names: AbstractSet[str], where: str = "") -> Iterator[Reason]:
    """Yield a reason for every unknown parameter, sorted by name; ``where`` is the path of their object."""
    for name in sorted(str(name) for name in parameters.keys() - names):
        path = writable(f"{where}.{name}" if where else name)
        yield reason("unknown_field", path, tr("there is no parameter {path}", path=path))


WHOLE_SET: Final = Limits(max_bytes=256 * 1024 * 1024)
"""Bounds of a file that holds a whole set."""
REFERENCE: Final = re.compile(r".+_exp\d{2}\.json", re.DOTALL)
"""Names of references in the platform's form."""
_NAME: Final = re.compile(r"""(?!\.)[^/\\:*?"<>|\x00-\x1f]{1,64}""")
_WHOLE: Final[Mapping[str, Json]] = {}
_NAMED: Final = 10
"""Most ids in a message; ``where`` has all of them."""


class Unpacking:
    """Converter of a set's own files: collects the platform's files and every fault."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files, self._converted = files, dict[str, bytes]()
        self._read, self._reasons = set[str](), list[Reason]()
        self._from: dict[str, str] = {}
        self._origins: dict[str, str] = {}

    def take(self, file: str) -> bytes:
        """Return the bytes of a file in the contest's own form, and mark it as read."""
        self._read.add(file)
        return self._files[file]

    def refuse(self, code: str, message: Text, file: str, place: Mapping[str, Json] = _WHOLE) -> None:
        """Note a fault of a file; ``place`` says where in it."""
        self._reasons.append(Reason(code, message, {"file": writable(file), **place}))

    def refuse_all(self, reasons: Iterable[Reason], file: str, place: Mapping[str, Json] = _WHOLE) -> None:
        """Note the faults of a part of a file."""
        for fault in reasons:
            self.refuse(fault.code, fault.message, file, {**place, **fault.where})

    def item(
        self, item_id: str, item: Json, references: Mapping[int, Json], file: str, place: Mapping[str, Json] = _WHOLE
    ) -> None:
        """Add an item with its references by their experts' numbers, and its place in the contest's file."""
        if not _NAME.fullmatch(item_id) or REFERENCE.fullmatch(f"{item_id}.json"):
            message = tr(
                "{item_id} cannot be a file's name: 1 to 64 characters that every system keeps are needed, "
                "and no ending _expNN",
                item_id=short(item_id),
            )
            self.refuse("unsafe_id", message, file, place)
        elif item_id in self._from:
            first = self._from[item_id]
            message = tr("the id {item_id} stands in {first} already", item_id=item_id, first=first)
            self.refuse("repeated_id", message, file, {**place, "id": item_id})
        else:
            self._from[item_id] = writable(file)
            converted = {
                f"{item_id}.json": item,
                **{f"{item_id}_exp{n:02}.json": reference for n, reference in references.items()},
            }
            for name, value in converted.items():
                self._keep(name, value, file, place)

    def _keep(self, name: str, value: Json, file: str, place: Mapping[str, Json]) -> None:
        try:
            self._converted[name] = canonical_bytes(value)
            self._origins[name] = file
        except ValueError:  # UnicodeEncodeError: everything else was JSON
            self.refuse("not_storable", tr("half a surrogate pair cannot be stored"), file, place)

    def result(self) -> Unpacked:
        """Return the converted files together with the unread ones; no files if there are faults."""
        unread = {name: body for name, body in self._files.items() if name not in self._read}
        for name in sorted(unread.keys() & self._converted.keys()):
            self.refuse("in_two_forms", tr("another file holds the item of {name}", name=name), name)
        read, reasons = frozenset(self._read), tuple(self._reasons)
        return (
            Unpacked({}, reasons, read) if reasons else Unpacked({**unread, **self._converted}, (), read, self._origins)
        )


def read_body(body: bytes, limits: Limits = WHOLE_SET) -> tuple[Json, tuple[Reason, ...]]:
    """Return the JSON value of a file, by default one that may hold a whole set, or the reason why it has none."""
    try:
        return decode(body, limits), ()
    except MalformedInput as error:
        return None, (of_json(error),)


def read_lines(body: bytes) -> Iterator[tuple[int, Json, tuple[Reason, ...]]]:
    """Yield the values of JSON Lines with their lines' numbers from 1; blank lines are skipped."""
    for number, line in enumerate(body.split(b"\n"), start=1):
        if line.strip():
            try:
                yield number, decode(line), ()
            except MalformedInput as error:
                moved = MalformedInput(error.code, error.message, number, max(error.column, 1))
                yield number, None, (of_json(moved),)


def first_ids(ids: Iterable[str]) -> str:
    """Format ids for a message: the first ones, and the number of the others."""
    names = [writable(item_id) for item_id in ids]
    more = f" … (+{len(names) - _NAMED})" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
