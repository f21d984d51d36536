"""Read input from outside: a request's fields, a set's own files; and give the reasons of a refusal.

Readers of a request's fields raise :class:`markup_core.command.complaints.RefusedError` with code ``invalid_request``
and details ``{"field": path}``. Absent and null are the same where a default is given; without one a field must be
there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, NoReturn

from markup_core.command.complaints import RefusedError
from markup_core.lazy import dataclass
from markup_core.reading.wire import Limits, MalformedInput, decode, short, writable
from markup_core.receipt import canonical_bytes
from markup_core.texts import RU, Text, in_language
from tracks.capabilities import Unpacked
from tracks.protocol import Json, Reason
from tracks.texts import tr, tr_in

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
"""What the platform hands every track of a cycle's file besides the track's own parameters."""


def reason(code: str, field: str, problem: str) -> Reason:
    """Return a reason; no ``field`` where the whole value is meant.

    Names of what somebody sent are written so that they can be stored and sent, whatever they are.
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
"""Ids that a message names; ``where`` has all."""


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


def read_own_json(body: bytes) -> tuple[Json, tuple[Reason, ...]]:
    """Return the JSON value of a file that may hold a whole set, or the reasons why it has none."""
    try:
        return decode(body, WHOLE_SET), ()
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


def listed(ids: Iterable[str]) -> str:
    """Format ids for a message: the first ones, and the number of the others."""
    names = [writable(item_id) for item_id in ids]
    more = f" … (+{len(names) - _NAMED})" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
