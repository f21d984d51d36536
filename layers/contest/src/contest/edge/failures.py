"""Failures of functions that must start with few imports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def logged_failures(context: Any, **facts: Any) -> Iterator[None]:
    """Log a failure with the function's request id and these facts, then let Lambda have it.

    The log's library is loaded only then: it takes longer than all else that such a function does.
    """
    try:
        yield
    except Exception:
        logs = import_module("contest.edge.logs")
        with logs.about(context, **facts):
            logs.logger.exception("failed")
        raise
