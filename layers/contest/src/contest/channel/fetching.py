"""Requests of the earlier clients over HTTP: fetched documents, and messages of the clients.

The token is in the query, or in the body, which is JSON or a form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from contest import routes, settings
from contest.channel import tasks
from contest.channel.connections import token_hash
from contest.channel.rules import UnknownTokenError
from contest.channel.tasks import Asked, Document
from contest.edge.web import Reply, answer, arrival, body_length, raw_body
from contest.errors import UnknownRouteError
from contest.people.authentication import cached_identity
from contest.platform import Platform
from contest.wiring import platform

_GET_TEST: Final = "get-test"
_ACTIONS: Final[Mapping[str, Callable[[Platform, Asked], Any]]] = {
    "upload-result": tasks.upload,
    _GET_TEST: tasks.get_test,
    "receive-callback": tasks.received,
    "test-is-rec": tasks.study_received,
    "abort": tasks.abort,
}


def request_of(app: APIGatewayHttpResolver) -> Asked:
    """Return a client's request from its query; :class:`UnknownTokenError` for an invalid token."""
    query = app.current_event.query_string_parameters or {}
    return _request(app, query, query.get("baselineToken"), body_bytes=None)


def document(xml: str) -> Reply:
    """Return a reply that holds a document."""
    return Response(int(HTTPStatus.OK), "application/xml; charset=utf-8", xml, {"Cache-Control": "no-store"})


def carry_out(app: APIGatewayHttpResolver, action: str) -> Reply:
    """Carry out a client's action and reply with its outcome; :class:`UnknownRouteError` for an unknown action."""
    fields = tasks.fields(raw_body(app), app.current_event.headers.get("content-type", ""))
    client_request = _request(app, fields, fields.get("token"), body_bytes=body_length(app))
    do = _ACTIONS.get(action)
    if do is None:
        raise UnknownRouteError
    content = do(platform(), client_request)
    if action == _GET_TEST:
        content = _links(app, client_request.parameters["token"], content)
    body = {} if content is None else content
    return answer(json.dumps(body, ensure_ascii=False, separators=(",", ":")), HTTPStatus.CREATED)


def _request(
    app: APIGatewayHttpResolver, parameters: Mapping[str, Any], token: Any, *, body_bytes: int | None
) -> Asked:
    token_sha256 = token_hash(token)
    identity = cached_identity(platform(), token_sha256) if token_sha256 else None
    if identity is None:
        raise UnknownTokenError
    return Asked(identity, arrival(app), parameters, body_bytes)


def _links(app: APIGatewayHttpResolver, token: str, studies: Sequence[Document]) -> list[dict[str, str]]:
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
