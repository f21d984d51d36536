"""JSON at the edge: bytes to plain values, and a markup to its published form (markup-scoring §1).

:func:`decode` refuses what other programs would read differently or not at all: another encoding, a byte-order
mark, doubled keys, numbers that are no numbers, bottomless nesting. What the values mean is judged afterwards by
:mod:`markup_core.reading.validation`.

Codes of :class:`MalformedInput`: ``too_big``, ``byte_order_mark``, ``wrong_encoding``, ``broken_json``,
``duplicate_key``, ``not_a_number``, ``number_too_long``, ``too_deep``.

orjson is an optional extra (``markup-core[fast]``). It takes what JSON forbids here (a key twice) or what it cannot
hold (whole numbers of more than 64 bits, which it makes floats), refuses what Python takes (half a surrogate pair), and
writes some floats and everything not finite differently. So :func:`read_fast` and :func:`write_each` answer only where
nothing of this is in the value, and return None where it may be: the caller then does without orjson, errors included.

The faults of a stranger's ZIP archive have their sentences here, too (:func:`of_archive`).
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, Final

from markup_core.texts import Text, tr

if TYPE_CHECKING:
    from markup_core.model import Markup

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]

_WRITTEN_ALIKE: Final = frozenset({dict, list, str, int, float, bool, NoneType})
_DIGITS: Final = bytes(ord("0") if chr(byte).isascii() and chr(byte).isdecimal() else byte for byte in range(256))
_LONG: Final = b"0" * 19
"""A whole number of fewer digits fits into 64 bits."""


Written = Mapping[int, bytes]
"""Canonical JSON of an object's members by their identity; the members must live, and not be changed."""


def read_fast(data: bytes, most_levels: int) -> tuple[Any, Written] | None:
    """Return the value that strict reading gives, and its members as written; None where that is not certain.

    None also for a value nested deeper than ``most_levels``. Linear in the size.
    """
    if orjson is None:
        return None
    try:
        value = orjson.loads(data)
        members = list(value.values()) if type(value) is dict else [value]
        written = [orjson.dumps(member, option=orjson.OPT_SORT_KEYS) for member in members]
        names = orjson.dumps(dict.fromkeys(value)) if type(value) is dict else b""
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    # orjson keeps the last of several equal keys. Outside strings a colon follows every key and nothing else, and a
    # colon in a string is written as it was read unless it came escaped: so what was dropped is missing in the count.
    if sum(map(colons, [names, *written])) != colons(data) or (b"\\" in data and b"\\u003" in data):
        return None
    levels, kinds, floats = survey(value)
    if levels > most_levels or (floats and _LONG in data.translate(_DIGITS)):
        return None
    return value, dict(zip(map(id, members), written, strict=True)) if _is_written_alike(kinds, floats) else {}


def write_each(values: Sequence[Any]) -> list[bytes] | None:
    """Write canonical JSON (:mod:`markup_core.receipt`) in UTF-8 of each; None where that is not certain of all.

    Linear but for the sorting of keys.
    """
    if orjson is None:
        return None
    try:
        encoded = [orjson.dumps(value, option=orjson.OPT_SORT_KEYS) for value in values]
    except orjson.JSONEncodeError:
        return None
    # Looked at after writing, which has told by then that no value holds itself.
    _, kinds, floats = survey(list(values))
    return encoded if _is_written_alike(kinds, floats) else None


def write_listed(value: Any, floats: Iterable[float | None]) -> bytes | None:
    """Write canonical JSON of a value whose floats are listed; None where that is not certain.

    The value is of objects, lists, strings, whole numbers, truth values and null beside them, and does not hold itself.
    """
    if orjson is None or not _are_written_alike(floats):
        return None
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return None


def _is_written_alike(kinds: set[type], floats: Sequence[float]) -> bool:
    """Return whether orjson writes these values as the standard library does."""
    return kinds <= _WRITTEN_ALIKE and _are_written_alike(floats)


