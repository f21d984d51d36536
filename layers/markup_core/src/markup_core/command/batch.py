"""``markup-core batch``: a stream of requests, one JSON object per line.

The stream is the library for programs in any language. Every line of the input gets exactly one line of answer, in
order and at once. Whatever a line holds, the stream goes on: an empty line, a line that is no UTF-8 or no JSON, one
that is too long, a fault of the library itself. The stream does not depend on the operations: :func:`stream` takes them
from its caller.

Codes of the stream's errors: those of the operations, ``invalid_json`` (details: ``problem``, a code of
:class:`markup_core.reading.wire.MalformedInput`, with ``line`` and ``column``, null where there is no place) and
``internal_error`` (details: the kind of the fault).

With ``--jobs N`` requests are dealt to N processes in turn and the answers collected in that order. Each process is
``markup-core batch`` itself, so that the bytes are the same as without ``--jobs``. A line that waits stands in a pipe
and not in memory: the dealer stops where a pipe is full, and goes on when answers have left.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import cycle
from typing import IO, Any, BinaryIO, Final, cast

from markup_core.command.inputs import RefusedError, UnreadableError
from markup_core.command.operations import Answer, Request, answer, encode
from markup_core.reading.classifier import Classifier
from markup_core.reading.wire import Limits, MalformedInput, read, short
from markup_core.texts import tr

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest request, its line end not counted: a sample of some thousand markups."""
# A markup may be nested 64 deep; a sample holds it within five more levels.
_LIMITS: Final = Limits(max_bytes=MAX_LINE_BYTES, max_depth=80)
_CHUNK: Final = 1 << 20
Reading = Callable[[bytes], Request]
"""Function that reads a line; raises :class:`MalformedInput` and :class:`RefusedError`."""
Answering = Callable[[str, dict[str, Any]], Answer]
"""Function that runs one op on its request's fields; raises :class:`markup_core.command.inputs.RefusedError`."""


def serve(requests: BinaryIO, answers: BinaryIO, classifier: Classifier | None = None) -> None:
    """Answer request after request until the input ends. Raises only what reading and writing raise."""
    stream(requests, answers, _scoring(classifier), _typed_reading(classifier))


# Clause: MS §8.1 batch
def stream(requests: BinaryIO, answers: BinaryIO, answering: Answering, reading: Reading | None = None) -> None:
    """Serve as :func:`serve` does, with operations of the caller's own."""
    reading = reading or _request
    while line := requests.readline(MAX_LINE_BYTES + len(b"\r\n")):
        if len(line) <= MAX_LINE_BYTES or len(_content(line)) <= MAX_LINE_BYTES:  # then the whole line was read
            _, encoded = _answered(line, answering, reading)
        else:
            encoded = encode(_failure(None, _too_long(requests, line)))
        answers.write(encoded + b"\n")
        answers.flush()


def reply_to(line: bytes, classifier: Classifier | None = None) -> dict[str, Any]:
    """Answer one line; never raises."""
    return reply(line, _scoring(classifier))


def reply(line: bytes, answering: Answering) -> dict[str, Any]:
    """Reply as :func:`reply_to` does, with operations of the caller's own."""
    return _answered(line, answering, _request)[0]


# Clause: MS §8.1 batch
def _answered(line: bytes, answering: Answering, reading: Reading) -> tuple[dict[str, Any], bytes]:
    """Answer one line; return the answer and its bytes."""
    ident: Any = None
    try:
        request = reading(line)
        ident = request.get("id")
        answer = answering(_op(request), request)
        success = {"id": ident, "ok": True, "result": answer.result, "fingerprint": answer.fingerprint}
        floats = answer.floats if ident is None or type(ident) in (int, str) else None
        return success, encode(
            success, floats
        )  # what cannot be written is found here, while an error can still be answered
    except MalformedInput as error:
        place = {"line": error.line or None, "column": error.column or None}
        refused = RefusedError("invalid_json", str(error), {"problem": error.code, **place})
        failure = _failure(_saved_id(line, error), refused)
    except RefusedError as refused:
        failure = _failure(ident, refused)
    except Exception as error:  # noqa: BLE001  one request must not end the stream for all that follow
        message = "the library failed on this request; please report it with the request"
        failure = _failure(ident, RefusedError("internal_error", message, {"kind": type(error).__name__}))
    return failure, encode(failure)


def _scoring(classifier: Classifier | None) -> Answering:
    return lambda op, fields: answer(op, fields, classifier)


