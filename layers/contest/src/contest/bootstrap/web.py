"""The HTTP side that all functions share: from a gateway event to a guarded route, from a refusal to its body."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import BaseModel

from contest import errors
from contest.bootstrap import platform, preload
from contest.bootstrap.logs import logger
from contest.contracts.wire import Error, Forbidden, GatewayError
from contest.domain import rights
from contest.domain.moments import Millis
from contest.domain.rights import Identity, Right, Role
from contest.services import access

MAX_JSON: Final = 64 * 1024
"""Bytes of a JSON request that is not an answer or a log."""
_RAW: Final = frozenset({"/v1/sessions/{session_id}/files/{number}/answer", "/v1/sessions/{session_id}/log"})
"""Routes that read their body themselves."""
_NEVER_REFUSED: Final = frozenset({"/v1/sessions/{session_id}/files/{number}/answer"})
"""Routes that count for the rate limit and are not refused for it (platform §3)."""

SVG: Final = "image/svg+xml"

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="Repeating a request with the same key repeats its answer and nothing else",
    ),
]

Event = dict[str, Any]
Reply = Response[Any]


def resolver() -> APIGatewayHttpResolver:
    """A router whose refusals have our form and whose routes are guarded."""
    app = APIGatewayHttpResolver(enable_validation=True, serializer=_compact)
    app.use(middlewares=[_admission])
    app.exception_handler(errors.ContestError)(refusal)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(Exception)(_fault)
    app.not_found(_unknown_route)
    return app


def start(app: APIGatewayHttpResolver) -> None:
    """Start-up check: every registered route has a right in the table, or the function does not start."""
    for route in (*app._static_routes, *app._dynamic_routes):  # the library has no public list of them
        rights.right_of(route.method, template(route.path))
    preload()


def template(path: str) -> str:
    """A route's path as the gateway and the table of rights write it: ``<n>`` becomes ``{n}``."""
    return path.replace("<", "{").replace(">", "}")


def serve(app: APIGatewayHttpResolver, event: Event, context: Any) -> dict[str, Any]:
    """Answer one event of the gateway; whatever happens, with a body of our form."""
    readable = _with_text_body(event)
    answered: dict[str, Any] = app.resolve(readable, context)
    request = event.get("requestContext", {})
    logger.info(
        "request",
        extra={
            "route": event.get("routeKey"),
            "status": answered["statusCode"],
            "gateway_request_id": request.get("requestId"),
            "team_id": _authorized(event).get("team_id"),
            "token_id": _authorized(event).get("token_id"),
        },
    )
    return answered


def caller(app: APIGatewayHttpResolver) -> Identity:
    """Who the request speaks for, from the authorizer's context; without one, the public."""
    said = _authorized(app.current_event.raw_event)
    if not said.get("role"):
        return Identity()
    return Identity(Role(said["role"]), str(said.get("team_id", "")), str(said.get("token_id", "")))


def arrival(app: APIGatewayHttpResolver) -> Millis:
    """When the request arrived at the gateway."""
    return int(app.current_event.request_context.time_epoch)


def raw_body(app: APIGatewayHttpResolver) -> bytes:
    """The body as it was sent."""
    body = app.current_event.raw_event.get("body") or ""
    if not app.current_event.is_base64_encoded:
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        raise errors.MalformedJsonError from None


def answer(body: BaseModel | str | bytes, status: int = HTTPStatus.OK, retry_after_s: int | None = None) -> Reply:
    """A JSON answer: a wire model, or JSON that is stored as it goes out."""
    if isinstance(body, BaseModel):
        text = body.model_dump_json(by_alias=True)
    else:
        text = body.decode("utf-8") if isinstance(body, bytes) else body
    headers: dict[str, str | list[str]] = {"Cache-Control": "no-store"}
    if retry_after_s is not None:
        headers["Retry-After"] = str(retry_after_s)
    return Response(int(status), content_types.APPLICATION_JSON, text, headers)


def drawing(svg: bytes) -> Reply:
    """An answer that is a picture."""
    return Response(int(HTTPStatus.OK), SVG, svg.decode("utf-8"), {"Cache-Control": "no-store"})


def refusal(error: errors.ContestError) -> Reply:
    """A refusal as every client reads it."""
    status = errors.STATUS[type(error)]
    content = {
        "code": error.code,
        "message": error.en,
        "message_ru": error.ru,
        "details": list(error.details),
        "request_id": _request_id(),
    }
    return answer(Error.model_validate({"error": content}), status, error.retry_after_s)


