"""By what a result of the tracks can be recognised and recomputed by anybody (tracks.md §5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from markup_core.receipt import canonical_json, sha256_hex
from tracks._version import __version__

LIBRARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "fusion.c2c": ("tree-sitter", "tree-sitter-python"),
    "fusion.vqa": ("pymorphy3", "pymorphy3-dicts-ru"),
    "gec.agreement": ("krippendorff", "numpy"),
}
"""Operations whose numbers other distributions' versions may change, with these distributions."""
_BY_MODE: Final = frozenset({"fusion.vqa"})
"""Operations that use their libraries only where a mode is asked for."""
_ENVELOPE: Final = frozenset({"id", "op"})


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


@lru_cache
def _versions(op: str) -> tuple[tuple[str, str], ...]:
    if op not in LIBRARIES:
        return ()
    from importlib.metadata import version  # what needs no libraries starts faster

    return tuple((name, version(name)) for name in LIBRARIES[op])