def _are_written_alike(floats: Iterable[float | None]) -> bool:
    """Return whether orjson writes floats as the standard library does: no power of ten, no minus zero."""
    for value in floats:
        if value is not None and not (1e-4 <= value < 1e16 or -1e16 < value <= -1e-4 or str(value) == "0.0"):
            return False
    return True


def colons(data: bytes) -> int:
    """Count the colons in JSON."""
    return len(data) - len(data.replace(b":", b""))  # faster than count


def survey(value: object) -> tuple[int, set[type], list[float]]:
    """Return the levels of lists and objects in a JSON value, the types in it, and its floats; linear, no recursion."""
    levels = 0
    layer: list[Any] = [value]
    kinds: set[type] = set()
    floats: list[float] = []
    while layer:
        here = set(map(type, layer))
        kinds |= here
        if float in here:
            floats += layer if len(here) == 1 else [item for item in layer if type(item) is float]
        inner: list[Any] = []
        if dict in here:
            objects = layer if len(here) == 1 else [item for item in layer if type(item) is dict]
            inner += chain.from_iterable(map(dict.values, objects))
        if list in here:
            inner += chain.from_iterable(layer if len(here) == 1 else [item for item in layer if type(item) is list])
        levels += dict in here or list in here
        layer = inner
    return levels, kinds, floats


_FOREIGN_MARKS: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GZIP: Final = b"\x1f\x8b"
_MOST_DIGITS: Final = 4300  # digits of a whole number; Python itself refuses longer ones
_TOKEN: Final = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*")(?P<key>\s*:)? | (?P<open>[{\[]) | (?P<close>[}\]]) | (?P<comma>,)
      | (?P<constant>NaN|-?Infinity) | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)""",
    re.VERBOSE | re.DOTALL,
)


# Clause: MS §1 limits
@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one markup: bytes of JSON, fragments, code points of the text, levels of nesting."""

    max_bytes: int = 2 * 1024 * 1024
    max_fragments: int = 2_000
    max_code_points: int = 200_000
    max_depth: int = 64


DEFAULT_LIMITS: Final = Limits()
_BROKEN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Expecting value": "ожидается значение",
        "Expecting property name": "ожидается имя поля в двойных кавычках",
        "Expecting ':'": "ожидается двоеточие",
        "Expecting ','": "ожидается запятая",
        "Illegal trailing comma": "лишняя запятая перед закрывающей скобкой",
        "Extra data": "после значения стоит лишнее",
        "Unterminated string": "строка не закрыта кавычкой",
        "Invalid control character": "в строке стоит управляющий знак; его записывают через \\u",
        "Invalid \\escape": "такой последовательности с обратной косой чертой нет",
        "Invalid \\uXXXX": "после \\u нужны четыре шестнадцатеричные цифры",
    }
)
"""Russian wording of the standard library's JSON errors, by the beginning of the English message."""


class MalformedInput(ValueError):  # noqa: N818  the name says what the input is; callers read it so
    """Bytes or text that are no JSON; ``code`` is stable, ``line`` and ``column`` count from 1 (0: no place).

    ``text`` is the message behind its place, in both languages.
    """

    def __init__(self, code: str, message: str, line: int = 0, column: int = 0) -> None:
        self.text = message if isinstance(message, Text) else Text(message, message)
        if line:
            self.text = tr("line {line}, column {column}: {message}", line=line, column=column, message=message)
        super().__init__(self.text)
        self.code = code
        self.message = message
        self.line = line
        self.column = column


class _Refused(Exception):  # noqa: N818  a signal inside this module
    """Raised inside the JSON reader, which has no positions; :func:`_located` finds the place afterwards."""

    def __init__(self, code: str) -> None:
        self.code = code


def decode(data: bytes | str, limits: Limits = DEFAULT_LIMITS) -> Any:
    """Read JSON strictly. Raises :class:`MalformedInput` and nothing else; linear in the size."""
    return read(data, limits)[0]


