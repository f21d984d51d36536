"""Canonical JSON of scores, and the fingerprint that every score carries (markup-scoring §8).

Equal values have equal bytes: sorted keys, no blanks, numbers in Python's shortest form that reads back to the same
float (the same on every platform), ``-0.0`` as ``0.0``, no NaN or infinity. A fingerprint names the library's
version, the parameters, the classifier and the SHA-256 of every input, so that anybody with the inputs can recompute
the score and anybody without them can tell whether two scores speak of the same thing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from markup_core.extras import __version__
from markup_core.reading import wire

if TYPE_CHECKING:
    from markup_core.params import ScoringParams
    from markup_core.reading.classifier import Classifier

_ABSENT: Final = object()
_NOTHING: Final[wire.Written] = MappingProxyType({})
_SINGLE: Final = {
    id(value): hashlib.sha256(text).hexdigest() for value, text in ((None, b"null"), (True, b"true"), (False, b"false"))
}
"""Hashes of values that are the same everywhere."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


# Clause: MS §8 same bytes
def canonical_json(value: Any) -> str:
    """Write canonical JSON of a value of dicts with string keys, lists, strings, numbers, booleans and None.

    Raises ValueError for NaN and infinities, which JSON cannot say.
    """
    try:
        text = _ENCODER.encode(value)
    except TypeError:  # mappings other than dicts, perhaps
        return _ENCODER.encode(_normal(value))
    return _ENCODER.encode(_normal(value)) if "-0.0" in text else text


def canonical_bytes(value: Any, floats: Sequence[float | None] | None = None) -> bytes:
    """Return the UTF-8 of :func:`canonical_json`; UnicodeEncodeError for half a surrogate pair.

    ``floats``: all floats in the value, where the caller knows them; None among them is no float.
    """
    listed = None if floats is None else wire.write_listed(value, floats)
    if listed is not None:
        return listed
    encoded = wire.write_each([value])
    return encoded[0] if encoded is not None else canonical_json(value).encode("utf-8")


def canonical_hashes(values: Sequence[Any], written: wire.Written = _NOTHING) -> list[str]:
    """Return the SHA-256 of the canonical bytes of each value; half a surrogate pair has three bytes here.

    ``written``: what reading has already written of them.
    """
    absent = {id(value): value for value in values if id(value) not in _SINGLE and id(value) not in written}
    texts = wire.write_each(list(absent.values())) if absent else []
    if texts is None:
        texts = [canonical_json(value).encode("utf-8", "surrogatepass") for value in absent.values()]
    documents = {**written, **dict(zip(absent, texts, strict=True))}
    return [_SINGLE.get(id(value)) or sha256_hex(documents[id(value)]) for value in values]


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of bytes as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


# Clause: MS §8 fingerprint
def fingerprint(
    op: str,
    params: ScoringParams | None,
    inputs: Sequence[Any],
    classifier: Classifier | None = None,
    written: wire.Written = _NOTHING,
) -> dict[str, Any]:
    """Return the data by which a result can be recognised and recomputed.

    ``inputs`` are JSON values (whole markups, seeds, ratings …) in the order in which the operation takes them.
    ``classifier`` is the SHA-256 of an organizer's own one; null says the library's, which the version determines.
    ``written``: what reading has already written of the inputs.
    """
    return {
        "library": f"markup_core {__version__}",
        "op": op,
        "parameters": None if params is None else params.to_dict(),
        "classifier": None if classifier is None else _digest(classifier),
        "inputs": canonical_hashes(inputs, written),
    }


@lru_cache(maxsize=8)
def _digest(classifier: Classifier) -> str | None:
    if classifier == type(classifier).default():
        return None
    return canonical_hashes([classifier.to_dict()])[0]


# Clause: MS §8 verify
def differences(recorded: Any, recomputed: Any, path: str = "") -> Iterator[str]:
    """Yield every place in which two JSON values differ, as ``path: recorded → recomputed``.

    Numbers compare exactly, by value: 100 and 100.0 are one number, which other programs write either way.
    """
    if isinstance(recorded, Mapping) and isinstance(recomputed, Mapping):
        for name in sorted({*recorded, *recomputed}):
            where = f"{path}.{name}" if path else str(name)
            yield from differences(recorded.get(name, _ABSENT), recomputed.get(name, _ABSENT), where)
    elif isinstance(recorded, list) and isinstance(recomputed, list) and len(recorded) == len(recomputed):
        for index, (old, new) in enumerate(zip(recorded, recomputed, strict=True)):
            yield from differences(old, new, f"{path}[{index}]")
    elif not is_same_value(recorded, recomputed):
        yield f"{path or 'value'}: {_json_text(recorded)} → {_json_text(recomputed)}"


def is_same_value(recorded: Any, recomputed: Any) -> bool:
    """Return whether two values, not both lists of one length nor both objects, are equal; true is not 1."""
    kinds = {type(recorded), type(recomputed)}
    return (len(kinds) == 1 or kinds == {int, float}) and bool(recorded == recomputed)


def _json_text(value: Any) -> str:
    if value is _ABSENT:
        return "absent"
    text = canonical_json(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _normal(value: Any) -> Any:
    """Return the value with minus zero as zero and tuples as lists; everything else as it is."""
    if isinstance(value, float):
        return value + 0.0  # -0.0 + 0.0 is 0.0
    if isinstance(value, Mapping):
        return {name: _normal(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(part) for part in value]
    return value
