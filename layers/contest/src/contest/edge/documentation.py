"""The API document beyond the routes' schemas, and its published parts.

The first part is for the router: the order of calls, tags and headers; examples of all refusals, made by the code that
makes the real ones, with the figures of one small story; and, for every route, its tag, answers and refusals. The
second reads the document as it was built with this code: its text, its page, its responses in full, and the page of
refusals. :mod:`contest.edge.document` builds it, which needs every route; a function that publishes it reads one file.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from http import HTTPStatus
from importlib import import_module, resources
from itertools import chain
from string import Template
from typing import Any, Final

from pydantic import BaseModel

from contest import errors, routes
from contest.channel import rules as channel_rules
from contest.cycle.rules.stages import Calendar, Stage, StageName
from contest.errors import UnknownRouteError, family
from contest.messages.errors import UnknownUnsubscriptionError
from contest.people.rules import RIGHTS, Role
from contest.refusals import SAMPLE_NOW, SAMPLE_SESSION, SAMPLE_SOON, ContestError, RefusedError
from contest.routes import ROUTES, UNSUBSCRIBE, Function, Right, Route
from contest.session.rules.delivery import Cause
from contest.texts import tr
from contest.wire import MEDIA_TYPE, REFUSED, GatewayError, Problem, problem
from tracks.protocol import Reason

DESCRIPTION: Final = f"""\
The exchange of a contest: a participant's program opens a session, gets files, sends answers and reads its report.

Order of calls:

1. `GET {routes.CYCLE.path}` and `GET {routes.CLASSIFIER.path}`: sets, parameters, and the codes for answers.
2. `POST {routes.OPEN_SESSION.path}` opens a session of chosen files, or joins a run.
3. `GET {routes.NEXT_FILE.path}` names the next file and, in a run, its opening.
4. `GET {routes.FILE.path}` hands it out; the time for the answer runs from the first time.
5. `PUT {routes.ANSWER.path}` takes the answer; returns the signed receipt and the next file. Then from 4;
   the answer to the last file finishes the session.
6. `GET {routes.REPORT.path}` answers 202 until all scores are there, then the report, always the same bytes.

