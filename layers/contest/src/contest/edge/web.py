"""HTTP shared by all functions: from a gateway event to a guarded route, from a refusal to its body; entity tags.

Entity tags (RFC 9110 §8.8, §13.1.2): a client that has the present answer already gets 304. A tag is computed from the
answer's body, which is made in full first: it costs a hash and no further call to the storage, and it cannot be older
than its body.

**Decision**: ``server_time`` is left out of the hash, or no answer would ever equal the one before. Such an answer's
bytes differ from one request to the next under one tag, so the tag is a weak one (``W/``), as the standard asks; bodies
without a time of their own (reports, scores, keys, the classifier, the document) have strong ones. ``If-None-Match``
compares both in the same way. A client that gets 304 reads the time from the answer's ``Date``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from http import HTTPStatus
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import BaseModel

from contest import settings
from contest.edge import guards
from contest.edge.guards import log, log_context, policy_of
from contest.errors import (
    ForbiddenError,
    InternalError,
    InvalidRequestError,
    MalformedJsonError,
    UnknownFileError,
    UnknownRouteError,
)
from contest.people.rules import Identity, Role, may
from contest.refusals import ContestError
from contest.routes import (
    CHECK_CYCLE_FILE,
    LIST_SESSIONS,
    PUBLISH_PAGE,
    RESULTS_MADE_STALE,
    ROUTES,
    SUGGESTIONS,
    Function,
    Route,
)
from contest.session import access
from contest.session.access import Request
from contest.texts import tr
from contest.values import Millis
from contest.wire import MEDIA_TYPE, details_of, problem
from contest.wiring import platform, preload
from markup_core.reading.wire import Limits, MalformedInput, decode

logger = log()

SVG: Final = "image/svg+xml"
CSV: Final = "text/csv"
HTML: Final = "text/html"
ZIP: Final = "application/zip"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LINES: Final = "application/x-ndjson"
_TIME: Final = re.compile(r'"server_time":"[^"]*"')
"""Pattern of the answer's time; it matches nowhere inside a JSON string, where quotation marks are escaped."""
_TAG: Final = re.compile(r'(?:W/)?"([^"]*)"')
_LENGTH: Final = 32
"""Number of hexadecimal digits of a tag."""
PRIVATE: Final = "private, no-cache"
"""``Cache-Control`` of answers that only the caller may store and must revalidate each time."""


def tag_of(body: str, *, shipped: bool = False) -> str:
    """Return the entity tag of an answer's body; a text shipped with the code has times in examples alone. O(body)."""
    timeless, times = (body, 0) if shipped else _TIME.subn('"server_time":""', body)
    digest = hashlib.sha256(timeless.encode("utf-8")).hexdigest()[:_LENGTH]
    return f'W/"{digest}"' if times else f'"{digest}"'


def matches(condition: str, tag: str) -> bool:
    """Return whether ``If-None-Match`` names the tag, compared weakly; ``*`` names any."""
    (opaque,) = _TAG.findall(tag)
    return condition.strip() == "*" or opaque in _TAG.findall(condition)


