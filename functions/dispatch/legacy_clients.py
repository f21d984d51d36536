"""Routes of the earlier clients, which fetch announced files and send their results over HTTP (legacy exchange).

The token is in the query, or in the body, which is JSON or a form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from aws_lambda_powertools.event_handler import Response

from contest import routes, settings
from contest.channel import tasks
from contest.channel.connections import hashed
from contest.channel.rules import SessionNotStartedError, TaskNotFoundError, UnknownTokenError
from contest.channel.tasks import Asked, Document
from contest.edge import web
from contest.edge.web import Reply, answer, arrival, body_length, raw_body
from contest.errors import BusyError, UnknownRouteError
from contest.people.authentication import believed
from contest.platform import Platform
from contest.routes import Function
from contest.wiring import platform

app = web.resolver()

_COMMON = (UnknownTokenError, SessionNotStartedError, TaskNotFoundError, BusyError)
_GET_TEST: Final = "get-test"
_DEEDS: Final[Mapping[str, Callable[[Platform, Asked], Any]]] = {
    "upload-result": tasks.upload,
    _GET_TEST: tasks.get_test,
    "receive-callback": tasks.received,
    "test-is-rec": tasks.study_received,
    "abort": tasks.abort,
}


def _fetched() -> Asked:
    """Return a client's request from its query; :class:`UnknownTokenError` for an invalid token."""
    query = app.current_event.query_string_parameters or {}
    return _request(query, query.get("baselineToken"), body_bytes=None)


def _request(parameters: Mapping[str, Any], token: Any, *, body_bytes: int | None) -> Asked:
    token_sha256 = hashed(token)
    identity = believed(platform(), token_sha256) if token_sha256 else None
    if identity is None:
        raise UnknownTokenError
    return Asked(identity, arrival(app), parameters, body_bytes)


def _document(xml: str) -> Reply:
    """Return a reply that holds a document."""
    return Response(int(HTTPStatus.OK), "application/xml; charset=utf-8", xml, {"Cache-Control": "no-store"})


def _links(token: str, studies: Sequence[Document]) -> list[dict[str, str]]:
    """Return the documents of a study, each with the address at which this client fetches it."""
    headers = app.current_event.headers
    host = headers.get(settings.HOST_HEADER) or headers.get("host", "")
    # The distribution takes HTTPS alone; a local cloud has no certificate.
    scheme = "http" if host.partition(":")[0] in {"127.0.0.1", "localhost"} else "https"
    links = []
    for study in studies:
        query = urlencode({"baselineToken": token, "epicrisisId": study.epicrisis_id, "testId": study.test_id})
        links.append({"id": study.test_id, "link": f"{scheme}://{host}{routes.LEGACY_FRAGMENT.path}?{query}"})
    return links


@web.handles(app, routes.LEGACY_DOCUMENT, "An epicrisis as it was handed out", *_COMMON, model="application/xml")
def epicrisis() -> Reply:
    """Return the XML of the latest version of an epicrisis that the open session has received."""
    return _document(tasks.epicrisis(platform(), _fetched()))


@web.handles(app, routes.LEGACY_FRAGMENT, "A study's document", *_COMMON, model="application/xml")
def fragment() -> Reply:
    """Return the XML of a document from a study."""
    return _document(tasks.fragment(platform(), _fetched()))


@web.handles(app, routes.LEGACY_MESSAGE, "What a client sends", UnknownRouteError, *_COMMON, model="application/json")
def deed(deed: str) -> Reply:
    """`upload-result`, `get-test`, `receive-callback`, `test-is-rec`, `abort`."""
    fields = tasks.fields(raw_body(app), app.current_event.headers.get("content-type", ""))
    client_request = _request(fields, fields.get("token"), body_bytes=body_length(app))
    do = _DEEDS.get(deed)
    if do is None:
        raise UnknownRouteError
    content = do(platform(), client_request)
    if deed == _GET_TEST:
        content = _links(client_request.parameters["token"], content)
    body = {} if content is None else content
    return answer(json.dumps(body, ensure_ascii=False, separators=(",", ":")), HTTPStatus.CREATED)


handler = web.start(app, Function.LEGACY_CLIENTS)