Times are UTC, ISO 8601 with milliseconds. Text is counted in Unicode code points. A request whose
`If-None-Match` has the current `ETag` gets 304. Every refusal is a problem (RFC 9457) with a stable code, explained at
`{routes.ERRORS_PAGE.path}`. Beyond its own limits the gateway answers by itself: 413 for a body over 10 MB, 401 and 403
without a valid token.
"""
CONTACT: Final = {"name": "The organizers of the contest"}
TAGS: Final[Mapping[str, str]] = {
    "Contest": "The cycle: track, sets, parameters, codes; the keys of receipts",
    "Sessions": "A team's sessions: open, watch, end; their receipts and logs",
    "Files": "Files of a session: the next one, its content, the answer to it",
    "Results": "Reports, scores, comparisons and charts of a team's own sessions",
    "Submissions": "Whole sets answered by one file, or by a program that the platform runs",
    "Boards": "The leaderboards",
    "Announcements": "Public announcements; organizers publish, correct and withdraw them",
    "Questions": "Teams ask; organizers and judges answer the team, or everybody by an announcement",
    "Runs": "Scheduled runs: times, commitments, decisions, records",
    "People": "The caller, and the issuers for sign-in",
    "Team": "The own team: application, members, invitations, tokens, standing",
    "Organizers": "Teams, staff, decisions and the log of what people change",
    "Sets": "Data sets: downloads, imports and publication",
    "Conduct": "Runs for organizers and the commission: decisions, watching, scoring, results, verification",
    "Qualification": "Conclusions on readiness: judges confirm, the commission verifies, organizers admit",
    "Rescoring": "Closed sessions scored again, compared, accepted or discarded",
    "Marking up": "An expert's own assignments: open, save, hand in, hand back; calibration",
    "Replays": "Programs' work replayed for clinicians: the lot, rounds, reviews",
    "Experts": "The coordinator: profiles, assignments, progress, agreement",
    "Operations": "The platform itself: failed jobs, diagnosis and repair",
    "Notation": "Answers as texts for people, and back",
}
"""Tags of the document with their descriptions, in reading order."""
_BY_FUNCTION: Final = {
    Function.DISPATCH: "Sessions",
    Function.SUBMIT: "Sessions",
    Function.RESULTS: "Results",
    Function.SUBMISSIONS: "Submissions",
    Function.ADMINISTRATION: "Organizers",
    Function.SETS: "Sets",
    Function.RUN_CONTROL: "Conduct",
    Function.ANNOTATE: "Experts",
    Function.OPERATIONS: "Operations",
    Function.PUBLIC: "Contest",
}
_BY_SEGMENT: Final = {
    "cycle": "Contest",
    "parameter-changes": "Contest",
    "announcements": "Announcements",
    "announcing": "Announcements",
    "announcement-drafts": "Announcements",
    "questions": "Questions",
    "answering": "Questions",
    "notation": "Notation",
    "boards": "Boards",
    "leaderboards": "Boards",
    "runs": "Runs",
    "sign-in": "People",
    "me": "People",
    "team": "Team",
    "page-versions": "Contest",
    "mails": "People",
    "hooks": "People",
    "teams": "Organizers",
    "applications": "Team",
    "invitations": "Team",
    "imports": "Sets",
    "sets": "Sets",
    "published-sets": "Sets",
    "replays": "Replays",
    "round": "Replays",
    "qualification": "Qualification",
    "rescorings": "Rescoring",
    "assignments": "Marking up",
    "calibrations": "Marking up",
}
"""Tags by subject, regardless of the function that answers; other subjects have their function's tag."""
_TEXT: Final = {"type": "string"}
EXAMPLES: Final = "#/components/examples/"
RETRY_AFTER: Final = "Retry-After"
ETAG: Final = "ETag"
IF_NONE_MATCH: Final = "If-None-Match"
LOCATION: Final = "Location"
IDEMPOTENCY_KEY: Final = "Idempotency-Key"
NOT_MODIFIED: Final = f"Nothing is new: `{IF_NONE_MATCH}` names the present answer"
HEADERS: Final[Mapping[str, Any]] = {
    RETRY_AFTER: {
        "description": "Seconds until the same request may get another answer",
        "schema": {"type": "integer", "minimum": 0},
    },
    ETAG: {
        "description": "Names the content without `server_time`; weak where the answer has one. To be sent back in"
        f" `{IF_NONE_MATCH}`",
        "schema": _TEXT,
        "example": 'W/"0f343b0931126a20f133d67c2b018a3b"',
    },
    LOCATION: {"description": "A path of this host", "schema": _TEXT},
}
PARAMETERS: Final[Mapping[str, Any]] = {
    IF_NONE_MATCH: {
        "name": IF_NONE_MATCH,
        "in": "header",
        "required": False,
        "description": f"`{ETAG}` of a known answer; 304 if it is still current",
        "schema": _TEXT,
    }
}


def tag_of(route: Route) -> str:
    """Return the tag of a route, by its subject."""
    if "/conclusion" in route.path or route is routes.ADMIT:
        return "Qualification"
    if route.function in {Function.RESULTS, Function.SUBMISSIONS}:
        return _BY_FUNCTION[route.function]
    if route is routes.PRIVATE_ARCHIVE:
        return _BY_FUNCTION[Function.SUBMISSIONS]
    segment = route.path.split("/")[2]  # after the version
    about_a_file = "{number}" in route.path or route is routes.NEXT_FILE
    return "Files" if about_a_file else _BY_SEGMENT.get(segment, _BY_FUNCTION[route.function])


