"""Trace which of our modules a request enters and how often a call crosses from one into another."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType
from typing import Any, Final

FUNCTIONS: Final = frozenset({"dispatch", "submit", "score", "authorize"})
HANDLER: Final = "contest.edge.web"
"""Top packages and the module of the handlers with which a request begins: what the stage calls beside them is no part
of it."""
OURS: Final = FUNCTIONS | {"contest", "tracks", "markup_core", "shadow"}
"""Top packages of the deployed code that these requests enter; the toy contest of tests is none of them."""


class Way:
    """Collect the modules that one request enters, and its calls from one module into another."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.crossings = 0


@contextmanager
def traced() -> Iterator[Way]:
    """Trace what this thread calls inside; costs some microseconds a call."""
    way = Way()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not _is_function(frame):
            return
        module = _module(frame)
        if module is None:
            return
        callers = _callers(frame)
        first = (callers or [module])[-1]
        if first == HANDLER or first.partition(".")[0] in FUNCTIONS:
            way.modules.add(module)
            way.crossings += bool(callers) and callers[0] != module

    sys.setprofile(note)
    try:
        yield way
    finally:
        sys.setprofile(None)


def _callers(frame: FrameType) -> list[str]:
    """List our modules from which a frame was called, the nearest first."""
    modules, caller = [], frame.f_back
    while caller is not None:
        modules.append(_module(caller))
        caller = caller.f_back
    return [module for module in modules if module is not None]


def _module(frame: FrameType) -> str | None:
    name = str(frame.f_globals.get("__name__", ""))
    return name if name.partition(".")[0] in OURS else None


def _is_function(frame: FrameType) -> bool:
    """Tell calls of functions, closures among them, from generators, comprehensions and class bodies."""
    code = frame.f_code
    return (
        not code.co_flags & inspect.CO_GENERATOR and not code.co_name.startswith("<") and frame.f_lasti <= _start(code)
    )


@cache
def _start(code: CodeType) -> int:
    """Return where a function begins, after the cells of its closure are made."""
    return next((each.offset for each in dis.get_instructions(code) if each.opname == "RESUME"), 0)
