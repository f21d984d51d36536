"""Events of the WebSocket gateway, passed to the event channel's use cases.

Requests of the earlier clients over HTTP are another function's (:mod:`contest.channel.fetching`): a process of the
channel loads no router.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from contest.channel import connections, frames
from contest.channel.dialects import DIALECTS
from contest.channel.frames import Closing, Connect, Disconnect, Event, FrameError, Ping
from contest.channel.rules import Emitted
from contest.edge import guards
from contest.edge.guards import log, log_context
from contest.stored_names import Figure
from contest.values import Millis
from contest.wiring import platform

logger = log()

GatewayEvent = Mapping[str, Any]
Answer = dict[str, Any]
_OK: Final[Answer] = {"statusCode": 200}
_REFUSED: Final[Answer] = {"statusCode": 400}


def serve(event: GatewayEvent, context: Any) -> Answer:
    """Answer one event of the WebSocket gateway. A fault of ours closes no connection: the client asks again."""
    request = event["requestContext"]
    route, connection_id = request["routeKey"], request["connectionId"]
    with log_context(context, correlation_id=request.get("requestId"), route=route, connection_id=connection_id):
        try:
            return _ROUTES[route](event, connection_id, int(request["requestTimeEpoch"]))
        except Exception:  # after any failure the connection stays
            logger.exception("fault")
            return {"statusCode": 500}


def _connect(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    """Accept a connection. Only this event has headers, which show whether the client came through the distribution."""
    address = guards.caller_address(event.get("headers"))
    if address is None:
        return dict(guards.FORBIDDEN)
    query = event.get("queryStringParameters") or {}
    logger.info("connection", extra={"address": address})
    return _OK if connections.connect(platform(), connection_id, query, arrival) else _REFUSED


def _hear(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    """Read a frame and carry it out; a sender of a malformed or binary frame is disconnected."""
    try:
        packet = frames.read("" if event.get("isBase64Encoded") else str(event.get("body") or ""))
    except FrameError:
        connections.end_connection(platform(), connection_id, arrival)
        return _REFUSED
    match packet:
        case Ping(data):
            connections.answer_heartbeat(platform(), connection_id, data)
        case Connect(namespace, query):
            connections.enter_namespace(platform(), DIALECTS, connection_id, namespace, query, arrival)
        case Event(namespace, name, arguments, ack):
            payload = arguments[0] if arguments else None
            _do(connection_id, Emitted(namespace, name, payload, ack), arrival)
        case Closing() | Disconnect():
            connections.end_connection(platform(), connection_id, arrival)
    return _OK


def _do(connection_id: str, emitted: Emitted, arrival: Millis) -> None:
    """Carry out a client's event; an unexpected failure is logged, and the client is told."""
    try:
        connections.carry_out_event(platform(), DIALECTS, connection_id, emitted, arrival)
    except Exception:  # after any failure the client must not wait for an answer in vain
        logger.exception("fault")
        platform().figures.note({Figure.CHANNEL_FAULTS: 1})
        connections.tell_failure(platform(), DIALECTS, connection_id, emitted)


def _disconnect(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    code = event["requestContext"].get("disconnectStatusCode")
    connections.record_closed(platform(), connection_id, code, arrival)
    return _OK


_ROUTES: Final[Mapping[str, Callable[[GatewayEvent, str, Millis], Answer]]] = {
    "$connect": _connect,
    "$default": _hear,
    "$disconnect": _disconnect,
}