def read(data: bytes | str, limits: Limits = DEFAULT_LIMITS) -> tuple[Any, Written]:
    """Read JSON as :func:`decode` does, with what reading has already written of its members."""
    if isinstance(data, bytes) and len(data) <= limits.max_bytes and (fast := read_fast(data, limits.max_depth)):
        return fast
    text = _text(data, limits)
    try:
        value = _DECODER.decode(text)
    except _Refused as refused:
        raise _located(refused.code, text) from None
    except json.JSONDecodeError as error:
        raise of_json(error) from None
    except ValueError:  # what else int() refuses: more digits than it converts
        raise _located("number_too_long", text) from None
    except RecursionError:
        raise _too_deep(limits) from None
    # Each level of nesting opens a bracket, so few brackets need no walk.
    if text.count("{") + text.count("[") > limits.max_depth and depth(value, limits.max_depth) > limits.max_depth:
        raise _too_deep(limits)
    return value, {}


# Clause: MS §1 JSON
def dump(markup: Markup) -> dict[str, Any]:
    """Return the canonical JSON form of a markup, with the contest's published field names (markup-scoring §1)."""
    selections = [
        {
            "id": fragment.id,
            "startSelection": fragment.start,
            "endSelection": fragment.end,
            "type": fragment.code,
            "subtype": fragment.subtype,
            "comment": fragment.comment,
            "explanation": fragment.explanation,
            "correction": fragment.correction,
            "tag": fragment.tag,
            "group": fragment.group,
        }
        for fragment in markup.fragments
    ]
    criteria = {"criteria": dict(markup.criteria)} if markup.criteria else {}
    return {"meta": dict(markup.meta), **criteria, "selections": selections, "text": markup.text}


def depth(value: object, most: int) -> int:
    """Count levels of lists and objects in a JSON value; the walk stops one below ``most`` and never recurses."""
    level, layer = 0, [value]
    while layer and level <= most:
        inner: list[object] = []
        for item in layer:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        holders = any(isinstance(item, (dict, list)) for item in layer)
        level, layer = level + holders, inner
    return level


