"""The gateway's ``@connections`` calls: what clients of the event channel are told, as frames of their revision."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from botocore.config import Config  # type: ignore[import-untyped]  # the SDK has no types
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types

from contest import frames
from contest.adapters import aws
from contest.domain.channel.channel import Connection, Told, intervals
from contest.frames import Revision
from contest.ports.channel import GoneError

_GONE = 410


@cache
def client(endpoint: str) -> Any:
    """The process's client of an event channel."""
    config = Config(
        connect_timeout=2,
        read_timeout=5,
        retries={"mode": "standard", "max_attempts": 2},
        user_agent=aws.USER_AGENT,
    )
    return aws.session().create_client("apigatewaymanagementapi", endpoint_url=endpoint, config=config)


class GatewaySockets:
    """:class:`contest.ports.channel.Sockets`; ``endpoint`` is the channel's address with its stage."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint

    @property
    def _client(self) -> Any:
        return client(self._endpoint)

    def greet(self, connection: Connection) -> None:
        """See the port. A client of Socket.IO 2 is in the default namespace from the start."""
        revision = Revision(connection.revision)
        self._post(connection, frames.opening(connection.connection_id, revision, *intervals(connection.revision)))
        if revision is Revision.THREE:
            self.welcome(connection, frames.DEFAULT_NAMESPACE)

    def ping(self, connection: Connection) -> None:
        self._post(connection, frames.ping())

    def pong(self, connection: Connection, data: str) -> None:
        self._post(connection, frames.pong(data))

    def welcome(self, connection: Connection, namespace: str) -> None:
        self._post(connection, frames.connected(namespace, Revision(connection.revision), connection.connection_id))

    def refuse(self, connection: Connection, namespace: str, message: str) -> None:
        self._post(connection, frames.refused(namespace, Revision(connection.revision), message))

    def tell(self, connection: Connection, events: Sequence[Told], ack: int | None = None) -> None:
        if ack is not None:
            payloads = [argument for each in events[:1] for argument in _arguments(each)]
            self._post(connection, frames.acknowledged(connection.namespace, ack, *payloads))
        for each in events:
            self._post(connection, frames.event(connection.namespace, each.name, *_arguments(each)))

    def _post(self, connection: Connection, frame: str) -> None:
        try:
            self._client.post_to_connection(ConnectionId=connection.connection_id, Data=frame.encode("utf-8"))
        except ClientError as error:
            if _status(error) == _GONE:
                raise GoneError(connection.connection_id) from error
            raise

    def part(self, connection: Connection) -> None:
        """See the port. Who is only cut off comes back by itself, as after a lost connection."""
        self._post(connection, frames.disconnected(connection.namespace))

    def close(self, connection_id: str) -> None:
        try:
            self._client.delete_connection(ConnectionId=connection_id)
        except ClientError as error:
            if _status(error) != _GONE:
                raise


def _arguments(event: Told) -> list[dict[str, Any]]:
    """Return what stands behind an event's name: its payload, or nothing."""
    return [] if event.payload is None else [dict(event.payload)]


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