_FIELD: Final = {
    "code": "out_of_range",
    **tr("Input should be greater than or equal to 1").as_fields(),
    "field": "body.files",
}
_HARDNESS: Final = {
    "code": "out_of_range",
    **tr("hardness must be a number from 0 to 1, not 2").as_fields(),
    "field": "hardness",
}
_WRONG_TEXT: Final = Reason(
    "text_differs", tr("the text differs from the essay's from character 17 on"), {"field": "text"}
)
_COMMON: Final[tuple[ContestError, ...]] = (
    errors.AlreadyParticipatedError.named(SAMPLE_SESSION),
    errors.AnswerTooLargeError.over(2_097_153, 2_097_152),
    errors.ExportTooLargeError.of(7_100_200, 4_400_000),
    errors.ForbiddenError.without(Right.ORGANIZE),
    errors.FileMissedError.because(Cause.TEAM_LATE, SAMPLE_NOW),
    errors.InvalidAnswerError(errors.from_reasons([_WRONG_TEXT])),
    errors.InvalidRequestError([_FIELD]),
    errors.NoRunError.until(SAMPLE_SOON),
    errors.NotOpenYetError.at(SAMPLE_SOON, SAMPLE_NOW, number=3),
    errors.RateLimitedError(retry_after_s=1),
    errors.ResultsLaterError.until(SAMPLE_SOON, SAMPLE_NOW),
    errors.QuotaExhaustedError.until(SAMPLE_SOON, SAMPLE_NOW, 20),
    errors.OutsideStageError.of(Stage(StageName.QUALIFICATION, "2026-09-21", "2026-11-20"), Calendar("Europe/Moscow")),
    errors.RunNotJoinableError.since(SAMPLE_NOW),
    errors.RunNotOverError.until(SAMPLE_SOON, SAMPLE_NOW),
    errors.SessionAlreadyOpenError.named(SAMPLE_SESSION),
    errors.SessionClosedError.in_state("finished"),
    errors.UnknownFileError.numbered(31, 30),
    errors.WrongStepError.at("asking", "guess", ("answer", "question")),
    errors.AnnouncementStateError.being("withdrawn", "announcement"),
    errors.EffectiveTooSoonError.before(SAMPLE_SOON),
    errors.KitVersionTakenError.of("0.1.0", SAMPLE_SOON),
    errors.InvalidParametersError([_HARDNESS]),
    errors.ParametersPendingError.at(3, SAMPLE_SOON),
    errors.RunUnderWayError.of("3h6x0w8t2r5e9q1m4k7s", SAMPLE_NOW, SAMPLE_SOON),
    errors.ImportTooLargeError.over(268_435_457, 268_435_456),
    errors.PartsMissingError.numbered([2, 5]),
    errors.LabelsUndecidedError.of(["PER", "LOC"]),
    errors.UnknownBoardError.of(["all", "rus", "nomination:letters"]),
)
"""Examples of the shared refusals, as each room's ``EXAMPLES`` are of its own: refusals whose body has more than their
sentence. Only the document needs them."""


