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
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import Limits, MalformedInput, decode, short, short_ru, writable
from markup_core.receipt import canonical_bytes
from markup_core.said import Said
from tracks.capabilities import Unpacked
from tracks.protocol import Json, Reason, Text

_REQUIRED: Final = object()


def refuse(path: str, problem: str, russian: str) -> NoReturn:
    """Refuse a field: ``problem`` completes the sentence that begins with its path, ``russian`` follows its colon."""
    raise RefusedError("invalid_request", Said(f"{path} {problem}", f"{path}: {russian}"), {"field": path})


def refuse_value(path: str, what: str, russian: str, value: object) -> NoReturn:
    """Refuse a field whose value is not ``what``, in Russian in the nominative."""
    refuse(path, f"must be {what}, not {short(value)}", f"ожидается {russian}, а не {short_ru(value)}")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object of a request; ``where`` is its own path, empty for the request itself."""

    values: Mapping[str, Any]
    where: str = ""

    def path(self, name: str) -> str:
        """How an error names a field."""
        return f"{self.where}.{name}" if self.where else name

    def raw(self, name: str, default: Any = _REQUIRED) -> Any:
        """The value as it is; null only where the field holds null and no default is given."""
        if name not in self.values:
            if default is _REQUIRED:
                refuse(self.path(name), "is missing", "поля нет")
            return default
        value = self.values[name]
        return default if value is None and default is not _REQUIRED else value

    def text(self, name: str, default: Any = _REQUIRED) -> Any:
        """A string."""
        value = self.raw(name, default)
        if not isinstance(value, str) and value is not default:
            self._expected(name, "a string", "строка", value)
        return value

    def flag(self, name: str, default: Any = _REQUIRED) -> Any:
        """True or false."""
        value = self.raw(name, default)
        if not isinstance(value, bool) and value is not default:
            self._expected(name, "true or false", "true или false", value)
        return value

    def whole(self, name: str, default: Any = _REQUIRED, *, low: int | None = None, high: int | None = None) -> Any:
        """A whole number from ``low`` to ``high``."""
        value = self.raw(name, default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, int):
            self._expected(name, "a whole number", "целое число", value)
        self._bounded(name, value, low, high)
        return value

    def number(
        self, name: str, default: Any = _REQUIRED, *, low: float | None = None, high: float | None = None
    ) -> Any:
        """A finite number from ``low`` to ``high``, as a float."""
        value = self.raw(name, default)
        if value is default:
            return value
        if not is_number(value):
            self._expected(name, "a finite number", "конечное число", value)
        self._bounded(name, value, low, high)
        return float(value)

    def choice(self, name: str, options: Sequence[str], default: Any = _REQUIRED) -> Any:
        """One of the named words."""
        value = self.raw(name, default)
        if value is not default and value not in options:
            listed = ", ".join(options)
            self._expected(name, f"one of {listed}", f"одно из: {listed}", value)
        return value

    def items(self, name: str, default: Any = _REQUIRED) -> Any:
        """A list."""
        value = self.raw(name, default)
        if not isinstance(value, list) and value is not default:
            self._expected(name, "a list", "список", value)
        return value

    def mapping(self, name: str, default: Any = _REQUIRED) -> Any:
        """An object."""
        value = self.raw(name, default)
        if not isinstance(value, dict) and value is not default:
            self._expected(name, "an object", "объект", value)
        return value

    def part(self, name: str) -> Fields:
        """An object whose fields are read in their turn."""
        return Fields(self.mapping(name), self.path(name))

    def parts(self, name: str) -> Iterator[Fields]:
        """The objects of a list, whose fields are read in their turn."""
        for index, value in enumerate(self.items(name)):
            path = f"{self.path(name)}[{index}]"
            if not isinstance(value, dict):
                refuse_value(path, "an object", "объект", value)
            yield Fields(value, path)

    def _expected(self, name: str, what: str, russian: str, value: Any) -> NoReturn:
        refuse_value(self.path(name), what, russian, value)

    def _bounded(self, name: str, value: float, low: float | None, high: float | None) -> None:
        if (low is not None and value < low) or (high is not None and value > high):
            if high is None:
                bounds = f"at least {low}", f"не меньше {low}"
            elif low is None:
                bounds = f"at most {high}", f"не больше {high}"
            else:
                bounds = f"from {low} to {high}", f"от {low} до {high}"
            refuse(
                self.path(name),
                f"must be {bounds[0]}, not {short(value)}",
                f"ожидается число {bounds[1]}, а не {short_ru(value)}",
            )


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that a float can hold: true and NaN are none, nor is 10 to the 400."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


GIVEN: Final = frozenset({"classifier", "languages"})
"""What the platform hands every track of a cycle's file besides the track's own parameters."""


def reason(code: str, field: str, en: str, ru: str) -> Reason:
    """Return a reason; no ``field`` where the whole value is meant.

    Names of what somebody sent are written so that they can be stored and sent, whatever they are.
    """
    message = Text(en=_storable(en), ru=_storable(ru))
    return Reason(code, message, {"field": _storable(field)} if field else {})


def _storable(text: str) -> str:
    """Return a text with halves of surrogate pairs escaped, which no store and no answer takes."""
    return text.encode("utf-8", "backslashreplace").decode()


def to_dict(each: Reason) -> dict[str, Json]:
    """A reason as JSON, both sentences beside each other."""
    return {"code": each.code, "message": each.message.en, "message_ru": each.message.ru, "where": dict(each.where)}


def of_json(error: MalformedInput) -> Reason:
    """Bytes that are no JSON: one code for programs, the library's own code and the place in ``where``."""
    where = {"problem": error.code, "line": error.line, "column": error.column}
    return Reason("malformed_json", Text(en=str(error), ru=error.russian), where)