def conditional(answered: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """Return a successful answer with its tag; without its body where the client has it already.

    The content type stays: without one, a gateway would add its own, and caches would store that.
    """
    tag = tag_of(str(answered["body"]), shipped="Vary" in answered["headers"])
    tagged = {**answered["headers"], "ETag": tag, "Cache-Control": PRIVATE}
    condition = next((value for name, value in headers.items() if name.lower() == "if-none-match"), "")
    if not matches(condition, tag):
        return {**answered, "headers": tagged}
    return {**answered, "statusCode": int(HTTPStatus.NOT_MODIFIED), "headers": tagged, "body": ""}


_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
"""Pattern of a number in a path; its only form, so that a file has one address."""
MAX_JSON: Final = 64 * 1024
"""Most characters of a JSON request that is not an answer or a log."""
_MAX_FILES: Final = 2 * 1024 * 1024
"""The same for a request with a cycle's own file, with a page, or with annotations to suggest."""
_BRINGS_FILES: Final = frozenset(
    route.key for route in (CHECK_CYCLE_FILE, RESULTS_MADE_STALE, PUBLISH_PAGE, SUGGESTIONS)
)
_RAW: Final = frozenset(route.key for route in ROUTES if route.raw_body)
_GUARDED: Final = {route.key: route for route in ROUTES if route.authorized}
_CACHED: Final = {route.key: route.cached_s for route in ROUTES if route.cached_s}

_IDENTITY: Final = "identity"
"""Key of the caller's identity in the router's context."""
_MALFORMED: Final = "malformed"
"""Key of the fault of a body that is no JSON, in the event."""
_ADMITTED: Final = "admitted"
"""Key of the admitted request in the router's context."""
_NUMBERED: Final = "numbered"
"""Key of a file's number, as written in the path, in the router's context."""
_IN_PATH: Final = "{number}"
_LARGE: Final = frozenset(route.key for route in ROUTES if route.large)
_TAGGED: Final = frozenset(route.key for route in ROUTES if route.tagged)
_LASTING: Final = (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED, HTTPStatus.TEMPORARY_REDIRECT)
"""Statuses of answers that caches may store if the route is cached; a refusal may differ the next moment."""

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="Repeating a request with the same key repeats its answer and nothing else; another request of the "
        "team with it is refused",
    ),
]

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        pattern=r'^"?(0|[1-9][0-9]{0,5})"?$',
        description="The revision on which this is based, as `ETag` named it",
    ),
]

CREATED, ACCEPTED = HTTPStatus.CREATED, HTTPStatus.ACCEPTED
Event = dict[str, Any]
Reply = Response[Any]
Handler = TypeVar("Handler", bound=Callable[..., Any])


class RouteTableError(RuntimeError):
    """A function registers a route that differs from the table of routes."""


class Described(NamedTuple):
    """Description of a route, as :func:`contest.edge.documentation.documentation` takes it."""

    route: Route
    model: type[BaseModel] | str
    refusals: Sequence[type[ContestError]]
    status: int
    others: Mapping[int, type[BaseModel]]
    redirects: bool


DESCRIBED: Final[dict[str, Described]] = {}
"""Descriptions by route key. Only the build of the document fills them; a process that answers requests has none."""


def resolver() -> APIGatewayHttpResolver:
    """Return a router whose refusals have the platform's form."""
    compact = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    app = APIGatewayHttpResolver(enable_validation=True, serializer=compact)
    app.exception_handler(ContestError)(refusal)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(Exception)(_fault)
    app.not_found(lambda _: refusal(UnknownRouteError()))
    return app


def handles(
    app: APIGatewayHttpResolver,
    route: Route,
    summary: str = "",
    *refusals: type[ContestError],
    model: type[BaseModel] | str | None = None,
    status: int = HTTPStatus.OK,
    others: Mapping[int, type[BaseModel]] | None = None,
    redirects: bool = False,
) -> Callable[[Handler], Handler]:
    """Register the handler of a route of the table, behind the admission that its row asks for.

    The wire model that it returns is answered with ``status``. The rest documents the route: ``model`` (or a media
    type) where the handler makes its own reply, every refusal of its own, its ``others`` (models of other answers by
    status), and whether it ``redirects`` to the address of its answer.
    """
    admitted = [_admission(route)] if route.authorized else []
    pattern = route.path.replace("{", "<").replace("}", ">")

    def register(handler: Handler) -> Handler:
        signature = inspect.signature(handler, eval_str=True)
        described = model or signature.return_annotation
        DESCRIBED[route.key] = Described(route, described, refusals, int(status), others or {}, redirects)

        @wraps(handler)
        def answered(**parameters: Any) -> Reply:
            body = handler(**parameters)
            return body if isinstance(body, Response) else answer(body, status)

        # The router reads the parameters of a handler from the signature, and would validate a returned model again.
        answered.__signature__ = signature.replace(return_annotation=Reply)  # type: ignore[attr-defined]
        # The operation's id is the handler's name: clients are generated with functions of these names.
        operation: dict[str, Any] = {
            "operation_id": handler.__name__,
            "summary": summary or None,
            "description": inspect.getdoc(handler),
        }
        app.route(pattern, route.method, middlewares=admitted, **operation)(answered)
        return handler

    return register


