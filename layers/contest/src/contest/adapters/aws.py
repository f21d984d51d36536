"""AWS clients on the plain SDK core: importing boto3 as well would add a third of a second to a cold start."""

from __future__ import annotations

import random
import time
from functools import cache
from typing import Any, Final

import botocore.session  # type: ignore[import-untyped]  # the SDK has no types
from botocore.config import Config  # type: ignore[import-untyped]  # the SDK has no types

from markup_core.lazy import dataclass

USER_AGENT: Final = "hurdle"
"""The SDK puts its own together anew for every request, which takes longer than signing it; nobody reads it."""


@cache
def session() -> Any:
    """Return the process's session.

    Regions, defaults and credentials, which clients have in common, are read once for all. The SDK draws its pauses
    from the module's random numbers, whose state a snapshot copies into every process that is restored from it (AWS
    Lambda developer guide, "Handling uniqueness with Lambda SnapStart"); no session is made before.
    """
    random.seed()
    return botocore.session.get_session()


@cache
def client(service: str, endpoint: str | None = None) -> Any:
    """Return the process's client of a service; region and credentials come from the environment, as does the endpoint
    that is not given."""
    bounds = patience(_timeout_s[0])
    config = Config(
        connect_timeout=_CONNECT_S,
        read_timeout=bounds.read_s,
        retries={"mode": "standard", "total_max_attempts": bounds.tries},
        max_pool_connections=50,
        parameter_validation=False,  # what we send is typed; the service validates it anyway
        user_agent=USER_AGENT,
    )
    return session().create_client(service, endpoint_url=endpoint, config=config)


_CONNECT_S: Final = 1
_READ_S: Final = 3
_LONG_READ_S: Final = 15
"""Seconds a worker waits for an answer; S3 answers after a large object has come."""
_WORKER_S: Final = 120
_TRIES: Final = 4
_timeout_s: Final[list[int | None]] = [None]
"""The time-out of the function that this process is of, at most one value."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds of a request: seconds without a byte of the answer, and how often it is tried at most."""

    read_s: int
    tries: int

    @property
    def longest_s(self) -> int:
        """Return the seconds of all tries with the pauses between, which the SDK draws up to 1, 2, 4 seconds (botocore
        user guide, "Retries", standard mode)."""
        return self.tries * (_CONNECT_S + self.read_s) + (1 << (self.tries - 1)) - 1


def patience(timeout_s: int | None) -> Patience:
    """Return the bounds of a request within a function's time-out: the last try ends before the function does.

    Without a time-out, as in a command, those of the longest.
    """
    read_s = _READ_S if timeout_s is not None and timeout_s < _WORKER_S else _LONG_READ_S
    possible = [Patience(read_s, tries) for tries in range(_TRIES, 0, -1)]
    return next(
        choice for choice in possible if timeout_s is None or choice.longest_s <= timeout_s or choice.tries == 1
    )


def within(timeout_s: int) -> None:
    """Say the time-out of the function that this process is of, before its first client is made."""
    _timeout_s[:] = [timeout_s]


_PROGRAM_S: Final = 70
"""A little more than the function may take that runs a program of a declared measure."""


def runner_of_measures() -> Any:
    """Return a client of AWS Lambda that waits as long as a program of a declared measure may take."""
    retries = {"mode": "standard", "total_max_attempts": 2}
    bounds = Config(connect_timeout=_CONNECT_S, read_timeout=_PROGRAM_S, retries=retries, user_agent=USER_AGENT)
    return session().create_client("lambda", config=bounds)


_JITTER: Final = random.SystemRandom()
"""Random numbers of the system, whose state no snapshot copies."""


def pause(attempt: int) -> None:
    """Wait before another attempt (1, 2, …): some 40 ms, 80 ms, …, a random half more or less."""
    time.sleep(_JITTER.uniform(0.5, 1.5) * _PAUSE_S * 2**attempt)


_PAUSE_S: Final = 0.02