def _text(data: bytes | str, limits: Limits) -> str:
    size = len(data)
    if isinstance(data, str) and size <= limits.max_bytes < 4 * size:
        size = len(data.encode("utf-8", "surrogatepass"))
    if size > limits.max_bytes:
        message = tr("the JSON takes {size} bytes, the limit is {max_bytes}", size=size, max_bytes=limits.max_bytes)
        raise MalformedInput("too_big", message)
    if isinstance(data, str):
        return _without_mark(data)
    if data.startswith(_FOREIGN_MARKS):
        raise MalformedInput("wrong_encoding", tr("the input is UTF-16 or UTF-32; send UTF-8"), 1, 1)
    if data.startswith(_GZIP):
        raise MalformedInput("wrong_encoding", tr("the input is compressed with gzip; send it uncompressed"), 1, 1)
    try:
        return _without_mark(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        place = _place(before, len(before))
        byte = data[error.start]
        message = tr("the byte 0x{byte:02x} at offset {start} is not UTF-8; send UTF-8", byte=byte, start=error.start)
        raise MalformedInput("wrong_encoding", message, *place) from None


def _without_mark(text: str) -> str:
    if text.startswith("\ufeff"):
        raise MalformedInput("byte_order_mark", tr("remove the byte-order mark before the JSON"), 1, 1)
    return text


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _Refused("duplicate_key")
    return members


def _refuse_constant(_name: str) -> float:
    raise _Refused("not_a_number")


def _finite(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _Refused("not_a_number")
    return number


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite)


def _located(code: str, text: str) -> MalformedInput:
    """Return the error of the code at its first place in the text."""
    for offence, message, position in _offences(text):
        if offence == code:
            return MalformedInput(code, message, *_place(text, position))
    return MalformedInput(code, tr("the JSON cannot be read"))


def _offences(text: str) -> Iterator[tuple[str, str, int]]:
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                keys.append(set())
            case "close":
                del keys[-1:]
            case "key" if keys:
                name = json.loads(token["string"], strict=False)
                if name in keys[-1]:
                    twice = tr("the key {name} stands twice in one object", name=short(name))
                    yield "duplicate_key", twice, token.start()
                keys[-1].add(name)
            case "constant":
                yield "not_a_number", tr("{token} is no JSON number", token=token[0]), token.start()
            case "number":
                yield from _number_offences(token[0], token.start())


def _number_offences(literal: str, position: int) -> Iterator[tuple[str, str, int]]:
    if not literal.lstrip("-").isdecimal():
        if math.isinf(float(literal)):
            yield "not_a_number", tr("{literal} is too large a number", literal=literal[:40]), position
    elif len(literal) > _MOST_DIGITS:
        message = tr(
            "a number of {literal} digits; at most {most_digits} are read",
            literal=len(literal),
            most_digits=_MOST_DIGITS,
        )
        yield "number_too_long", message, position


def _place(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1) + 1


def _too_deep(limits: Limits) -> MalformedInput:
    message = tr("lists and objects are nested deeper than {max_depth} levels", max_depth=limits.max_depth)
    return MalformedInput("too_deep", message)


def of_json(error: json.JSONDecodeError) -> MalformedInput:
    """Word the standard library's error in both languages; the Russian sentence goes by its beginning."""
    russian = next((ru for begin, ru in _BROKEN.items() if error.msg.startswith(begin)), "нарушена запись JSON")
    message = Text(error.msg[:1].lower() + error.msg[1:], russian)
    return MalformedInput("broken_json", message, error.lineno, error.colno)


def of_value(error: ValueError) -> Text:
    """Word a reader's or writer's ValueError that is no error of syntax: a number or a half character."""
    if isinstance(error, json.JSONDecodeError):
        return of_json(error).text
    if isinstance(error, UnicodeEncodeError):
        return tr("half of a character (a surrogate without its other half) cannot be stored")
    if "digits" in str(error):
        return tr("a whole number of more than {most} digits", most=_MOST_DIGITS)
    return tr("NaN and Infinity are no numbers of JSON")


def short(value: object) -> Text:
    """Return a value as an error message shows it: as JSON writes it, long ones cut, large ones named by kind."""
    if isinstance(value, str):
        # Half of a surrogate pair would make the message itself unwritable.
        start = json.dumps(value[:60], ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
        if len(value) <= 60:
            return Text(start, start)
        return tr("{start}… ({count} characters)", start=start, count=len(value))
    if isinstance(value, int) and value.bit_length() > 128:
        return tr("a very large number")
    if value is None or isinstance(value, (bool, int, float)):
        text = json.dumps(value)
        return Text(text, text)
    if isinstance(value, list):
        return tr("a list")
    return tr("an object") if isinstance(value, dict) else tr("a value of type {name}", name=type(value).__name__)


def writable(name: str) -> str:
    """Shorten a name from the input for an error: writable as UTF-8 and never longer than a line."""
    return name[:80].encode("utf-8", "backslashreplace").decode()


def broken_archive(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the exceptions of a ZIP archive that cannot be read, and others that a caller takes for it.

    They include RuntimeError for encrypted members, NotImplementedError, a kind of it, for unknown compressions, and
    ValueError for names that are not UTF-8.
    """
    import lzma  # few processes read archives
    import struct
    import zipfile
    import zlib

    damaged = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError)  # OSError: bzip2's damage, too
    return (*damaged, RuntimeError, ValueError, OverflowError, struct.error, *others)


def of_archive(error: Exception) -> Text:
    """Word an exception of :func:`broken_archive`: the archive's fault and the remedy."""
    import zipfile

    if isinstance(error, NotImplementedError):
        return tr("it is compressed in a way that is not read; pack it as an ordinary zip (deflate)")
    if isinstance(error, RuntimeError):
        return tr("it has a password; pack it without one")
    if isinstance(error, zipfile.BadZipFile) and "CRC" in str(error):
        return tr("its checksum is another one: the file was damaged; pack it again")
    return tr("it is damaged or cut off; pack it again")
