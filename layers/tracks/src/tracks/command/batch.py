"""``tracks batch``: the tracks for programs in any language, one JSON object per line (tracks.md §5).

The stream is the one of :mod:`markup_core.command.batch`: one line of answer per request, in order and at once,
whatever a line holds.

An op is named after its track: ``exam.item`` is ``OPERATIONS["exam.item"]`` of ``tracks.exam.commands``, which is
loaded when the track's first op is asked for. An operation takes the :class:`tracks.base.Fields` of a request,
returns a JSON object and raises :class:`markup_core.command.complaints.RefusedError` for what it cannot do.

Codes of errors: ``invalid_request`` (details: field), ``unknown_op`` (details: known), those of the tracks' own
operations, ``invalid_json`` and ``internal_error``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, BinaryIO

from markup_core.command.batch import reply, stream
from markup_core.command.complaints import RefusedError
from markup_core.command.operations import Answer
from markup_core.reading.wire import short
from tracks.base import Fields, fingerprint
from tracks.command import TRACKS
from tracks.texts import tr

Operation = Callable[[Fields], Any]


# Clause: tracks §5 batch
def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer request after request until the input ends. Raises only the errors of reading and writing."""
    stream(requests, answers, answer)


def reply_to(line: bytes) -> dict[str, Any]:
    """Return the answer to one line; never raises."""
    return reply(line, answer)


def answer(op: str, fields: Mapping[str, Any]) -> Answer:
    """Do one operation; raises :class:`RefusedError`."""
    return Answer(_find(op)(Fields(fields)), fingerprint(op, fields))


def operation_names() -> Iterator[str]:
    """Yield the names of all operations; load every track that has any."""
    for track in TRACKS:
        yield from _operations(track)


def _find(op: str) -> Operation:
    track = op.partition(".")[0]
    operation = _operations(track).get(op) if track in TRACKS else None
    if operation is None:
        names = list(operation_names())
        message = tr("there is no op {op}; the ops are {names}", op=short(op), names=", ".join(names))
        raise RefusedError("unknown_op", message, {"known": names})
    return operation


def _operations(track: str) -> Mapping[str, Operation]:
    operations: Mapping[str, Operation] = import_module(TRACKS[track]).OPERATIONS
    return operations
