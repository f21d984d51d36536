"""AWS clients on the plain SDK core: importing boto3 as well would add a third of a second to a cold start."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import botocore.session  # type: ignore[import-untyped]  # the SDK has no types
from botocore.config import Config  # type: ignore[import-untyped]  # the SDK has no types

USER_AGENT: Final = "hurdle"
"""The SDK puts its own together anew for every request, which takes longer than signing it; nobody reads it."""


@cache
def session() -> Any:
    """Return the process's session.

    Regions, defaults and credentials, which clients have in common, are read once for all.
    """
    return botocore.session.get_session()


@cache
def client(service: str) -> Any:
    """Return the process's client of a service; region, endpoint and credentials come from the environment."""
    config = Config(
        connect_timeout=3,
        read_timeout=15,
        retries={"mode": "standard", "max_attempts": 4},
        max_pool_connections=50,
        parameter_validation=False,  # what we send is typed; the service validates it anyway
        user_agent=USER_AGENT,
    )
    return session().create_client(service, config=config)
