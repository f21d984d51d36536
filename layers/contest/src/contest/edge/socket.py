"""The event channel's side of the functions: from a gateway's WebSocket event, or a queue's message, to a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from contest import frames
from contest.domain.channel.channel import Emitted
from contest.domain.moments import Millis
from contest.edge import origin
from contest.edge.logs import about, logger
from contest.edge.messages import push_from
from contest.edge.queues import consume
from contest.frames import Closing, Connect, Disconnect, Event, FrameError, Ping
from contest.services.channel import connections, pushing
from contest.services.channel.connections import Dialect
from contest.services.channel.dialect_doctor import DoctorDialect
from contest.services.channel.dialect_readable import ReadableDialect
from contest.wiring import platform

GatewayEvent = Mapping[str, Any]
Answer = dict[str, Any]
DIALECTS: Final[Mapping[str, Dialect]] = {"/pku": ReadableDialect(), "/baseline": DoctorDialect()}
"""Which client speaks in which namespace: those of the domain's ``NAMESPACES``."""
_OK: Final[Answer] = {"statusCode": 200}
_REFUSED: Final[Answer] = {"statusCode": 400}


def serve(event: GatewayEvent, context: Any) -> Answer:
    """Answer one event of the WebSocket gateway. A fault of ours closes no connection: the client asks again."""
    request = event["requestContext"]
    route, connection_id = request["routeKey"], request["connectionId"]
    with about(context, correlation_id=request.get("requestId"), route=route, connection_id=connection_id):
        try:
            return _ROUTES[route](event, connection_id, int(request["requestTimeEpoch"]))
        except Exception:  # noqa: BLE001 -- whatever it is, the connection stays
            logger.exception("fault")
            return {"statusCode": 500}


def push(event: GatewayEvent, context: Any) -> Answer:
    """Do what messages of the push queue ask for, what is due first first; those that fail come again by themselves."""
    by_due_time = sorted(event["Records"], key=lambda record: push_from(record["body"]).at)
    return consume(by_due_time, lambda body: pushing.pushed(platform(), push_from(body)), context)


def _connect(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    """Let a connection in. Of its events this one alone has headers, and so tells which way the client came."""
    if not origin.is_in_front(event.get("headers")):
        return dict(origin.FORBIDDEN)
    query = event.get("queryStringParameters") or {}
    return _OK if connections.connect(platform(), connection_id, query, arrival) else _REFUSED


def _hear(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    """Read a frame and do what it says. Who sends what is no frame, or bytes, is disconnected."""
    try:
        packet = frames.read("" if event.get("isBase64Encoded") else str(event.get("body") or ""))
    except FrameError:
        connections.end(platform(), connection_id, arrival)
        return _REFUSED
    match packet:
        case Ping(data):
            connections.pong(platform(), connection_id, data)
        case Connect(namespace, query):
            connections.enter(platform(), DIALECTS, connection_id, namespace, query, arrival)
        case Event(namespace, name, arguments, ack):
            payload = arguments[0] if arguments else None
            _do(connection_id, Emitted(namespace, name, payload, ack), arrival)
        case Closing() | Disconnect():
            connections.end(platform(), connection_id, arrival)
    return _OK


def _do(connection_id: str, said: Emitted, arrival: Millis) -> None:
    """Do what a client's event asks for; what nobody expected is recorded, and the client is told."""
    try:
        connections.hear(platform(), DIALECTS, connection_id, said, arrival)
    except Exception:  # noqa: BLE001 -- whatever it is, the client must not wait for an answer in vain
        logger.exception("fault")
        connections.tell_failure(platform(), DIALECTS, connection_id, said)


def _disconnect(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    code = event["requestContext"].get("disconnectStatusCode")
    connections.closed(platform(), connection_id, code, arrival)
    return _OK


_ROUTES: Final[Mapping[str, Callable[[GatewayEvent, str, Millis], Answer]]] = {
    "$connect": _connect,
    "$default": _hear,
    "$disconnect": _disconnect,
}
