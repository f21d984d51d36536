"""Connections of the event channel in the exchange table, and the gateway's ``@connections`` calls.

The calls send a client frames of its own protocol revision.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from pynamodb.attributes import BooleanAttribute, JSONAttribute, NumberAttribute, UnicodeAttribute

from contest.adapters import aws
from contest.adapters.aws import ExchangeItem, conditional_write, expiry
from contest.channel import frames
from contest.channel.frames import Revision
from contest.channel.rules import Absence, Attachment, Connection, Told, intervals
from contest.ports import LostRaceError
from contest.room_ports import GoneError
from contest.session.store import session_key
from contest.values import Millis

_ALL: Final = "CONNECTIONS"
ATTACHMENT: Final = "CONNECTION"
"""Sort key of a session's attachment."""
_DAY_S: Final = 86_400


class ConnectionItem(ExchangeItem):
    """A connection."""

    revision = NumberAttribute()
    opened_at = NumberAttribute()
    pinged_at = NumberAttribute()
    token_sha256 = UnicodeAttribute()
    session_id = UnicodeAttribute()
    namespace = UnicodeAttribute()
    expires_at = NumberAttribute()


class AttachmentItem(ExchangeItem):
    """Target of a session's pushes, and the absences of its client: evidence, hence kept with the session."""

    connection_id = UnicodeAttribute()
    absences: Any = JSONAttribute()
    version = NumberAttribute()
    owes_reason = BooleanAttribute(default=False)
    since = NumberAttribute(null=True)


class PushedItem(ExchangeItem):
    """Connection that a file was pushed to last."""

    connection_id = UnicodeAttribute()


class ClaimItem(ExchangeItem):
    """Claim to push a file over a connection; looked at while copies of the push may come."""

    expires_at = NumberAttribute()


class DynamoConnections:
    """:class:`contest.room_ports.Connections`."""

    def add(self, connection: Connection) -> None:
        fields = asdict(connection)
        name = fields.pop("connection_id")
        ConnectionItem(_ALL, name, **fields, expires_at=expiry(connection.opened_at, _DAY_S)).save()

    def get(self, connection_id: str) -> Connection | None:
        return ConnectionItem.one(_ALL, connection_id, _connection)

    def note(self, connection: Connection, *fields: str) -> None:
        actions = [getattr(ConnectionItem, field).set(getattr(connection, field)) for field in fields]
        with suppress(LostRaceError), conditional_write():
            ConnectionItem(_ALL, connection.connection_id).update(actions, condition=ConnectionItem.pk.exists())

    def remove(self, connection_id: str) -> None:
        ConnectionItem(_ALL, connection_id).delete()

    def remove_all(self, connection_ids: Sequence[str]) -> None:
        with ConnectionItem.batch_write() as batch:
            for connection_id in connection_ids:
                batch.delete(ConnectionItem(_ALL, connection_id))

    def all(self) -> Sequence[Connection]:
        return [_connection(item) for item in ConnectionItem.query(_ALL, consistent_read=True)]

    def attachment(self, session_id: str) -> Attachment | None:
        return AttachmentItem.one(session_key(session_id), ATTACHMENT, attachment_of)

    def attach(self, before: Attachment | None, after: Attachment) -> None:
        item = AttachmentItem(
            session_key(after.session_id),
            ATTACHMENT,
            connection_id=after.connection_id,
            absences=[[absence.since, absence.until] for absence in after.absences],
            version=after.version,
            owes_reason=after.owes_reason,
            since=after.since,
        )
        absent = AttachmentItem.pk.does_not_exist()
        with conditional_write():
            item.save(condition=absent if before is None else AttachmentItem.version == before.version)

    def pushed_to(self, session_id: str, number: int) -> str | None:
        return PushedItem.one(session_key(session_id), _pushed_sk(number), lambda item: item.connection_id)

    def mark_pushed(self, session_id: str, number: int, connection_id: str) -> None:
        PushedItem(session_key(session_id), _pushed_sk(number), connection_id=connection_id).save()

    def claim(self, session_id: str, number: int, at: Millis, connection_id: str) -> bool:
        sort_key = f"PUSHING#{number:04d}#{at:013d}#{connection_id}"
        try:
            with conditional_write():
                ClaimItem(session_key(session_id), sort_key, expires_at=expiry(at, _DAY_S)).save(
                    condition=ClaimItem.pk.does_not_exist()
                )
        except LostRaceError:
            return False
        return True


def attachment_of(item: AttachmentItem) -> Attachment:
    """Return an item as an attachment."""
    absences = tuple(Absence(*interval) for interval in item.absences)
    name = item.pk.removeprefix(session_key(""))
    since = None if item.since is None else int(item.since)
    return Attachment(name, item.connection_id, absences, int(item.version), bool(item.owes_reason), since)


def _connection(item: ConnectionItem) -> Connection:
    return Connection(
        connection_id=item.sk,
        revision=int(item.revision),
        opened_at=int(item.opened_at),
        pinged_at=int(item.pinged_at),
        token_sha256=item.token_sha256,
        session_id=item.session_id,
        namespace=item.namespace,
    )


def _pushed_sk(number: int) -> str:
    return f"PUSHED#{number:04d}"


_GONE = 410


def client(endpoint: str) -> Any:
    """Return the process's client of an event channel."""
    return aws.client("apigatewaymanagementapi", endpoint)


class GatewaySockets:
    """:class:`contest.room_ports.Sockets`; ``endpoint`` is the channel's address with its stage."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint

    @property
    def _client(self) -> Any:
        return client(self._endpoint)

    def greet(self, connection: Connection) -> None:
        """Send the first frames; a client of Socket.IO 2 is in the default namespace from the start."""
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
            payloads = [argument for event in events[:1] for argument in _arguments(event)]
            self._post(connection, frames.acknowledged(connection.namespace, ack, *payloads))
        for event in events:
            self._post(connection, frames.event(connection.namespace, event.name, *_arguments(event)))

    def _post(self, connection: Connection, frame: str) -> None:
        try:
            self._client.post_to_connection(ConnectionId=connection.connection_id, Data=frame.encode("utf-8"))
        except ClientError as error:
            if _status(error) == _GONE:
                raise GoneError(connection.connection_id) from error
            raise

    def part(self, connection: Connection) -> None:
        """Send a client away; one that is only cut off comes back by itself, as after a lost connection."""
        self._post(connection, frames.disconnected(connection.namespace))

    def close(self, connection_id: str) -> None:
        try:
            self._client.delete_connection(ConnectionId=connection_id)
        except ClientError as error:
            if _status(error) != _GONE:
                raise


def _arguments(event: Told) -> list[dict[str, Any]]:
    """Return the arguments behind an event's name: its payload, or nothing."""
    return [] if event.payload is None else [dict(event.payload)]


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
