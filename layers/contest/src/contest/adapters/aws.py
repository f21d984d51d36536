"""Clients of AWS by the plain SDK core: importing boto3 on top of it would cost a cold start a third of a second."""

from __future__ import annotations

from functools import cache
from typing import Any

import botocore.session  # type: ignore[import-untyped]  # the SDK has no types
from botocore.config import Config  # type: ignore[import-untyped]  # the SDK has no types


@cache
def client(service: str) -> Any:
    """The process's client of a service; region, endpoint and credentials come from the environment."""
    config = Config(
        connect_timeout=3,
        read_timeout=15,
        retries={"mode": "standard", "max_attempts": 4},
        max_pool_connections=50,
        parameter_validation=False,  # what we send is typed; the service validates it anyway
    )
    return botocore.session.get_session().create_client(service, config=config)
