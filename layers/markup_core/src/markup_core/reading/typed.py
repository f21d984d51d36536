"""A request for a pair of markups, read with a type for every field (the optional extra ``markup-core[fast]``).

msgspec reads a line straight into objects of the fields below and refuses every other field and kind of value. Most
requests have just these, and markups without a fault; of all others :func:`read` returns None, and the caller reads
them as JSON (:mod:`markup_core.reading.wire`), which knows the error and its place. So nothing is accepted here that
is not accepted there, and no answer depends on the way a request was read.

Fields stand in the order of canonical JSON, so that msgspec writes it without sorting. A text is not decoded twice:
the two of a pair are the same bytes.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from markup_core.model import Columns, Markup
from markup_core.reading import wire
from markup_core.reading.classifier import Classifier
from markup_core.reading.fragment_reader import are_plain
from markup_core.reading.wire import DEFAULT_LIMITS, Limits, Written, colons

_OTHERS: Final = ("id", "params", "ratings", "x_is_expert")
"""Fields of a request beside the markups, all optional; they are read as JSON."""


class _Selection(Struct, forbid_unknown_fields=True, gc=False):
    comment: str
    correction: str
    endSelection: int  # noqa: N815  the wire's name
    explanation: str
    group: str
    id: int
    startSelection: int  # noqa: N815
    subtype: str
    tag: str
    type: str


class _Markup(Struct, forbid_unknown_fields=True, gc=False):
    meta: dict[str, str | int | None]
    selections: list[_Selection]
    text: Raw
    criteria: dict[str, int] | UnsetType = UNSET

    def head(self) -> bytes:
        """Write the canonical JSON of the markup up to its text, which is its last field."""
        criteria = b"" if self.criteria is UNSET else b'"criteria":%b,' % _encode_sorted(self.criteria)
        return b'{%b"meta":%b,"selections":%b,"text":' % (criteria, _encode_sorted(self.meta), _encode(self.selections))


class _Pair(Struct, forbid_unknown_fields=True, gc=False):
    op: Literal["pair"]
    x: _Markup
    y: _Markup
    id: Raw | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    ratings: Raw | UnsetType = UNSET
    x_is_expert: Raw | UnsetType = UNSET


_decode: Final = msgspec.json.Decoder(_Pair).decode
_decode_text: Final = msgspec.json.Decoder(str).decode
_encode: Final = msgspec.json.Encoder().encode
_encode_sorted: Final = msgspec.json.Encoder(order="sorted").encode
_fields: Final = msgspec.structs.astuple


def read(line: bytes, limits: Limits, classifier: Classifier) -> tuple[dict[str, Any], Written] | None:
    """Return the fields of a request, its markups ready, with the canonical JSON of these; None where not certain.

    Linear in the size.
    """
    if len(line) > limits.max_bytes or (b"\\" in line and b"\\u003" in line):
        return None
    try:
        pair = _decode(line)
        others = {name: bytes(value) for name in _OTHERS if (value := getattr(pair, name)) is not UNSET}
        fields: dict[str, Any] = {  # they stand a level deep
            name: wire.decode(value, replace(limits, max_depth=limits.max_depth - 1)) for name, value in others.items()
        }
        raw_text = bytes(pair.x.text)
        text, written_text = _text(raw_text)
        heads = [pair.x.head(), pair.y.head()]
    except (ValueError, RecursionError):
        return None
    # As in :func:`markup_core.reading.wire.read_fast`: a key twice leaves more colons in the line than here.
    expected = sum(map(colons, [*heads, *others.values()])) + 2 * colons(raw_text) + len(("op", "x", "y")) + len(others)
    if raw_text != bytes(pair.y.text) or expected != colons(line):
        return None
    written: dict[int, bytes] = {}
    for name, side, head in (("x", pair.x, heads[0]), ("y", pair.y, heads[1])):
        markup, canonical = _markup(side, text, classifier), b"%b%b}" % (head, written_text)
        if markup is None or len(canonical) > DEFAULT_LIMITS.max_bytes:
            return None
        fields[name] = markup
        written[id(markup)] = canonical
    return {"op": pair.op, **fields}, written


def _text(raw: bytes) -> tuple[str, bytes]:
    """Return the string of its JSON, and its canonical JSON, which is the same where nothing is escaped."""
    if b"\\" in raw:
        text = _decode_text(raw)
        return text, _encode(text)
    if not raw.startswith(b'"'):
        raise ValueError(raw)
    return raw[1:-1].decode(), raw


def _markup(side: _Markup, text: str, classifier: Classifier) -> Markup | None:
    """Return a markup without any fault that concerns the scoring, which never reads the criteria; None for others."""
    subject, size, most = side.meta.get("subject"), len(side.selections), DEFAULT_LIMITS
    if not isinstance(subject, str) or not classifier.has_subject(subject):
        return None
    if size > most.max_fragments or len(text) > most.max_code_points:
        return None
    if not size:
        return Markup.of_columns(text, Columns(), MappingProxyType(side.meta))
    comments, corrections, ends, explanations, groups, ids, starts, subtypes, tags, codes = zip(
        *map(_fields, side.selections), strict=True
    )
    columns = (starts, ends, codes, subtypes, comments, explanations, corrections, tags, groups, ids)
    if not are_plain(columns, classifier, subject, len(text)):
        return None
    return Markup.of_columns(text, Columns.completed(columns), MappingProxyType(side.meta))