def _request(line: bytes) -> Request:
    value, written = read(_content(line), _LIMITS)
    if not isinstance(value, dict):
        raise RefusedError("invalid_request", f"a request is a JSON object, not {short(value)}", {"field": None})
    return Request(value, written)


def _typed_reading(classifier: Classifier | None) -> Reading:
    """Return the reading with types, where msgspec is installed, and of what it does not read the usual one."""
    try:
        from markup_core.reading import typed  # only a stream has requests by the thousand
    except ImportError:
        return _request
    codes = classifier or Classifier.default()

    def reading(line: bytes) -> Request:
        plain = typed.read(line, _LIMITS, codes)
        return _request(line) if plain is None else Request(*plain)

    return reading


def _op(request: dict[str, Any]) -> str:
    op = request.get("op")
    if not isinstance(op, str):
        problem = "is missing" if op is None else f"must be a string, not {short(op)}"
        raise RefusedError("invalid_request", f"the field op {problem}", {"field": "op"})
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


def _failure(ident: Any, refused: RefusedError) -> dict[str, Any]:
    return {"id": ident, "ok": False, "error": refused.to_dict()}


def _saved_id(line: bytes, error: MalformedInput) -> Any:
    """Return the id of a refused line that is a JSON object, so that the sender can identify it."""
    if error.code not in ("duplicate_key", "not_a_number", "number_too_long", "too_deep"):
        return None
    try:
        value = json.loads(
            line, parse_constant=_no_json, parse_int=lambda literal: int(literal) if len(literal) < 4300 else math.nan
        )
        ident = value.get("id") if isinstance(value, dict) else None
        _request(encode({"id": ident}))
    except (ValueError, RecursionError):
        return None
    return ident


def _no_json(name: str) -> float:
    raise ValueError(name)


MOST_JOBS: Final = 64
"""Most processes that a command may start; each takes the memory of a stream."""
_PIECE: Final = 1 << 20
"""Most bytes of a long line that are passed on at once."""


def number_of_jobs(option: str) -> int:
    """Return the number of processes that ``--jobs`` asks for; raises :class:`UnreadableError`."""
    if option.isascii() and option.isdigit() and 1 <= int(option[:9]) <= MOST_JOBS:
        return int(option)
    message = tr("--jobs: a whole number from 1 to {most} is expected, not {jobs}", most=MOST_JOBS, jobs=option)
    raise UnreadableError(message)


# Clause: MS §8.1 batch
def serve_by_processes(requests: BinaryIO, answers: BinaryIO, options: Sequence[str], jobs: int) -> None:
    """Answer request after request in order, by so many processes; ``options`` are those of each.

    Raises what reading and writing raise, and :class:`UnreadableError` where a process ends before its input.
    """
    from subprocess import PIPE, Popen  # one process needs neither
    from threading import Thread

    command = [sys.executable, "-m", "markup_core", "batch", *options]
    workers = [Popen(command, stdin=PIPE, stdout=PIPE) for _ in range(jobs)]  # noqa: S603  the same command
    inputs = [cast("IO[bytes]", worker.stdin) for worker in workers]
    outputs = [cast("IO[bytes]", worker.stdout) for worker in workers]
    try:
        # It may wait for a line for ever, when nobody reads the answers any more.
        Thread(target=_deal, args=(requests, inputs), daemon=True).start()
        answered = 0
        while (answer := outputs[answered % jobs].readline()).endswith(b"\n"):
            answers.write(answer)
            answers.flush()
            answered += 1
        if code := workers[answered % jobs].wait():
            message = tr(
                "a process of --jobs ended with code {code}; {answered} lines are answered, those behind them are not",
                code=code,
                answered=answered,
            )
            raise UnreadableError(message)
    finally:
        for worker, output in zip(workers, outputs, strict=True):
            worker.kill()
            worker.wait()
            output.close()


def _deal(requests: BinaryIO, inputs: Sequence[IO[bytes]]) -> None:
    """Pass each line to the next process, in pieces, and end all inputs with the requests or with a process."""
    with suppress(OSError):  # a process has ended: the answers end there too
        for target in cycle(inputs):
            while (piece := requests.readline(_PIECE)) and not piece.endswith(b"\n"):
                target.write(piece)
            if not piece:
                break
            target.write(piece)
            target.flush()
    for target in inputs:
        with suppress(OSError):
            target.close()