@cache
def _errors() -> dict[str, ContestError]:
    """Return an example of every kind of refusal by its code: its room's own, else the bare sentence."""
    stated = chain(_COMMON, *(getattr(import_module(place), "EXAMPLES", ()) for place in errors.PLACES))
    own = {error.code: error for error in stated}
    return {kind.code: own.get(kind.code) or kind() for kind in errors.family()}


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Return the body of an example of every refusal, by its code."""
    bodies = {code: _body(error) for code, error in _errors().items()}
    return {**bodies, REFUSED: _body(RefusedError("annulled_already", tr("it is annulled already")))}


@cache
def codes_with_details() -> frozenset[str]:
    """Return the codes of refusals whose body does not follow from its code and sentence alone."""
    return frozenset(code for code, body in examples().items() if body["error"]["details"]) | {REFUSED}


@cache
def codes_to_retry() -> frozenset[str]:
    """Return the codes of refusals that say when to retry the same request."""
    return frozenset(code for code, error in _errors().items() if error.retry_after_s is not None)


def _body(error: ContestError) -> dict[str, Any]:
    return problem(error, "f3k2dhHfIAMEMHg=").model_dump(mode="json")


_ALWAYS: Final[tuple[type[ContestError], ...]] = (errors.InvalidRequestError, errors.NoCycleError, errors.InternalError)
"""Refusals that every route may return."""
_DECIDING: Final = frozenset({Role.JUDGE, Role.COMMISSION, Role.ORGANIZER})
"""Roles with routes of their own, which the rules of the moment may refuse for more reasons than a route can name."""
_MANY: Final = "Beyond the route's limit, which all callers share; the gateway's own body"
_WAITING: Final = frozenset({routes.NEXT_FILE.key})
"""Routes whose successful answers may have ``Retry-After``."""


def documentation(
    route: Route,
    model: type[BaseModel] | str,
    refusals: Sequence[type[ContestError]],
    status: int,
    others: Mapping[int, type[BaseModel]],
    redirects: bool,
) -> dict[str, Any]:
    """Return tag, answers and security of a route, as the router takes them; empty for one that is not documented.

    ``model``: a wire model, or the media type of an answer without one. ``others`` are its answers until the
    requested object is there.
    """
    if not route.documented:
        return {}
    responses = _answers(route, model, status) | _refusals(route, refusals)
    for other, other_model in others.items():
        responses[other] = _described(HTTPStatus(other).phrase, other_model) | _headers(RETRY_AFTER)
    if redirects:
        responses[int(HTTPStatus.TEMPORARY_REDIRECT)] = {
            "description": "It is at the path of this host that `Location` names, compressed (gzip); nobody needs a"
            " token",
            **_headers(LOCATION),
        }
    described: dict[str, Any] = {"tags": [tag_of(route)], "responses": responses}
    if not route.public:
        allowed = _allowed(route)
        callers = {"program": Role.PROGRAM in allowed, "person": bool(allowed - {Role.PROGRAM})}
        described["security"] = [{kind: []} for kind, may in callers.items() if may]
    return described


def _allowed(route: Route) -> set[Role]:
    return {role for role, granted in RIGHTS.items() if route.right in granted}


def _answers(route: Route, model: type[BaseModel] | str, status: int) -> dict[int, Any]:
    phrase = HTTPStatus(status).phrase
    text = {"description": phrase, "content": {str(model): {"schema": {"type": "string"}}}}
    answer = text if isinstance(model, str) else _described(phrase, model)
    if route.key in _WAITING:
        answer |= _headers(RETRY_AFTER)
    if not route.tagged:
        return {int(status): answer}
    unchanged = {"description": NOT_MODIFIED, **_headers(ETAG)}
    return {int(status): answer | _headers(ETAG), int(HTTPStatus.NOT_MODIFIED): unchanged}


def _refusals(route: Route, refusals: Sequence[type[ContestError]]) -> dict[int, Any]:
    of_tokens = () if route.public else (errors.ForbiddenError, errors.RateLimitedError)
    codes: dict[int, list[str]] = {}
    for refusal in (*refusals, *of_tokens, *_ALWAYS):
        named = codes.setdefault(int(refusal.status), [])
        named += [refusal.code] if refusal.code not in named else []
    if _allowed(route) <= _DECIDING:
        codes.setdefault(int(RefusedError.status), []).append(REFUSED)
    shows = route.right is Right.EXCHANGE
    responses = {
        status: _refused(named, codes_with_details() if shows else frozenset()) for status, named in codes.items()
    }
    if route.limit is not None:
        many = responses.setdefault(int(HTTPStatus.TOO_MANY_REQUESTS), {"description": _MANY, "content": {}})
        many["content"]["application/json"] = {"model": GatewayError}
    if not route.public:
        responses[int(HTTPStatus.UNAUTHORIZED)] = _described("No token; the gateway's own body", GatewayError)
        responses[int(HTTPStatus.FORBIDDEN)]["content"]["application/json"] = {"model": GatewayError}
    return responses


def _refused(codes: Sequence[str], with_example: frozenset[str]) -> dict[str, Any]:
    """Describe the refusals of one status, with an example of each code of ``shown``; the examples stand once in the
    document, by their codes."""
    examples = {code: {"$ref": f"{EXAMPLES}{code}"} for code in codes if code in with_example}
    described: dict[str, Any] = {
        "description": ", ".join(f"`{code}`" for code in codes),
        "content": {MEDIA_TYPE: {"model": Problem} | ({"examples": examples} if examples else {})},
    }
    return described | (_headers(RETRY_AFTER) if codes_to_retry() & set(codes) else {})


def _described(description: str, model: type[BaseModel]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"model": model}}}


def _headers(name: str) -> dict[str, Any]:
    return {"headers": {name: {"$ref": f"#/components/headers/{name}"}}}


NAME: Final = "openapi.json"
TITLE: Final = "Hurdle"
_SHOWN: Final = {
    "dom_id": "#document",
    "url": routes.DOCUMENT.path,
    "docExpansion": "list",
    "deepLinking": True,
    "filter": True,
    "persistAuthorization": True,
    "layout": "BaseLayout",
}
"""Settings of the page: it filters by tag, links each operation and keeps the token for the next visit."""
_PAGE: Final = Template("""\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title: the interface · интерфейс</title>
<style>$style</style>
<div id="document"></div>
<script>$script</script>
<script>
SwaggerUIBundle({
  ...$options, presets: [SwaggerUIBundle.presets.apis], plugins: [SwaggerUIBundle.plugins.DownloadUrl]
});
</script>
</html>
""")


def responses(document: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an operation's responses by status, in full."""
    return {status: _in_full(document, response) for status, response in operation["responses"].items()}


