"""Requests and events of the earlier clients, in the form in which the functions receive them.

An event of the WebSocket gateway, or a message of a queue, is passed to a service. Requests over HTTP have the token in
the query or in the body, which is JSON or a form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from contest import settings
from contest.channel import connections, frames, pushing, tasks
from contest.channel.connections import Dialect, hashed
from contest.channel.doctor import DoctorDialect
from contest.channel.errors import EarlierRequestError, UnknownTokenError
from contest.channel.frames import Closing, Connect, Disconnect, Event, FrameError, Ping
from contest.channel.readable import ReadableDialect
from contest.channel.rules import Emitted
from contest.channel.tasks import Asked, Document
from contest.edge import guards
from contest.edge.logs import about, logger
from contest.edge.messages import push_from
from contest.edge.queues import consume
from contest.edge.web import Reply, answer, arrival, body_length, raw_body
from contest.errors import UnknownRouteError
from contest.figures import Figure
from contest.people.tokens import believed
from contest.platform import Platform
from contest.routes import LEGACY_FRAGMENT
from contest.texts import tr
from contest.values import Millis
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
    if not guards.is_in_front(event.get("headers")):
        return dict(guards.FORBIDDEN)
    query = event.get("queryStringParameters") or {}
    logger.info("connection", extra={"address": guards.caller_address(event.get("headers"))})
    return _OK if connections.connect(platform(), connection_id, query, arrival) else _REFUSED


def _hear(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    """Read a frame and carry it out; a sender of a malformed or binary frame is disconnected."""
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


def _do(connection_id: str, emitted: Emitted, arrival: Millis) -> None:
    """Carry out a client's event; an unexpected failure is logged, and the client is told."""
    try:
        connections.hear(platform(), DIALECTS, connection_id, emitted, arrival)
    except Exception:  # noqa: BLE001 -- whatever it is, the client must not wait for an answer in vain
        logger.exception("fault")
        platform().figures.note({Figure.CHANNEL_FAULTS: 1})
        connections.tell_failure(platform(), DIALECTS, connection_id, emitted)


def _disconnect(event: GatewayEvent, connection_id: str, arrival: Millis) -> Answer:
    code = event["requestContext"].get("disconnectStatusCode")
    connections.closed(platform(), connection_id, code, arrival)
    return _OK


_ROUTES: Final[Mapping[str, Callable[[GatewayEvent, str, Millis], Answer]]] = {
    "$connect": _connect,
    "$default": _hear,
    "$disconnect": _disconnect,
}

_FORM: Final = "application/x-www-form-urlencoded"
_XML: Final = "application/xml; charset=utf-8"
_NO_OBJECT: Final = {
    "code": "not_an_object",
    **tr("the body must be a JSON object or a form").as_fields(),
}


def fetched(app: APIGatewayHttpResolver) -> Asked:
    """Return a client's request from its query; :class:`UnknownTokenError` for an invalid token."""
    query = app.current_event.query_string_parameters or {}
    return _request(app, query, query.get("baselineToken"), body_bytes=None)


def sent(app: APIGatewayHttpResolver) -> Asked:
    """Return a client's request from its body; :class:`EarlierRequestError` unless it is a JSON object or a form."""
    fields = _body(app)
    return _request(app, fields, fields.get("token"), body_bytes=body_length(app))


def _request(
    app: APIGatewayHttpResolver, parameters: Mapping[str, Any], token: Any, *, body_bytes: int | None
) -> Asked:
    token_sha256 = hashed(token)
    identity = believed(platform(), token_sha256) if token_sha256 else None
    if identity is None:
        raise UnknownTokenError
    return Asked(identity, arrival(app), parameters, body_bytes)


def _body(app: APIGatewayHttpResolver) -> Mapping[str, Any]:
    body = raw_body(app)
    if app.current_event.headers.get("content-type", "").startswith(_FORM):
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, Mapping):
        raise EarlierRequestError([_NO_OBJECT])
    return content


def document(xml: str) -> Reply:
    """Return a reply that holds a document."""
    return Response(int(HTTPStatus.OK), _XML, xml, {"Cache-Control": "no-store"})


def done(app: APIGatewayHttpResolver, deed: str) -> Reply:
    """Carry out a client's request and reply with the status that it takes for success."""
    client_request, do = sent(app), _DEEDS.get(deed)
    if do is None:
        raise UnknownRouteError
    content = do(platform(), client_request)
    if deed == _GET_TEST:
        content = _links(app, client_request.parameters["token"], content)
    body = {} if content is None else content
    return answer(json.dumps(body, ensure_ascii=False, separators=(",", ":")), HTTPStatus.CREATED)


def _links(app: APIGatewayHttpResolver, token: str, studies: Sequence[Document]) -> list[dict[str, str]]:
    """Return the documents of a study, each with the address at which this client fetches it."""
    headers = app.current_event.headers
    host = headers.get(settings.HOST_HEADER) or headers.get("host", "")
    # The distribution takes HTTPS alone; a local cloud has no certificate.
    scheme = "http" if host.partition(":")[0] in {"127.0.0.1", "localhost"} else "https"
    links = []
    for study in studies:
        query = urlencode({"baselineToken": token, "epicrisisId": study.epicrisis_id, "testId": study.test_id})
        links.append({"id": study.test_id, "link": f"{scheme}://{host}{LEGACY_FRAGMENT.path}?{query}"})
    return links


_GET_TEST: Final = "get-test"
_DEEDS: Final[Mapping[str, Callable[[Platform, Asked], Any]]] = {
    "upload-result": tasks.upload,
    _GET_TEST: tasks.get_test,
    "receive-callback": tasks.received,
    "test-is-rec": tasks.study_received,
    "abort": tasks.abort,
}
