"""What the router is told of every route for the document: tag, answers, refusals, headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from pydantic import BaseModel

from contest import errors, routes
from contest.contracts.problems import MEDIA_TYPE, REFUSED, GatewayError, Problem
from contest.domain.people.rights import RIGHTS, Role
from contest.edge import document_words as words
from contest.edge.problem_examples import detailed, retried
from contest.refusals import ContestError, RefusedError
from contest.route import Route

SVG: Final = "image/svg+xml"
CSV: Final = "text/csv"
HTML: Final = "text/html"
ZIP: Final = "application/zip"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LINES: Final = "application/x-ndjson"
_ALWAYS: Final[tuple[type[ContestError], ...]] = (
    errors.InvalidRequestError,
    errors.NoCycleError,
    errors.InternalError,
)
"""What every route may answer."""
_DECIDING: Final = frozenset({Role.JUDGE, Role.COMMISSION, Role.ORGANIZER})
"""What these alone may ask for can be against the rules of the moment, for more reasons than a route can name."""
_MANY: Final = "Beyond the route's limit, which all callers share; the gateway's own body"
_WAITING: Final = frozenset({routes.NEXT_FILE.key})
"""Whose answers themselves may say when to ask again."""


def documentation(
    route: Route,
    model: type[BaseModel] | str,
    refusals: Sequence[type[ContestError]],
    status: int,
    others: Mapping[int, type[BaseModel]],
    *,
    redirects: bool,
) -> dict[str, Any]:
    """Tag, answers and security of a route, as the router takes them.

    ``model``: a wire model, or the media type of what is none. ``others`` are what it answers until what
    was asked for is there.
    """
    if not route.documented:
        return {"include_in_schema": False}
    responses = _answers(route, model, status) | _refusals(route, refusals)
    for other, other_model in others.items():
        responses[other] = _described(HTTPStatus(other).phrase, other_model) | _headers(words.RETRY_AFTER)
    if redirects:
        responses[int(HTTPStatus.TEMPORARY_REDIRECT)] = {
            "description": "It is at the path of this host that `Location` names, compressed (gzip); nobody needs a"
            " token",
            **_headers(words.LOCATION),
        }
    secured: dict[str, Any] = {} if route.public else {"security": [{kind: []} for kind in _callers(route)]}
    return {"tags": [words.tag_of(route)], "responses": responses, **secured}


def _allowed(route: Route) -> set[Role]:
    return {role for role, granted in RIGHTS.items() if route.right in granted}


def _callers(route: Route) -> list[str]:
    """Who may have the right of a route: programs, people, or both."""
    allowed = _allowed(route)
    return [*(["program"] if Role.PROGRAM in allowed else []), *(["person"] if allowed - {Role.PROGRAM} else [])]


def _answers(route: Route, model: type[BaseModel] | str, status: int) -> dict[int, Any]:
    phrase = HTTPStatus(status).phrase
    text = {"description": phrase, "content": {str(model): {"schema": {"type": "string"}}}}
    answer = text if isinstance(model, str) else _described(phrase, model)
    if route.key in _WAITING:
        answer |= _headers(words.RETRY_AFTER)
    if not route.tagged:
        return {int(status): answer}
    known = {"description": words.NOT_MODIFIED, **_headers(words.ETAG)}
    return {int(status): answer | _headers(words.ETAG), int(HTTPStatus.NOT_MODIFIED): known}


def _refusals(route: Route, refusals: Sequence[type[ContestError]]) -> dict[int, Any]:
    of_tokens = () if route.public else (errors.ForbiddenError, errors.RateLimitedError)
    codes: dict[int, list[str]] = {}
    for each in (*refusals, *of_tokens, *_ALWAYS):
        named = codes.setdefault(int(each.status), [])
        named += [each.code] if each.code not in named else []
    if _allowed(route) <= _DECIDING:
        codes.setdefault(int(RefusedError.status), []).append(REFUSED)
    responses = {status: _refused(said) for status, said in codes.items()}
    if route.limit is not None:
        many = responses.setdefault(int(HTTPStatus.TOO_MANY_REQUESTS), {"description": _MANY, "content": {}})
        many["content"]["application/json"] = {"model": GatewayError}
    if not route.public:
        responses[int(HTTPStatus.UNAUTHORIZED)] = _described("No token; the gateway's own body", GatewayError)
        responses[int(HTTPStatus.FORBIDDEN)]["content"]["application/json"] = {"model": GatewayError}
    return responses


def _refused(codes: Sequence[str]) -> dict[str, Any]:
    """Describe the refusals of one status, with an example of each that has details; the examples stand once in the
    document, by their codes."""
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes if code in detailed()}
    told: dict[str, Any] = {
        "description": ", ".join(f"`{code}`" for code in codes),
        "content": {MEDIA_TYPE: {"model": Problem} | ({"examples": examples} if examples else {})},
    }
    return told | (_headers(words.RETRY_AFTER) if retried() & set(codes) else {})


def _described(description: str, model: type[BaseModel]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"model": model}}}


def _headers(name: str) -> dict[str, Any]:
    return {"headers": {name: {"$ref": f"#/components/headers/{name}"}}}
