"""``markup-core batch``: the library for programs in any language, one JSON object per line (markup-scoring §8.1).

Every line of the input gets exactly one line of answer, in order and at once. Whatever a line holds, the stream goes
on: an empty line, a line that is no UTF-8 or no JSON, one that is too long, a fault of the library itself.

The stream does not depend on what answers the requests: :func:`stream` takes it from whoever has operations of their
own.

Codes of errors: those of :mod:`markup_core.command.operations`; ``invalid_json`` (details: ``problem``, a code of
:class:`markup_core.reading.wire.MalformedInput`, with ``line`` and ``column``, null where there is no place) and
``internal_error`` (details: the kind of the fault).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, BinaryIO, Final

from markup_core.command.operations import Answer, answer
from markup_core.command.refusing import RefusedError
from markup_core.reading.classifier import Classifier
from markup_core.reading.wire import Limits, MalformedInput, decode, short
from markup_core.receipt import canonical_json

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest request, its line end not counted: a sample of some thousand markups."""
# A markup may be nested 64 deep; a sample holds it within five more levels.
_LIMITS: Final = Limits(max_bytes=MAX_LINE_BYTES, max_depth=80)
_CHUNK: Final = 1 << 20
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


Answering = Callable[[str, dict[str, Any]], Answer]
"""Does one op with the fields of its request; raises :class:`markup_core.command.refusing.RefusedError`."""


def serve(requests: BinaryIO, answers: BinaryIO, classifier: Classifier | None = None) -> None:
    """Answer request after request until the input ends. Raises only what reading and writing raise."""
    stream(requests, answers, _scoring(classifier))


def stream(requests: BinaryIO, answers: BinaryIO, answering: Answering) -> None:
    """:func:`serve` with operations of the caller's own.

    Clause: MS §8.1 batch
    """
    while line := requests.readline(MAX_LINE_BYTES + len(b"\r\n")):
        content = _content(line)
        if len(content) <= MAX_LINE_BYTES:  # then the whole line was read
            _, written = _answered(content, answering)
        else:
            written = encode(_failure(None, _too_long(requests, line)))
        answers.write(written + b"\n")
        answers.flush()


def reply_to(line: bytes, classifier: Classifier | None = None) -> dict[str, Any]:
    """The answer to one line; never raises."""
    return reply(line, _scoring(classifier))


def reply(line: bytes, answering: Answering) -> dict[str, Any]:
    """:func:`reply_to` with operations of the caller's own."""
    return _answered(line, answering)[0]


def _answered(line: bytes, answering: Answering) -> tuple[dict[str, Any], bytes]:
    """The answer to one line, and how it is written.

    Clause: MS §8.1 batch
    """
    ident: Any = None
    try:
        request = _request(line)
        ident = request.get("id")
        done = answering(_op(request), request)
        found = {"id": ident, "ok": True, "result": done.result, "fingerprint": done.fingerprint}
        return found, encode(found)  # what cannot be written is found here, while an error can still be answered
    except MalformedInput as error:
        failure = _failure(_saved_id(line, error), _broken(error))
    except RefusedError as refused:
        failure = _failure(ident, refused)
    except Exception as error:  # noqa: BLE001  one request must not end the stream for all that follow
        message = "the library failed on this request; please report it with the request"
        failure = _failure(ident, RefusedError("internal_error", message, {"kind": type(error).__name__}))
    return failure, encode(failure)


def encode(value: Any) -> bytes:
    """A JSON value as canonical UTF-8 on one line; half a surrogate pair, which UTF-8 cannot hold, as its escape."""
    text = canonical_json(value)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")


def _scoring(classifier: Classifier | None) -> Answering:
    return lambda op, fields: answer(op, fields, classifier)


def _request(line: bytes) -> dict[str, Any]:
    value = decode(_content(line), _LIMITS)
    if not isinstance(value, dict):
        raise RefusedError("invalid_request", f"a request is a JSON object, not {short(value)}", {"field": None})
    return value


def _op(request: dict[str, Any]) -> str:
    op = request.get("op")
    if not isinstance(op, str):
        shown = "is missing" if op is None else f"must be a string, not {short(op)}"
        raise RefusedError("invalid_request", f"the field op {shown}", {"field": "op"})
    return op


def _content(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _too_long(requests: BinaryIO, line: bytes) -> RefusedError:
    """Read on to the line's end without keeping it."""
    size = len(line)
    while not line.endswith(b"\n") and (line := requests.readline(_CHUNK)):
        size += len(line)
    size -= line.endswith(b"\n")
    message = f"the line takes {size} bytes, the limit is {MAX_LINE_BYTES}"
    return RefusedError("invalid_json", message, {"problem": "too_big", "line": None, "column": None})


def _broken(error: MalformedInput) -> RefusedError:
    place = {"line": error.line or None, "column": error.column or None}
    return RefusedError("invalid_json", str(error), {"problem": error.code, **place})


def _failure(ident: Any, refused: RefusedError) -> dict[str, Any]:
    return {"id": ident, "ok": False, "error": refused.to_dict()}


def _saved_id(line: bytes, error: MalformedInput) -> Any:
    """The id of a line that is a JSON object but was refused for what it holds, so that the sender can tell it."""
    if error.code not in ("duplicate_key", "not_a_number", "number_too_long", "too_deep"):
        return None
    try:
        value = json.loads(line, parse_constant=_no_json, parse_int=_whole)
        ident = value.get("id") if isinstance(value, dict) else None
        _request(encode({"id": ident}))
    except (ValueError, RecursionError):
        return None
    return ident


def _no_json(name: str) -> float:
    raise ValueError(name)


def _whole(literal: str) -> int | float:
    return int(literal) if len(literal) < 4300 else math.nan