def documented(
    model: type[BaseModel],
    summary: str,
    refusals: Sequence[type[errors.ContestError]] = (),
    status: int = HTTPStatus.OK,
    others: Mapping[int, type[BaseModel]] | None = None,
) -> dict[str, Any]:
    """Documentation of a route: its answer, and every refusal it may give."""
    responses: dict[int, Any] = {int(status): _described(HTTPStatus(status).phrase, model)}
    for other, other_model in (others or {}).items():
        responses[other] = _described(HTTPStatus(other).phrase, other_model)
    always: tuple[type[errors.ContestError], ...] = (
        errors.InvalidRequestError,
        errors.NoCycleError,
        errors.InternalError,
    )
    codes: dict[int, list[str]] = {}
    for each in (*refusals, *always):
        named = codes.setdefault(int(errors.STATUS[each]), [])
        named += [each.code] if each.code not in named else []
    for refused, said in codes.items():
        responses[refused] = _described(", ".join(f"`{code}`" for code in said), Error)
    return {"summary": summary, "responses": responses}


def guarded(model: type[BaseModel], summary: str, *refusals: type[errors.ContestError], **more: Any) -> dict[str, Any]:
    """Documentation of a route that needs a token."""
    made = documented(model, summary, (*refusals, errors.ForbiddenError, errors.RateLimitedError), **more)
    made["responses"][int(HTTPStatus.UNAUTHORIZED)] = _described("No token; the gateway's own body", GatewayError)
    made["responses"][int(HTTPStatus.FORBIDDEN)]["content"] = {"application/json": {"model": Forbidden}}
    return {**made, "security": [{"program": []}]}


def drawn(documentation: dict[str, Any]) -> dict[str, Any]:
    """Documentation of a route whose answer is a picture."""
    picture = {"description": HTTPStatus.OK.phrase, "content": {SVG: {"schema": {"type": "string"}}}}
    return {**documentation, "responses": {**documentation["responses"], int(HTTPStatus.OK): picture}}


def _described(description: str, model: type[BaseModel]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"model": model}}}


def _admission(app: APIGatewayHttpResolver, next_middleware: NextMiddleware) -> Reply:
    route = app.context["_route"]
    path = template(route.path)
    right = rights.ROUTES.get((route.method, path))
    if right not in {None, Right.READ_PUBLISHED}:
        refusable = path not in _NEVER_REFUSED
        access.admit(platform(), caller(app), Right(right), arrival(app), refusable=refusable)
    return next_middleware(app)


def _invalid(error: RequestValidationError) -> Reply:
    faults = error.errors()
    if any(each["type"] == "json_invalid" for each in faults):
        return refusal(errors.MalformedJsonError())
    details = [
        {
            "code": str(each["type"]),
            "message": str(each.get("msg", each["type"])),
            "field": ".".join(str(part) for part in each["loc"]),
        }
        for each in faults
    ]
    return refusal(errors.InvalidRequestError(details))


def _unknown_route(_: NotFoundError) -> Reply:
    return refusal(errors.UnknownRouteError())


def _fault(error: Exception) -> Reply:
    logger.exception("fault", exc_info=error)
    return refusal(errors.InternalError())


def _with_text_body(event: Event) -> Event:
    """The event with a body the router can read. All bodies are JSON here, whatever their header calls them."""
    route = str(event.get("routeKey", "")).partition(" ")[2]
    others = {k: v for k, v in (event.get("headers") or {}).items() if k.lower() != "content-type"}
    readable = {**event, "headers": {**others, "content-type": "application/json"}}
    if route in _RAW or not event.get("body"):
        return readable
    return {**readable, "body": _json_text(event), "isBase64Encoded": False}


def _json_text(event: Event) -> str:
    """The body as JSON text; ``!``, which is none, for what cannot be read, so that the router refuses it."""
    body = str(event["body"])
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(body, validate=True).decode("utf-8")
        except ValueError:
            return "!"
    try:
        value = json.loads(body, parse_constant=_no_json)
        body.encode("utf-8")
    except (ValueError, RecursionError):
        return "!"
    if isinstance(value, list):
        return "[]"  # no request is a list; the router would take the first element of a longer one for the request
    return body if len(body) <= MAX_JSON else "!"


def _no_json(constant: str) -> None:
    """NaN and Infinity, which Python reads and JSON does not know."""
    raise ValueError(constant)


def _authorized(event: Mapping[str, Any]) -> Mapping[str, Any]:
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    said: Mapping[str, Any] = authorizer.get("lambda") or {}
    return said


def _request_id() -> str:
    event = APIGatewayHttpResolver.current_event.raw_event
    return str(event.get("requestContext", {}).get("requestId", ""))


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
