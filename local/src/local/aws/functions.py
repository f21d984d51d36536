"""A function as the template describes it; :mod:`local.lambdas.runtime` runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.environment import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class FunctionSpec:
    """A function: `name` as in logs and URLs, `handler` as in the template, environment beyond the common one.

    `reserved`: so many events at once, None without a bound.
    """

    name: str
    handler: str
    environment: Mapping[str, str]
    timeout_s: float = 3.0
    memory_mb: int = 128
    workers: int = 1
    reserved: int | None = None


def function_arn(name: str) -> str:
    """Return the ARN of a function of the local cloud."""
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"
