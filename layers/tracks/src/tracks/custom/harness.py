"""Run a measure's program in a child process: requests in a file, results in a file, nothing else.

The child has the standard library and the program. It has bounds of time, memory and file size, no network where the
kernel lets it give that up, and an audit hook that refuses sockets, processes, foreign libraries and files elsewhere.
Bounds and hook guard against mistakes; what keeps the program from everything else is the place in which this runs
(docs/decisions/0056). It imports nothing of the platform, because the program shares its process.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import signal
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEW_USER_AND_NETWORK: Final = 0x10000000 | 0x40000000
_FORBIDDEN: Final = (
    *("socket.", "subprocess.", "ctypes.", "os.fork", "os.exec", "os.posix_spawn", "os.spawn", "os.system"),
    *("os.remove", "os.rename", "os.mkdir", "os.kill", "signal.pthread_kill"),
)
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_MOST_SAID: Final = 300


class OverTimeError(BaseException):
    """The call has used up its time; no handler of Exceptions in the program catches it."""


def _confine(limits: Mapping[str, int], calls: int) -> bool:
    """Set the bounds of this process; return whether the kernel has cut its network."""
    seconds = limits["seconds"] * calls + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # the first bound has a signal of its own
    for bound, value in (
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["output"]),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(bound, (value, value))
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    return unshare is not None and unshare(_NEW_USER_AND_NETWORK) == 0


def _watch(program: str) -> None:
    """Forbid from now on the operations that no measure needs; an audit hook cannot be removed."""
    roots = tuple(os.path.realpath(root) + os.sep for root in (sys.base_prefix, os.path.dirname(os.__file__)))  # noqa: PTH120

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(f"a measure may not use {event}")
        if event == "open" and isinstance(arguments[0], str | bytes):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if arguments[2] & _WRITING or not (path == program or path.startswith(roots)):
                raise PermissionError("a measure may open no file")

    sys.addaudithook(refuse)


def _said(error: BaseException, program: str) -> str:
    """Describe an exception: its type, its message and the line of the program that raised it."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(program):
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        message = f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- an exception of the program may fail to describe itself
        message = type(error).__name__
    return message[:_MOST_SAID] + (f" (line {line})" if line else "")


def _called(module: Any, call: Mapping[str, Any], seconds: int) -> Any:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        if call["op"] == "score":
            return module.score(call["answer"], call["references"])
        return module.aggregate(call["counts"]) if call["op"] == "aggregate" else list(module.SAMPLES)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _answered(module: Any, call: Mapping[str, Any], seconds: int, program: str) -> dict[str, Any]:
    """Return the result of one call, or its failure."""
    try:
        result = _called(module, call, seconds)
    except OverTimeError:
        return {"failed": "time", "said": ""}
    except MemoryError:
        return {"failed": "memory", "said": ""}
    except BaseException as error:  # noqa: BLE001 -- SystemExit and KeyboardInterrupt are the program's, too
        return {"failed": "raised", "said": _said(error, program)}
    try:
        json.dumps(result)
    except (TypeError, ValueError, RecursionError) as error:
        return {"failed": "shape", "said": _said(error, program)}
    return {"result": result}


def _over(_number: int, _frame: object) -> None:
    raise OverTimeError


def main(folder: str) -> None:
    """Answer the calls of a folder's ``request.json`` in its ``results.json``."""
    with open(f"{folder}/request.json", "rb") as file:  # noqa: PTH123 -- pathlib is one more library to load
        request = json.load(file)
    program, limits, calls = request["program"], request["limits"], request["calls"]
    results = os.open(f"{folder}/results.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    sys.path.insert(0, request["path"])
    is_isolated = _confine(limits, len(calls))
    signal.signal(signal.SIGPROF, _over)
    _watch(program)
    try:
        module = importlib.import_module(request["module"])
        answers = [_answered(module, call, limits["seconds"], program) for call in calls]
    except MemoryError:
        answers = [{"failed": "memory", "said": ""}] * len(calls)
    except BaseException as error:  # noqa: BLE001 -- whatever loading it raises is the program's
        answers = [{"failed": "raised", "said": _said(error, program)}] * len(calls)
    os.write(results, json.dumps({"isolated": is_isolated, "answers": answers}).encode())
    os._exit(0)  # what the program has registered to run at exit is nobody's


if __name__ == "__main__":
    main(sys.argv[1])
