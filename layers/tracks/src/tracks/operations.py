"""The tracks' operations on plain JSON values, found by name and fingerprinted (tracks.md §5).

An op is named after its track: ``exam.item`` is ``OPERATIONS["exam.item"]`` of ``tracks.exam.operations``, which is
loaded when the track's first op is asked for. An operation takes the :class:`tracks.fields.Fields` of a request,
returns a JSON object and raises :class:`markup_core.operations.RefusedError` for what it cannot do.

Codes of refusals known to all tracks: ``invalid_request`` (details: field), ``unknown_op`` (details: known).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from markup_core.operations import Answer, RefusedError
from markup_core.receipt import canonical_json, sha256_hex
from markup_core.wire import short
from tracks._version import __version__
from tracks.fields import Fields

Operation = Callable[[Fields], Any]

TRACKS: Final = ("diagnosis", "exam", "fusion", "gec")
"""Tracks that have operations and a command."""
LIBRARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "fusion.c2c": ("tree-sitter", "tree-sitter-python"),
    "fusion.vqa": ("pymorphy3", "pymorphy3-dicts-ru"),
    "gec.agreement": ("krippendorff", "numpy"),
}
"""Operations whose numbers other distributions' versions may change, with these distributions."""
_BY_MODE: Final = frozenset({"fusion.vqa"})
"""Operations that use their libraries only where a mode is asked for."""
_ENVELOPE: Final = frozenset({"id", "op"})


def answer(op: str, fields: Mapping[str, Any]) -> Answer:
    """Do one operation; raises :class:`RefusedError`."""
    return Answer(_find(op)(Fields(fields)), fingerprint(op, fields))


def known() -> Iterator[str]:
    """Names of all operations; loads every track that has any."""
    for track in TRACKS:
        yield from _operations(track)


def fingerprint(op: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """By what a result can be recognised and recomputed: versions, and the SHA-256 of every field of the request.

    ``libraries`` are those that this result depends on, none for most.
    A field is hashed in canonical JSON (markup-scoring §8); the order of fields and the request's id do not count.
    """
    return {
        "library": f"tracks {__version__}",
        "libraries": {} if op in _BY_MODE and fields.get("mode") is None else dict(_versions(op)),
        "op": op,
        "inputs": {
            name: sha256_hex(canonical_json(value).encode("utf-8", "surrogatepass"))
            for name, value in sorted(fields.items())
            if name not in _ENVELOPE
        },
    }


def _find(op: str) -> Operation:
    track = op.partition(".")[0]
    operation = _operations(track).get(op) if track in TRACKS else None
    if operation is None:
        names = list(known())
        message = f"there is no op {short(op)}; the ops are {', '.join(names)}"
        raise RefusedError("unknown_op", message, {"known": names})
    return operation


def _operations(track: str) -> Mapping[str, Operation]:
    operations: Mapping[str, Operation] = import_module(f"tracks.{track}.operations").OPERATIONS
    return operations


@lru_cache
def _versions(op: str) -> tuple[tuple[str, str], ...]:
    if op not in LIBRARIES:
        return ()
    from importlib.metadata import version  # what needs no libraries starts faster

    return tuple((name, version(name)) for name in LIBRARIES[op])