def parameters(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[Any]:
    """Return an operation's parameters, in full."""
    return [_in_full(document, parameter) for parameter in operation.get("parameters", [])]


def codes(response: Mapping[str, Any]) -> list[str]:
    """Return the codes of the refusals that a response in full describes."""
    return re.findall(r"`(\w+)`", response["description"]) if MEDIA_TYPE in response.get("content", {}) else []


def _in_full(document: Mapping[str, Any], part: Mapping[str, Any]) -> Any:
    """Return the part itself, or the component to which it refers."""
    kind, _, name = part.get("$ref", "").removeprefix("#/components/").partition("/")
    return document["components"][kind][name] if name else part


@cache
def text() -> str:
    """Return the document that was built with this code."""
    return resources.files("contest").joinpath(NAME).read_text("utf-8")


@cache
def page() -> str:
    """Return a page that fetches the document, names its address and shows it.

    Script and style come with the library, from nobody else's server.
    """
    assets = resources.files("aws_lambda_powertools.event_handler.openapi.swagger_ui")
    script = assets.joinpath("swagger-ui-bundle.min.js").read_text("utf-8")
    style = assets.joinpath("swagger-ui.min.css").read_text("utf-8")
    return _PAGE.substitute(title=TITLE, script=script, style=style, options=json.dumps(_SHOWN))


_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Refusals · Отказы</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
section { border-top: 1px solid #999; padding: .5rem 0 }
section:target { outline: 3px solid #36c }
pre { overflow: auto; background: #8882; padding: .5rem }
</style>
</head>
<body>
<h1>Refusals · Отказы</h1>
"""
_ABOUT_EN: Final = (
    "Every refusal is a problem (RFC 9457, application/problem+json) whose type leads to its place on this page. "
    "Programs go by error.code, which is stable; error.request_id finds the request in the platform's log. What "
    "the gateway refuses by itself (401, 403, 404, 413, 429, 503) has its own short form: {“message”: …}."
)
_ABOUT_RU: Final = (
    "Каждый отказ описан по RFC 9457 (application/problem+json), а его type ведёт к месту на этой странице. "
    "Программы смотрят на error.code, он постоянен; по error.request_id запрос находится в журнале платформы. У "
    "того, в чём отказывает сам шлюз (401, 403, 404, 413, 429, 503), своя краткая форма: {«message»: …}."
)
_OF_ORGANIZERS: Final = (
    "What is wanted is not allowed now; code and sentence of the refusal say why.",
    "То, что требуется, сейчас не разрешено; причину называют код и сообщение отказа.",
)
_OF_LEGACY_CLIENTS: Final = [route.key for route in ROUTES if route.function is Function.LEGACY_CLIENTS]
"""Keys of the routes of earlier clients, which the document of the interface leaves out."""
_ANYWHERE: Final = ("any other address", "любой другой адрес")


@cache
def refusals_page() -> str:
    """Return the page of refusals, the target of a problem's ``type``: a section for each code, in both languages.

    The codes are those of the errors in the code, their routes those of the document.
    """
    routes_by_code = _routes(json.loads(text()))
    bodies = examples()
    routes_by_code.update(
        {kind.code: _OF_LEGACY_CLIENTS for kind in family() if kind.__module__ == channel_rules.__name__}
    )
    routes_by_code[UnknownUnsubscriptionError.code] = [UNSUBSCRIBE.key]
    kinds = [_kind(kind, routes_by_code[kind.code], bodies[kind.code]) for kind in family()]
    last = _section(REFUSED, RefusedError.status, _OF_ORGANIZERS, "")
    about = _both(_ABOUT_EN, _ABOUT_RU)
    return "".join([_HEAD, about, *kinds, last, "</body>\n</html>\n"])


def _kind(kind: type[ContestError], routes: list[str], example: Mapping[str, Any]) -> str:
    named = "".join(f"<li><code>{escape(route)}</code></li>" for route in routes)
    anywhere = f'<li lang="en">{_ANYWHERE[0]}</li><li lang="ru">{_ANYWHERE[1]}</li>'
    body = escape(json.dumps(example, ensure_ascii=False, indent=2))
    # An address without a route gets the same answer as one that a route's own pattern refuses.
    places = f"{named}{anywhere}" if not named or kind is UnknownRouteError else named
    rest = f"<ul>{places}</ul>\n<pre><code>{body}</code></pre>\n"
    return _section(kind.code, kind.status, (kind.message.en, kind.message.ru), rest)


def _section(code: str, status: HTTPStatus, sentences: tuple[str, str], rest: str) -> str:
    heading = f"<h2><code>{escape(code)}</code> {int(status)} {escape(status.phrase)}</h2>"
    return f'<section id="{escape(code)}">\n{heading}\n{_both(*sentences)}{rest}</section>\n'


def _both(en: str, ru: str) -> str:
    return f'<p lang="en">{escape(en)}</p>\n<p lang="ru">{escape(ru)}</p>\n'


def _routes(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the routes that refuse with each code."""
    routes: dict[str, list[str]] = defaultdict(list)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for answer in responses(document, operation).values():
                for code in codes(answer):
                    routes[code].append(f"{method.upper()} {path}")
    return routes