def registered_routes(app: APIGatewayHttpResolver) -> Iterator[tuple[str, Any]]:
    """Yield the library's routes of a function, each with its key in the table of routes."""
    for route in (*app._static_routes, *app._dynamic_routes):  # the library has no public list of them
        yield f"{route.method} {route.path.replace('<', '{').replace('>', '}')}", route


# Clause: platform §1 rights
def make_handler(app: APIGatewayHttpResolver, function: Function) -> Callable[[Event, Any], dict[str, Any]]:
    """Return the function's handler. Its routes are exactly the table's rows of it; otherwise it does not start.

    :class:`RouteTableError` names routes that the table lacks or gives to another function, and rows without a handler.
    """
    answered = Counter(key for key, _ in registered_routes(app))
    listed = Counter(route.key for route in ROUTES if route.function is function)
    if answered != listed:
        unlisted, unanswered = sorted(answered - listed), sorted(listed - answered)
        raise RouteTableError(f"{function}: not in its rows of contest.routes: {unlisted}; no handler: {unanswered}")
    preload()
    if settings.starts_ahead():
        for key, route in registered_routes(app):
            # Made ahead of the first request of a route: the schemas of its parameters and answers.
            _ = route.dependant  # made at its first use, then cached
            for model in (DESCRIBED[key].model, *DESCRIBED[key].others.values()):
                if isinstance(model, type):
                    model.model_rebuild()
    return lambda event, context: serve(app, event, context)


def serve(app: APIGatewayHttpResolver, event: Event, context: Any) -> dict[str, Any]:
    """Answer one event of the gateway, in every case with a body of our form. Reject requests that bypass the
    distribution in front.

    Every line logged meanwhile carries the id that a refusal's body names, the route, the team, the token's id and the
    caller's address, which the gateways do not know.
    """
    address = guards.caller_address(event.get("headers"))
    if address is None:
        return dict(guards.FORBIDDEN)
    claims, identity = _authorized(event), _identity(event)
    with log_context(
        context,
        correlation_id=event.get("requestContext", {}).get("requestId"),
        route=event.get("routeKey"),
        team_id=claims.get("team_id"),
        token_id=claims.get("token_id"),
        person_id=claims.get("person_id"),
        address=address,
    ):
        response = _without_right(event, identity)
        if response is None:
            app.context[_IDENTITY] = identity
            response = app.resolve(_with_text_body(event), context)
        if response["statusCode"] == HTTPStatus.OK and event.get("routeKey") in _TAGGED:
            response = conditional(response, event.get("headers") or {})
        logger.info("request", extra={"status": response["statusCode"]})
    if event.get("routeKey") in _LARGE:
        response |= {"body": base64.b64encode(response["body"].encode()).decode("ascii"), "isBase64Encoded": True}
    if response["statusCode"] in _LASTING and (seconds := _CACHED.get(event.get("routeKey", ""))):
        response["headers"]["Cache-Control"] = f"public, max-age={seconds}"
    return response


def request(
    app: APIGatewayHttpResolver, session_id: str = "", number: int | None = None, key: str | None = None
) -> Request:
    """Return the request as services take it.

    Values that were read at the admission are used again for the same session, file and key.

    :class:`UnknownFileError` for a number in a non-canonical form: ``01`` is no file's address.
    """
    if number is not None and str(number) != app.context[_NUMBERED]:
        raise UnknownFileError
    admitted: Request | None = app.context.pop(_ADMITTED, None)
    if admitted is not None and (admitted.session_id, admitted.number, admitted.key) == (session_id, number, key):
        return admitted
    return Request(caller(app), arrival(app), session_id, number, key)


def _unread(app: APIGatewayHttpResolver) -> Request:
    """Return the request named by path and headers, before anything has checked them."""
    named: Mapping[str, Any] = app.context.get("_route_args") or {}
    number = str(app.context[_NUMBERED])
    return Request(
        identity=caller(app),
        arrival=arrival(app),
        session_id=str(named.get("session_id", "")),
        number=int(number) if _NUMBER.fullmatch(number) else None,
        key=app.current_event.headers.get("idempotency-key"),
    )


