"""Structured log of requests; it never holds a token, an essay or an answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aws_lambda_powertools import Logger

from contest.figures import SERVICE

logger = Logger(service=SERVICE)
"""JSON lines; levels and sampling come from the environment by the library's own names."""


@contextmanager
def about(context: Any, **facts: Any) -> Iterator[None]:
    """Let every line logged inside, a failure's traceback too, carry the function's request id and these facts.

    ``correlation_id``: the id by which the caller knows the request, so that it finds the line.
    """
    with logger.append_context_keys(
        function_name=context.function_name, function_request_id=context.aws_request_id, **facts
    ):
        yield
