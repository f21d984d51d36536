"""Reading and writing JSON with orjson, where it is installed and gives what the standard library gives.

orjson is an optional extra (``markup-core[fast]``). It takes what JSON forbids here (a key twice) or what it cannot
hold (whole numbers of more than 64 bits, which it makes floats), refuses what Python takes (half a surrogate pair), and
writes some floats and everything not finite differently. So both functions answer only where nothing of this is in the
value, and say None where it may be: then the caller does it as it is done without orjson, errors included.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from types import NoneType
from typing import Any, Final

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]

_WRITTEN_ALIKE: Final = frozenset({dict, list, str, int, bool, NoneType})
_DIGITS: Final = bytes(ord("0") if chr(byte).isascii() and chr(byte).isdecimal() else byte for byte in range(256))
_LONG: Final = b"0" * 19
"""A whole number of fewer digits fits into 64 bits."""


def read(data: bytes, most_levels: int) -> tuple[Any] | None:
    """The value that strict reading gives, alone in a tuple; None where that is not certain.

    None also for a value nested deeper than ``most_levels``. Linear in the size.
    """
    if orjson is None:
        return None
    try:
        value = orjson.loads(data)
        again = orjson.dumps(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    # orjson keeps the last of several equal keys. Outside strings a colon follows every key and nothing else, and a
    # colon in a string is written as it was read unless it came escaped: so what was dropped is missing in the count.
    if _colons(again) != _colons(data) or (b"\\" in data and b"\\u003" in data):
        return None
    levels, kinds = survey(value)
    if levels > most_levels or (float in kinds and _LONG in data.translate(_DIGITS)):
        return None
    return (value,)


def write_each(values: Sequence[Any]) -> list[bytes] | None:
    """Canonical JSON (:mod:`markup_core.receipt`) in UTF-8 of each; None where that is not certain of all of them.

    Linear but for the sorting of keys.
    """
    if orjson is None:
        return None
    try:
        written = [orjson.dumps(value, option=orjson.OPT_SORT_KEYS) for value in values]
    except orjson.JSONEncodeError:
        return None
    # Looked at after writing, which has told by then that no value holds itself.
    return written if survey(list(values))[1] <= _WRITTEN_ALIKE else None


def _colons(data: bytes) -> int:
    return len(data) - len(data.replace(b":", b""))  # faster than count


def survey(value: object) -> tuple[int, set[type]]:
    """Levels of lists and objects in a JSON value, and the types in it; linear, without recursion."""
    levels, layer = 0, [value]
    kinds: set[type] = set()
    while layer:
        here = set(map(type, layer))
        kinds |= here
        inner: list[object] = []
        if dict in here:
            inner += chain.from_iterable([item.values() for item in layer if type(item) is dict])
        if list in here:
            inner += chain.from_iterable([item for item in layer if type(item) is list])
        levels += dict in here or list in here
        layer = inner
    return levels, kinds