def caller(app: APIGatewayHttpResolver) -> Identity:
    """Return the caller of the request."""
    identity: Identity = app.context[_IDENTITY]
    return identity


def _identity(event: Mapping[str, Any]) -> Identity:
    """Return the caller's identity from the authorizer's context; without one, the public."""
    claims = _authorized(event)
    if not claims.get("role"):
        return Identity()
    names = (str(claims.get(name, "")) for name in ("team_id", "token_id", "person_id"))
    return Identity(Role(claims["role"]), *names)


def revision(if_match: str | None) -> int | None:
    """Return the number in an ``If-Match`` of the right form; None without one."""
    return None if if_match is None else int(if_match.strip('"'))


def arrival(app: APIGatewayHttpResolver) -> Millis:
    """Return when the request arrived at the gateway."""
    return int(app.current_event.request_context.time_epoch)


def raw_body(app: APIGatewayHttpResolver) -> bytes:
    """Return the body as it was sent."""
    body = app.current_event.raw_event.get("body") or ""
    if not app.current_event.is_base64_encoded:
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        raise MalformedJsonError from None


def body_length(app: APIGatewayHttpResolver) -> int:
    """Return the length of the body in bytes, without reading it; of one in base64 at most two bytes more."""
    body = str(app.current_event.raw_event.get("body") or "")
    return len(body) * 3 // 4 if app.current_event.is_base64_encoded else len(body.encode("utf-8", "surrogatepass"))


def answer(
    body: BaseModel | str | bytes,
    status: int = HTTPStatus.OK,
    retry_after_s: int | None = None,
    etag: str | None = None,
) -> Reply:
    """Return a JSON answer: a wire model, or JSON stored as it goes out.

    ``etag`` names its version.
    """
    if isinstance(body, BaseModel):
        text = body.model_dump_json(by_alias=True)
    else:
        text = body.decode("utf-8") if isinstance(body, bytes) else body
    headers: dict[str, str | list[str]] = {"Cache-Control": "no-store"}
    if retry_after_s is not None:
        headers["Retry-After"] = str(retry_after_s)
    if etag is not None:
        headers["ETag"] = f'"{etag}"'
    return Response(int(status), content_types.APPLICATION_JSON, text, headers)


def long_answer(text: str, media_type: str) -> Reply:
    """Return a long answer that was built with this code: gzipped (RFC 9110 §8.4.1.3) where that is accepted."""
    return _shipped(text, media_type, {})


def shipped_page(html: str) -> Reply:
    """Return a page that was built with this code, in which a browser runs nothing else."""
    policy = {"Content-Security-Policy": policy_of(html), "Referrer-Policy": "no-referrer"}
    return _shipped(html, content_types.TEXT_HTML, {**policy, "X-Content-Type-Options": "nosniff"})


def _shipped(text: str, media_type: str, own: dict[str, str]) -> Reply:
    headers: dict[str, str | list[str]] = {"Vary": "Accept-Encoding", **own}
    return Response(int(HTTPStatus.OK), media_type, text, headers, compress=True)


def picture(svg: bytes) -> Reply:
    """Return an answer that is a picture."""
    return Response(int(HTTPStatus.OK), SVG, svg.decode("utf-8"), {"Cache-Control": "no-store"})


def table(csv: str) -> Reply:
    """Return an answer that is a table."""
    return Response(int(HTTPStatus.OK), f"{CSV}; charset=utf-8", csv, {"Cache-Control": "no-store"})


def json_lines(text: str) -> Reply:
    """Return an answer that is a JSON value a line."""
    return Response(int(HTTPStatus.OK), LINES, text, {"Cache-Control": "no-store"})


def redirect(path: str) -> Reply:
    """Return an answer that is under another path of the same host."""
    headers: dict[str, str | list[str]] = {"Location": path, "Cache-Control": "no-store"}
    return Response(int(HTTPStatus.TEMPORARY_REDIRECT), None, None, headers)


