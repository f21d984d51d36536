"""The event channel's side of the functions: from a gateway's WebSocket event, or a queue's message, to a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from contest.adapters import frames
from contest.adapters.frames import Closing, Connect, Disconnect, FrameError, Ping
from contest.adapters.frames import Event as Said
from contest.adapters.queue import push_from
from contest.bootstrap import platform
from contest.bootstrap.logs import logger
from contest.domain.channel import Emitted, Push
from contest.domain.moments import Millis
from contest.services import channel, pushing
from contest.services.channel import Dialect
from contest.services.dialect_readable import ReadableDialect

Event = Mapping[str, Any]
Answer = dict[str, Any]
DIALECTS: Final[Mapping[str, Dialect]] = {"/pku": ReadableDialect()}
"""Which client speaks in which namespace."""
_OK: Final[Answer] = {"statusCode": 200}
_REFUSED: Final[Answer] = {"statusCode": 400}


def serve(event: Event) -> Answer:
    """Answer one event of the WebSocket gateway. A fault of ours closes no connection: the client asks again."""
    request = event["requestContext"]
    try:
        return _ROUTES[request["routeKey"]](event, request["connectionId"], int(request["requestTimeEpoch"]))
    except Exception:  # noqa: BLE001 -- whatever it is, the connection stays
        logger.exception("fault", extra={"route": request["routeKey"], "connection_id": request["connectionId"]})
        return {"statusCode": 500}


def push(event: Event) -> Answer:
    """Do what messages of the push queue ask for, what is due first first; those that fail come again by themselves."""
    failed = []
    for record, asked in sorted(((each, push_from(each["body"])) for each in event["Records"]), key=_due):
        try:
            pushing.pushed(platform(), asked)
        except Exception:  # noqa: BLE001 -- one push's failure must not keep the others back
            logger.exception("push failed", extra={"message_id": record["messageId"]})
            failed.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failed}


def _due(message: tuple[Mapping[str, Any], Push]) -> Millis:
    return message[1].at


def _connect(event: Event, connection_id: str, arrival: Millis) -> Answer:
    query = event.get("queryStringParameters") or {}
    return _OK if channel.connect(platform(), connection_id, query, arrival) else _REFUSED


def _hear(event: Event, connection_id: str, arrival: Millis) -> Answer:
    """Read a frame and do what it says. Who sends what is no frame, or bytes, is disconnected."""
    try:
        packet = frames.read("" if event.get("isBase64Encoded") else str(event.get("body") or ""))
    except FrameError:
        channel.end(platform(), connection_id, arrival)
        return _REFUSED
    match packet:
        case Ping(data):
            channel.pong(platform(), connection_id, data)
        case Connect(namespace, query):
            channel.enter(platform(), DIALECTS, connection_id, namespace, query)
        case Said(namespace, name, arguments, ack):
            payload = arguments[0] if arguments else None
            _do(event, connection_id, Emitted(namespace, name, payload, ack), arrival)
        case Closing() | Disconnect():
            channel.end(platform(), connection_id, arrival)
    return _OK


def _do(event: Event, connection_id: str, said: Emitted, arrival: Millis) -> None:
    """Do what a client's event asks for; what nobody expected is recorded, and the client is told."""
    try:
        channel.hear(platform(), DIALECTS, connection_id, said, arrival)
    except Exception:  # noqa: BLE001 -- whatever it is, the client must not wait for an answer in vain
        request_id = event["requestContext"].get("requestId")
        logger.exception("fault", extra={"connection_id": connection_id, "gateway_request_id": request_id})
        channel.regret(platform(), DIALECTS, connection_id, said)


def _disconnect(_event: Event, connection_id: str, arrival: Millis) -> Answer:
    channel.leave(platform(), connection_id, arrival)
    return _OK


_ROUTES: Final[Mapping[str, Callable[[Event, str, Millis], Answer]]] = {
    "$connect": _connect,
    "$default": _hear,
    "$disconnect": _disconnect,
}
