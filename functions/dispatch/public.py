"""Routes of what everybody may read, and the answer to what is no route."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response, content_types
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.contracts.notation import ParsedBody, RenderedBody
from contest.contracts.people import SignInBody
from contest.contracts.public import ClassifierBody, CycleBody, KeysBody
from contest.contracts.results import BoardBody, HistoryBody
from contest.contracts.runs import RunBody, RunsBody
from contest.contracts.statements import RecordBody
from contest.edge import document, error_page, present, present_people, web
from contest.edge.documentation import SVG
from contest.edge.web import Reply, arrival
from contest.errors.conduct import BoardHiddenError, UnknownBoardError
from contest.routes import Function
from contest.services.cycle import notation
from contest.services.results import board_decisions, boards
from contest.services.run import public, records
from contest.wiring import platform

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=100, description="At most this many")]
Scheduled = Literal["technical", "final"]
Language = Annotated[str, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A language of the cycle, or `all`")]
Nomination = Annotated[
    str | None,
    Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A nomination of the cycle, in the place of a language"),
]
RunName = Annotated[str | None, Query(pattern=r"^[a-z0-9]{20}$", description="A final; by default the latest one")]


@web.on(app, routes.LIST_RUNS, RunsBody, "Scheduled runs, the latest start first")
def list_runs(mode: Scheduled | None = None, limit: Limit = 20) -> Reply:
    """Runs with their schedules, limits, signed commitments and amendments."""
    known = public.runs(platform(), mode, limit)
    return web.answer(present.runs(*known, platform().clock.now()))


@web.on(app, routes.RUN, RunBody, "One run", errors.UnknownRunError)
def run(run_id: str) -> Reply:
    """A run: state, schedule, limits, signed commitment and amendments; nothing of its files."""
    known = public.run(platform(), run_id)
    return web.answer(present.run(*known, platform().clock.now()))


@web.on(app, routes.CYCLE, CycleBody, "The cycle, its sets and parameters")
def cycle() -> Reply:
    """What is contested and by which parameters."""
    known = public.current(platform())
    return web.answer(present.cycle(known, platform().clock.now()))


@web.on(app, routes.CLASSIFIER, ClassifierBody, "The codes that answers may name (R 2.12)")
def classifier() -> Reply:
    """The cycle's classifier: every code with its flags, subtypes and descriptions in both languages."""
    return web.answer(present.classifier(public.classifier(platform())))


@web.on(app, routes.PARSE, ParsedBody, "Read a text in the notation as an answer", errors.AnswerTooLargeError)
def parse_notation() -> Reply:
    """The answer, and everything that is wrong with it; a text that cannot be read has the line and the column."""
    return web.answer(present.parsed(notation.parsed(platform(), web.raw_body(app))))


@web.on(app, routes.RENDER, RenderedBody, "Write an answer as a text in the notation", errors.AnswerTooLargeError)
def render_notation() -> Reply:
    """The text; for what is no valid answer what is wrong with it."""
    return web.answer(present.rendered(notation.rendered(platform(), web.raw_body(app))))


@web.on(app, routes.KEYS, KeysBody, "Keys that verify receipts")
def keys() -> Reply:
    """Public keys of the receipts' signatures."""
    return web.answer(present.keys(platform().signer.public_keys()))


@web.on(app, routes.SIGN_IN, SignInBody, "Where people sign in")
def sign_in() -> Reply:
    """Issuers of participants' and staff's tokens, for OpenID Connect's code flow with PKCE."""
    read = platform().settings
    return web.answer(present_people.sign_in(read.participants, read.staff))


@web.on(app, routes.DOCUMENT)
def openapi() -> Response[Any]:
    """This document."""
    return web.answer(document.text())


@web.on(app, routes.DOCUMENT_PAGE)
def docs() -> Response[Any]:
    """The document as a page to read and try."""
    return Response(HTTPStatus.OK, content_types.TEXT_HTML, document.page())


@web.on(app, routes.ERRORS_PAGE)
def refusals() -> Response[Any]:
    """Every refusal, with an example and the routes that give it."""
    return Response(HTTPStatus.OK, content_types.TEXT_HTML, error_page.page())


@web.on(app, routes.QUALIFICATION_BOARD, BoardBody, "The qualification leaderboard (R 6.10)", BoardHiddenError)
def qualification_board(language: Language = "all") -> Reply:
    """Best result of each team over sessions that answered at least 95 % of the whole test set."""
    found = boards.qualification_board(platform(), language)
    return web.answer(present.leaderboard(found, platform().clock.now()))


@web.on(app, routes.QUALIFICATION_HISTORY, HistoryBody, "How places of the qualification went", BoardHiddenError)
def qualification_history(language: Language = "all", limit: Limit = 20) -> Reply:
    """Every change of the places as everybody has seen them, the latest first."""
    found = board_decisions.qualification_history(platform(), language, limit)
    return web.answer(present.history(found, platform().clock.now()))


@web.on(
    app,
    routes.FINAL_BOARD,
    BoardBody,
    "The board of a final (R 7.12)",
    errors.ResultsNotPublishedError,
    errors.UnknownRunError,
    UnknownBoardError,
)
def final_board(run: RunName = None, language: Language = "all", nomination: Nomination = None) -> Reply:
    """Every team's result in a final, by default the latest one whose results are out; over all files, those of a
    language, or those of a nomination."""
    found = boards.final_board(platform(), run, present.scope(language, nomination))
    return web.answer(present.leaderboard(found, platform().clock.now()))


@web.on(
    app,
    routes.FINAL_HISTORY,
    HistoryBody,
    "How places of a final went",
    errors.ResultsNotPublishedError,
    errors.UnknownRunError,
    UnknownBoardError,
)
def final_history(
    run: RunName = None, language: Language = "all", nomination: Nomination = None, limit: Limit = 20
) -> Reply:
    """Every change of the places as everybody has seen them, the latest first."""
    found = board_decisions.final_history(platform(), run, present.scope(language, nomination), limit)
    return web.answer(present.history(found, platform().clock.now()))


@web.on(
    app,
    routes.RUN_RECORD,
    RecordBody,
    "Record of a run",
    errors.UnknownRunError,
    errors.RunNotOverError,
    redirects=True,
)
def run_record(run_id: str) -> Reply:
    """After the run: releases, leaves with salts, hand-outs and answers of every team, signed."""
    return web.elsewhere(records.place(platform(), run_id, records.RECORD, arrival(app)))


@web.on(
    app,
    routes.RUN_TIMELINE,
    SVG,
    "A run as a chart",
    errors.UnknownRunError,
    errors.RunNotOverError,
    redirects=True,
)
def run_timeline(run_id: str) -> Reply:
    """Openings, hand-outs and answers of every team along the run's time, as SVG."""
    return web.elsewhere(records.place(platform(), run_id, records.TIMELINE, arrival(app)))


web.start(app, Function.PUBLIC)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