def _without_right(event: Event, identity: Identity) -> dict[str, Any] | None:
    """Return the refusal of a caller without the right of the route.

    It precedes any check of the request: from the faults of a request a stranger would learn its valid form.
    """
    route = _GUARDED.get(event.get("routeKey", ""))
    if route is None or may(identity, route.right):
        return None
    reply = refusal(ForbiddenError.without(route.right), event.get("requestContext", {}).get("requestId", ""))
    return {"statusCode": reply.status_code, "headers": reply.headers, "body": reply.body, "isBase64Encoded": False}


def refusal(error: ContestError, request_id: str | None = None) -> Reply:
    """Return a refusal as every client reads it; the id is by default the present event's."""
    if request_id is None:
        event = APIGatewayHttpResolver.current_event.raw_event
        request_id = str(event.get("requestContext", {}).get("requestId", ""))
    reply = answer(problem(error, request_id), error.status, error.retry_after_s)
    reply.headers["Content-Type"] = MEDIA_TYPE
    return reply


def _admission(route: Route) -> Callable[..., Reply]:
    """Check the rate of the team's requests before the route's handler."""
    parts = route.path.split("/")
    place = parts.index(_IN_PATH) if _IN_PATH in parts else None

    def admission(app: APIGatewayHttpResolver, next_middleware: NextMiddleware) -> Reply:
        # The number as the path has it; the router has made an integer of it by now.
        path = str(app.current_event.raw_event["rawPath"]).split("/")
        app.context[_NUMBERED] = "" if place is None else path[place]
        body_bytes = None if route.method == "GET" else body_length(app)
        lists = route is LIST_SESSIONS
        with access.let_in(
            platform(), _unread(app), spared=route.spared, body_bytes=body_bytes, lists=lists
        ) as admitted:
            app.context[_ADMITTED] = admitted
            return next_middleware(app)

    return admission


def _invalid(error: RequestValidationError) -> Reply:
    faults = error.errors()
    if any(fault["type"] == "json_invalid" for fault in faults):
        malformed = APIGatewayHttpResolver.current_event.raw_event.get(_MALFORMED)
        if not isinstance(malformed, MalformedInput):
            return refusal(MalformedJsonError())
        where: dict[str, Any] = {"problem": malformed.code, "line": malformed.line, "column": malformed.column}
        return refusal(MalformedJsonError.with_detail("malformed_json", malformed.text, **where))
    return refusal(InvalidRequestError(details_of(faults)))


def _fault(error: Exception) -> Reply:
    logger.exception("fault", exc_info=error)
    return refusal(InternalError())


def _with_text_body(event: Event) -> Event:
    """Return the event with a body the router can read. All bodies are JSON here, whatever their header says."""
    others = {k: v for k, v in (event.get("headers") or {}).items() if k.lower() != "content-type"}
    readable = {**event, "headers": {**others, "content-type": "application/json"}}
    if event.get("routeKey") in _RAW or not event.get("body"):
        return readable
    encoded = event.get("isBase64Encoded")
    try:
        sent = base64.b64decode(event["body"], validate=True) if encoded else str(event["body"])
        return {**readable, "body": _json_text(sent, str(event.get("routeKey"))), "isBase64Encoded": False}
    except ValueError as error:  # the router refuses the body, after the admission
        return {**readable, "body": "!", "isBase64Encoded": False, _MALFORMED: error}


def _json_text(sent: bytes | str, route_key: str) -> str:
    """Return a body as JSON text. :class:`MalformedInput` for one that is malformed or too long."""
    data = sent.encode("utf-8", "surrogatepass") if isinstance(sent, str) else sent
    text, most = data.decode("utf-8", "ignore"), _MAX_FILES if route_key in _BRINGS_FILES else MAX_JSON
    if len(text) > most:
        message = tr("{length} characters; at most {most} are allowed", length=len(text), most=most)
        raise MalformedInput("too_big", message)
    value = decode(data, Limits(max_bytes=len(data)))
    # No request is a list; the router would take the first element of a longer one for the request.
    return "[]" if isinstance(value, list) else text


def _authorized(event: Mapping[str, Any]) -> Mapping[str, Any]:
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    claims: Mapping[str, Any] = authorizer.get("lambda") or {}
    return claims