def no_notation() -> Reason:
    """Of a contest whose answers are for programs alone."""
    return reason(
        "no_notation", "", "the contest has no notation for people", "у конкурса нет записи ответов для людей"
    )


def of_parameters(raw: Json, known: AbstractSet[str]) -> Iterator[Reason]:
    """What is wrong with a cycle's parameters before any of them is read: they are no object, or a name is none."""
    if isinstance(raw, Mapping):
        yield from of_names(raw, known)
    else:
        yield reason("not_an_object", "parameters", "the parameters must be an object", "нужен объект")


def of_names(given: Mapping[str, Json], known: AbstractSet[str], where: str = "") -> Iterator[Reason]:
    """Names of parameters that are none, in their order; ``where`` is the path of the object they stand in."""
    for name in sorted(str(name) for name in given.keys() - known):
        path = writable(f"{where}.{name}" if where else name)
        yield reason("unknown_field", path, f"there is no parameter {path}", f"нет параметра {path}")


WHOLE_SET: Final = Limits(max_bytes=256 * 1024 * 1024)
"""Bounds of a file that holds a whole set."""
REFERENCE: Final = re.compile(r".+_exp\d{2}\.json", re.DOTALL)
"""Names of references in the platform's form."""
_NAME: Final = re.compile(r"""(?!\.)[^/\\:*?"<>|\x00-\x1f]{1,64}""")
_WHOLE: Final[Mapping[str, Json]] = {}
_NAMED: Final = 10
"""Ids that a message names; ``where`` has all."""


class Unpacking:
    """The platform's files made so far, with every fault found so far."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._given, self._made = files, dict[str, bytes]()
        self._read, self._reasons = set[str](), list[Reason]()
        self._from: dict[str, str] = {}
        self._origins: dict[str, str] = {}

    def take(self, file: str) -> bytes:
        """The bytes of a file that is in the contest's own form."""
        self._read.add(file)
        return self._given[file]

    def refuse(self, code: str, said: Text, file: str, place: Mapping[str, Json] = _WHOLE) -> None:
        """A fault of a file; ``place`` says where in it."""
        self._reasons.append(Reason(code, said, {"file": writable(file), **place}))

    def refuse_all(self, reasons: Iterable[Reason], file: str, place: Mapping[str, Json] = _WHOLE) -> None:
        """Faults that were found in a part of a file."""
        for each in reasons:
            self.refuse(each.code, each.message, file, {**place, **each.where})

    def item(
        self, item_id: str, item: Json, references: Mapping[int, Json], file: str, place: Mapping[str, Json] = _WHOLE
    ) -> None:
        """An item with its references by their experts' numbers, and where it stands in the contest's file."""
        if not _NAME.fullmatch(item_id) or REFERENCE.fullmatch(f"{item_id}.json"):
            said = Text(
                f"{short(item_id)} cannot be a file's name: 1 to 64 characters that every system keeps are needed,"
                " and no ending _expNN",
                f"{short_ru(item_id)} не годится в имя файла: нужны от 1 до 64 знаков, допустимых во всех системах,"
                " без _expNN в конце",
            )
            self.refuse("unsafe_id", said, file, place)
        elif item_id in self._from:
            first = self._from[item_id]
            said = Text(f"the id {item_id} stands in {first} already", f"id {item_id} уже есть в {first}")
            self.refuse("repeated_id", said, file, {**place, "id": item_id})
        else:
            self._from[item_id] = writable(file)
            made = {f"{item_id}.json": item, **{f"{item_id}_exp{n:02}.json": each for n, each in references.items()}}
            for name, value in made.items():
                self._keep(name, value, file, place)

    def _keep(self, name: str, value: Json, file: str, place: Mapping[str, Json]) -> None:
        try:
            self._made[name] = canonical_bytes(value)
            self._origins[name] = file
        except ValueError:  # UnicodeEncodeError: everything else was JSON
            said = Text("half a surrogate pair cannot be stored", "половину суррогатной пары не сохранить")
            self.refuse("not_storable", said, file, place)

    def result(self) -> Unpacked:
        """Everything that was made beside everything that was not read; nothing where there are faults."""
        kept = {name: body for name, body in self._given.items() if name not in self._read}
        for name in sorted(kept.keys() & self._made.keys()):
            said = Text(f"another file holds the item of {name}", f"элемент из {name} есть и в другом файле")
            self.refuse("in_two_forms", said, name)
        read, reasons = frozenset(self._read), tuple(self._reasons)
        return Unpacked({}, reasons, read) if reasons else Unpacked({**kept, **self._made}, (), read, self._origins)


def read_own_json(body: bytes) -> tuple[Json, tuple[Reason, ...]]:
    """The JSON value of a file that may hold a whole set, or why it has none."""
    try:
        return decode(body, WHOLE_SET), ()
    except MalformedInput as error:
        return None, (of_json(error),)


def read_lines(body: bytes) -> Iterator[tuple[int, Json, tuple[Reason, ...]]]:
    """The values of JSON Lines with their lines' numbers from 1; blank lines are passed over."""
    for number, line in enumerate(body.split(b"\n"), start=1):
        if line.strip():
            try:
                yield number, decode(line), ()
            except MalformedInput as error:
                moved = MalformedInput(error.code, error.message, number, max(error.column, 1))
                yield number, None, (of_json(moved),)


def listed(ids: Iterable[str]) -> str:
    """Ids as a message names them: the first ones, and how many more."""
    shown = [writable(each) for each in ids]
    more = f" … (+{len(shown) - _NAMED})" if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more
