"""The client by which programs of declared measures are run in a function of their own."""

from __future__ import annotations

from typing import Any, Final

from botocore.config import Config  # type: ignore[import-untyped]  # the SDK has no types

from contest.adapters import aws

_LONGEST_S: Final = 70
"""A little more than the function may take."""


def client() -> Any:
    """Return a client of AWS Lambda that waits as long as a program may take."""
    retries = {"mode": "standard", "total_max_attempts": 2}
    bounds = Config(connect_timeout=1, read_timeout=_LONGEST_S, retries=retries, user_agent=aws.USER_AGENT)
    return aws.session().create_client("lambda", config=bounds)
