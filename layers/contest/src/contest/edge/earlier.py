"""Requests of the earlier clients over HTTP: the token stands in the query or in the body, which is JSON or a form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from contest import settings
from contest.edge.web import Reply, answer, arrival, body_length, raw_body
from contest.errors import UnknownRouteError
from contest.errors.earlier import EarlierRequestError, UnknownTokenError
from contest.routes import EARLIER_FRAGMENT
from contest.services.channel import earlier_tasks
from contest.services.channel.connections import hashed
from contest.services.channel.earlier_tasks import Asked, Document
from contest.services.people.authentication import believed
from contest.wiring import platform

_FORM: Final = "application/x-www-form-urlencoded"
_XML: Final = "application/xml; charset=utf-8"
_NO_OBJECT: Final = {
    "code": "not_an_object",
    "message": "the body must be a JSON object or a form",
    "message_ru": "тело запроса — объект JSON или форма",
}


def fetched(app: APIGatewayHttpResolver) -> Asked:
    """What a client fetches, by its query; :class:`UnknownTokenError` where its token is nobody's."""
    said = app.current_event.query_string_parameters or {}
    return _asked(app, said, said.get("baselineToken"), body_bytes=None)


def sent(app: APIGatewayHttpResolver) -> Asked:
    """What a client sends; :class:`EarlierRequestError` for what is neither a JSON object nor a form."""
    said = _body(app)
    return _asked(app, said, said.get("token"), body_bytes=body_length(app))


def _asked(app: APIGatewayHttpResolver, said: Mapping[str, Any], token: Any, *, body_bytes: int | None) -> Asked:
    token_sha256 = hashed(token)
    identity = believed(platform(), token_sha256) if token_sha256 else None
    if identity is None:
        raise UnknownTokenError
    return Asked(identity, arrival(app), said, body_bytes)


def _body(app: APIGatewayHttpResolver) -> Mapping[str, Any]:
    body = raw_body(app)
    if app.current_event.headers.get("content-type", "").startswith(_FORM):
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, Mapping):
        raise EarlierRequestError([_NO_OBJECT])
    return said


def document(xml: str) -> Reply:
    """An answer that is a document."""
    return Response(int(HTTPStatus.OK), _XML, xml, {"Cache-Control": "no-store"})


def done(app: APIGatewayHttpResolver, deed: str) -> Reply:
    """Do what a client sends and answer with the status by which it knows that this is done."""
    asked, do = sent(app), _DEEDS.get(deed)
    if do is None:
        raise UnknownRouteError
    told = do(app, asked)
    return answer(json.dumps(told, ensure_ascii=False, separators=(",", ":")), HTTPStatus.CREATED)


def _upload(_: APIGatewayHttpResolver, asked: Asked) -> Any:
    return earlier_tasks.upload(platform(), asked)


def _get_test(app: APIGatewayHttpResolver, asked: Asked) -> Any:
    """The documents that a study brought, each with the address at which this client fetches it."""
    found, headers = earlier_tasks.get_test(platform(), asked), app.current_event.headers
    host = headers.get(settings.HOST_HEADER) or headers.get("host", "")
    return [{"id": each.test_id, "link": _link(host, asked.said["token"], each)} for each in found]


def _received(_: APIGatewayHttpResolver, asked: Asked) -> Any:
    earlier_tasks.received(platform(), asked)
    return {}


def _test_received(_: APIGatewayHttpResolver, asked: Asked) -> Any:
    earlier_tasks.study_received(platform(), asked)
    return {}


def _abort(_: APIGatewayHttpResolver, asked: Asked) -> Any:
    earlier_tasks.abort(platform(), asked)
    return {}


_DEEDS: Final[Mapping[str, Callable[[APIGatewayHttpResolver, Asked], Any]]] = {
    "upload-result": _upload,
    "get-test": _get_test,
    "receive-callback": _received,
    "test-is-rec": _test_received,
    "abort": _abort,
}


def _link(host: str, token: str, found: Document) -> str:
    query = urlencode({"baselineToken": token, "epicrisisId": found.epicrisis_id, "testId": found.test_id})
    return f"{_scheme(host)}://{host}{EARLIER_FRAGMENT.path}?{query}"


def _scheme(host: str) -> str:
    """The distribution takes HTTPS alone; a local cloud has no certificate."""
    return "http" if host.partition(":")[0] in {"127.0.0.1", "localhost"} else "https"
