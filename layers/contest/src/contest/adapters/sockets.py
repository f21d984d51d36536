"""The gateway's ``@connections`` calls: frames to clients of the event channel."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import botocore.session  # type: ignore[import-untyped]  # the SDK has no types
from botocore.config import Config  # type: ignore[import-untyped]  # the SDK has no types
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types

from contest.ports import GoneError

_GONE = 410


class GatewaySockets:
    """:class:`contest.ports.Sockets`; ``endpoint`` is the channel's address with its stage."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint

    @cached_property
    def _client(self) -> Any:
        config = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "max_attempts": 2})
        session = botocore.session.get_session()
        return session.create_client("apigatewaymanagementapi", endpoint_url=self._endpoint, config=config)

    def post(self, connection_id: str, frame: str) -> None:
        """See the port."""
        try:
            self._client.post_to_connection(ConnectionId=connection_id, Data=frame.encode("utf-8"))
        except ClientError as error:
            if _status(error) == _GONE:
                raise GoneError(connection_id) from error
            raise

    def close(self, connection_id: str) -> None:
        """See the port."""
        try:
            self._client.delete_connection(ConnectionId=connection_id)
        except ClientError as error:
            if _status(error) != _GONE:
                raise


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
