"""Routes that everybody may read, and the answer to an unknown route."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response, content_types
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import errors, routes, settings
from contest.cycle import parameters, publications
from contest.cycle import presenting as present_cycle
from contest.cycle.rules.cycle import MOST_VERSIONS
from contest.cycle.rules.notices import AnnouncementKind
from contest.cycle.wire.cycle import (
    AnnouncementBody,
    AnnouncementsBody,
    ChangesBody,
    PageBody,
    VersionsBody,
    WholeVersionBody,
)
from contest.cycle.wire.sets import (
    KitBody,
    OffersBody,
    ParsedBody,
    RenderedBody,
    SetBody,
    SetPartBody,
    parsed_body,
    rendered_body,
)
from contest.edge import documentation, files, web
from contest.edge.files import Wanted, language_of
from contest.edge.web import CSV, HTML, SVG, XLSX, ZIP, Reply, arrival
from contest.errors import (
    BadCursorError,
    UnknownAnnouncementError,
    UnknownPageError,
    UnknownPartError,
    UnknownSetError,
    UnknownVersionError,
)
from contest.exchange.files import MAX_ANSWER
from contest.people.wire import SignInBody
from contest.platform import signing_keys
from contest.results import boards, downloading, publishing, settling
from contest.results import presenting as present_boards
from contest.results.wire import (
    BoardBody,
    BoardsBody,
    ClassifierBody,
    CycleBody,
    EarlierCyclesBody,
    HistoryBody,
    KeysBody,
    classifier_body,
    cycle_body,
    keys_body,
)
from contest.routes import Function
from contest.run import recording, watching
from contest.run.wire import RecordBody, RunBody, RunsBody, run_body
from contest.session.access import MAX_LOG
from contest.values import iso
from contest.wiring import platform

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=100, description="At most this many")]
VersionNumber = Annotated[int, Path(ge=1, le=999_999)]
Since = Annotated[int | None, Query(ge=1, le=999_999, description="The version before without it")]
After = Annotated[str | None, Query(max_length=40, description="`next` of the page before")]
PartNumber = Annotated[int, Path(ge=1, le=100_000, description="A part's number, from 1")]
Scheduled = Literal["technical", "final"]
Language = Annotated[str, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A language of the cycle, or `all`")]
_FINAL = (errors.ResultsNotPublishedError, errors.UnknownRunError, errors.UnknownBoardError)
BoardKey = Annotated[str, Path(max_length=40, description="The board's key in the contest")]
BoardOf = Annotated[
    Literal["qualification", "final"], Query(description="Over the test set, or over a final; a run's is a final's")
]
PageName = Annotated[str, Path(max_length=40)]
PageNumber = Annotated[int | None, Query(ge=1, le=MOST_VERSIONS)]
Nomination = Annotated[
    str | None,
    Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A nomination of the cycle, in the place of a language"),
]
OfBoard = Annotated[
    str | None, Query(max_length=40, description="The board's key in the contest; its main one without it")
]
RunName = Annotated[str | None, Query(pattern=r"^[a-z0-9]{20}$", description="A final; by default the latest one")]


@web.handles(app, routes.LIST_RUNS, "Scheduled runs, the latest start first")
def list_runs(mode: Scheduled | None = None, limit: Limit = 20) -> RunsBody:
    """List runs with their schedules, limits, signed commitments and amendments."""
    runs, now = watching.runs(platform(), mode, limit), platform().clock.now()
    return RunsBody(runs=[run_body(*promised, now) for promised in runs], server_time=iso(now))


@web.handles(app, routes.RUN, "One run", errors.UnknownRunError)
def run(run_id: str) -> RunBody:
    """Return its state, schedule, limits, signed commitment and amendments; nothing of its files."""
    return run_body(*watching.run(platform(), run_id), platform().clock.now())


@web.handles(app, routes.CYCLE, "The cycle, its sets and parameters")
def cycle() -> CycleBody:
    """Return the contest's track, sets, languages and parameters."""
    cycle = watching.current_cycle(platform())
    return cycle_body(*cycle, publishing.end_of_contest(platform()), (MAX_ANSWER, MAX_LOG), platform().clock.now())


@web.handles(app, routes.PARAMETERS, "Versions of the parameters (R 2.17, 5.8)", errors.NoCycleError)
def list_parameters() -> VersionsBody:
    """List past, present and coming versions, the latest first, each with the moment from which it holds."""
    return VersionsBody.from_value(versions=parameters.list_versions(platform()))


@web.handles(app, routes.PARAMETERS_VERSION, "A version of the parameters", errors.NoCycleError, UnknownVersionError)
def parameters_version(version: VersionNumber) -> WholeVersionBody:
    """Return every parameter of the version."""
    return present_cycle.whole_version(parameters.read_version(platform(), version))


@web.handles(
    app,
    routes.PARAMETERS_CHANGES,
    "Differences of a version of the parameters",
    errors.NoCycleError,
    UnknownVersionError,
)
def parameters_changes(version: VersionNumber, since: Since = None) -> ChangesBody:
    """Compare field by field with the version before, or with a named one."""
    before, changes = parameters.compare_versions(platform(), version, since)
    return ChangesBody.from_value(version=version, since=before, changes=changes)


@web.handles(app, routes.ANNOUNCEMENTS, "Announcements (R 4.7, 5.8; D 6.12)", BadCursorError)
def list_announcements(
    kind: AnnouncementKind | None = None, limit: Limit = 20, after: After = None
) -> AnnouncementsBody:
    """List them, the latest first, with those that were corrected or withdrawn marked as such."""
    page = publications.public_announcements(platform(), kind, limit, after)
    return AnnouncementsBody.from_value(announcements=page.items, next=page.after)


@web.handles(app, routes.ANNOUNCEMENT, "One announcement", UnknownAnnouncementError)
def announcement(announcement_id: str) -> AnnouncementBody:
    """Return its text as published, and its correction or withdrawal."""
    return AnnouncementBody.from_value(publications.public_announcement(platform(), announcement_id))


@web.handles(app, routes.PAGE, "A page: the regulation, or of the knowledge base", UnknownPageError)
def page(name: PageName, version: PageNumber = None) -> PageBody:
    """Return a version of it in Markdown in both languages, by default the last one."""
    return PageBody.from_value(publications.shown_page(platform(), name, version))


@web.handles(app, routes.EARLIER_CYCLES, "Earlier cycles of the contest")
def earlier_cycles() -> EarlierCyclesBody:
    """List them with their boards and published sets, the latest first."""
    return EarlierCyclesBody.model_validate({"cycles": publications.earlier_cycles(platform())})


@web.handles(app, routes.KIT, "The participants' kit (R 4.2)", errors.NoCycleError)
def kit() -> KitBody:
    """Return the signed list of its files under `/kit/`, with versions and SHA-256."""
    return present_cycle.kit(*publications.current_kit(platform()))


@web.handles(app, routes.CLASSIFIER, "The codes that answers may name (R 2.12)")
def classifier() -> ClassifierBody:
    """List every code of the cycle's classifier with its flags, subtypes and descriptions in both languages."""
    return classifier_body(*watching.current_classifier(platform()))


@web.handles(app, routes.PARSE, "Read a text in the notation as an answer", errors.AnswerTooLargeError)
def parse_notation() -> ParsedBody:
    """Return the answer with all its faults; the fault of an unreadable text has line and column."""
    return parsed_body(*publications.parsed_text(platform(), web.raw_body(app)))


@web.handles(app, routes.RENDER, "Write an answer as a text in the notation", errors.AnswerTooLargeError)
def render_notation() -> RenderedBody:
    """Return the text, or the faults of an invalid answer."""
    return rendered_body(publications.rendered_answer(platform(), web.raw_body(app)))


@web.handles(app, routes.KEYS, "Keys that verify receipts")
def keys() -> KeysBody:
    """List the public keys of the receipts' signatures, earlier ones too, each with the time in which it signed."""
    return keys_body(signing_keys(platform()))


@web.handles(app, routes.SIGN_IN, "OpenID Connect issuers for sign-in")
def sign_in() -> SignInBody:
    """Return the issuers of participants' and staff's tokens, for the code flow with PKCE."""
    read = platform().settings
    return SignInBody.from_value(
        participants=read.participants, staff=read.staff, loopback_redirects=settings.LOOPBACK_REDIRECTS
    )


@web.handles(app, routes.DOCUMENT, model=content_types.APPLICATION_JSON)
def openapi() -> Response[Any]:
    """Return the OpenAPI document."""
    return web.long_answer(documentation.text(), content_types.APPLICATION_JSON)


@web.handles(app, routes.DOCUMENT_PAGE, model=HTML)
def docs() -> Response[Any]:
    """Return the OpenAPI document as a page to read and try."""
    return web.shipped_page(documentation.page())


@web.handles(app, routes.ERRORS_PAGE, model=HTML)
def refusals() -> Response[Any]:
    """List every refusal, with an example and the routes that give it."""
    return web.shipped_page(documentation.refusals_page())


@web.handles(app, routes.BOARDS, "The contest's boards")
def contest_boards() -> BoardsBody:
    """List the boards that rank programs, the main one first."""
    return BoardsBody(boards=list(map(present_boards.board_rules, boards.rules_of_boards(platform()))))


@web.handles(
    app,
    routes.CONTEST_BOARD,
    "One of the contest's boards",
    errors.BoardHiddenError,
    errors.ResultsNotPublishedError,
    errors.UnknownRunError,
    errors.UnknownBoardError,
)
def contest_board(
    key: BoardKey,
    of: BoardOf = "qualification",
    run: RunName = None,
    language: Language = "all",
    nomination: Nomination = None,
) -> BoardBody:
    """Return the board with this key, over the test set or over a final: by default the latest published one."""
    board = boards.board_named(platform(), present_boards.board_wish(key, of, run, language, nomination))
    return present_boards.leaderboard(board, platform().clock.now())


@web.handles(app, routes.QUALIFICATION_BOARD, "The qualification leaderboard (R 6.10)", errors.BoardHiddenError)
def qualification_board(language: Language = "all") -> BoardBody:
    """Rank the best result of each team over sessions that answered at least 95 % of the whole test set."""
    board = boards.qualification_board(platform(), language)
    return present_boards.leaderboard(board, platform().clock.now())


@web.handles(
    app,
    routes.QUALIFICATION_HISTORY,
    "Changes of places in the qualification",
    errors.BoardHiddenError,
    errors.UnknownBoardError,
)
def qualification_history(language: Language = "all", limit: Limit = 20, key: OfBoard = None) -> HistoryBody:
    """List every published change of the places, the latest first."""
    history = publishing.qualification_history(platform(), boards.scope_of(platform(), key, language), limit)
    return HistoryBody.from_value(points=history, server_time=platform().clock.now())


@web.handles(
    app,
    routes.FINAL_BOARD,
    "The board of a final (R 7.12)",
    errors.ResultsNotPublishedError,
    errors.UnknownRunError,
    errors.UnknownBoardError,
)
def final_board(run: RunName = None, language: Language = "all", nomination: Nomination = None) -> BoardBody:
    """Return every team's result in a final, by default the latest published one; over all files, or those of a
    language or nomination."""
    board = boards.final_board(platform(), run, present_boards.scope(language, nomination))
    return present_boards.leaderboard(board, platform().clock.now())


@web.handles(
    app,
    routes.QUALIFICATION_BOARD_CSV,
    "The qualification leaderboard as CSV",
    errors.BoardHiddenError,
    errors.UnknownBoardError,
    model=CSV,
)
def qualification_board_csv(language: Language = "all", key: OfBoard = None) -> Response[Any]:
    """Write a line for every team."""
    board = boards.qualification_board(platform(), boards.scope_of(platform(), key, language))
    return files.table(app, present_boards.file_name("qualification", key, language), present_boards.table(board))


@web.handles(
    app,
    routes.QUALIFICATION_BOARD_XLSX,
    "The qualification leaderboard as XLSX",
    errors.BoardHiddenError,
    errors.UnknownBoardError,
    model=XLSX,
)
def qualification_board_xlsx(language: Language = "all", lang: Wanted = None, key: OfBoard = None) -> Response[Any]:
    """Write a line for every team."""
    board = boards.qualification_board(platform(), boards.scope_of(platform(), key, language))
    name = present_boards.file_name("qualification", key, language)
    return files.workbook(app, name, [present_boards.table(board)], language_of(lang, None))


@web.handles(app, routes.FINAL_BOARD_CSV, "The board of a final as CSV (R 7.12)", *_FINAL, model=CSV)
def final_board_csv(
    run: RunName = None, language: Language = "all", nomination: Nomination = None, key: OfBoard = None
) -> Response[Any]:
    """Write a line for every team, by default of the latest published final."""
    scope = boards.scope_of(platform(), key, present_boards.scope(language, nomination))
    board = boards.final_board(platform(), run, scope)
    name = present_boards.file_name("final", run, key, nomination or language)
    return files.table(app, name, present_boards.table(board))


@web.handles(app, routes.FINAL_BOARD_XLSX, "The board of a final as XLSX (R 7.12)", *_FINAL, model=XLSX)
def final_board_xlsx(
    run: RunName = None,
    language: Language = "all",
    nomination: Nomination = None,
    lang: Wanted = None,
    key: OfBoard = None,
) -> Response[Any]:
    """Write a line for every team, by default of the latest published final."""
    scope = boards.scope_of(platform(), key, present_boards.scope(language, nomination))
    board = boards.final_board(platform(), run, scope)
    name = present_boards.file_name("final", run, key, nomination or language)
    return files.workbook(app, name, [present_boards.table(board)], language_of(lang, None))


@web.handles(app, routes.PUBLISHED_SETS, "Data sets open to everybody")
def list_published_sets() -> OffersBody:
    """List the sets that the organizers have published."""
    return OffersBody.from_value(sets=downloading.published_offers(platform()))


@web.handles(app, routes.PUBLISHED_SET, "Parts of a published data set", UnknownSetError, model=SetBody)
def published_set(name: str) -> Reply:
    """List them with the SHA-256 of each."""
    chosen = downloading.published_offer(platform(), name)
    # The one file is at an address for signed-in callers: this answer is kept longer than such an address lives.
    return present_cycle.set_manifest(chosen, replace(downloading.parts_or_progress(platform(), chosen), pack=None))


@web.handles(
    app,
    routes.PUBLISHED_SET_PART,
    "A part of a published data set",
    UnknownSetError,
    UnknownPartError,
    model=SetPartBody,
)
def published_set_part(name: str, part: PartNumber) -> Reply:
    """Return whole files, each as text with name and SHA-256; the part's SHA-256 is of these bytes."""
    return present_cycle.set_part(downloading.part(platform(), downloading.published_offer(platform(), name), part))


@web.handles(
    app,
    routes.FINAL_HISTORY,
    "Changes of places in a final",
    errors.ResultsNotPublishedError,
    errors.UnknownRunError,
    errors.UnknownBoardError,
)
def final_history(
    run: RunName = None,
    language: Language = "all",
    nomination: Nomination = None,
    limit: Limit = 20,
    key: OfBoard = None,
) -> HistoryBody:
    """List every published change of the places, the latest first."""
    scope = boards.scope_of(platform(), key, present_boards.scope(language, nomination))
    history = publishing.final_history(platform(), run, scope, limit)
    return HistoryBody.from_value(points=history, server_time=platform().clock.now())


@web.handles(
    app,
    routes.RUN_RECORD,
    "Record of a run",
    errors.UnknownRunError,
    errors.RunNotOverError,
    model=RecordBody,
    redirects=True,
)
def run_record(run_id: str) -> Reply:
    """Return the signed record after the run: releases, leaves with salts, hand-outs and answers of every team."""
    return web.redirect(recording.public_path(platform(), run_id, recording.RECORD, arrival(app)))


@web.handles(
    app,
    routes.RUN_ARCHIVE,
    "Archive of a published final (R 7.14, D 14.7)",
    errors.UnknownRunError,
    errors.ResultsNotPublishedError,
    errors.NoArchiveError,
    errors.ArchiveNotMadeError,
    model=ZIP,
    redirects=True,
)
def run_archive(run_id: str) -> Reply:
    """Download the programs' answers, record and boards under CC BY 4.0, as a ZIP with a manifest.

    The archive of an essay contest has the texts and the experts' markups, too.
    """
    return web.redirect(settling.archive_place(platform(), run_id))


@web.handles(
    app,
    routes.PRIVATE_ARCHIVE,
    "Archive of the private test of programs",
    errors.ResultsNotPublishedError,
    model=ZIP,
    redirects=True,
)
def private_archive() -> Reply:
    """Download runs, boards and prizes under CC BY 4.0, as a ZIP with a manifest, without programs and predictions."""
    return web.redirect(settling.private_archive_place(platform()))


@web.handles(
    app,
    routes.RUN_TIMELINE,
    "A run as a chart",
    errors.UnknownRunError,
    errors.RunNotOverError,
    model=SVG,
    redirects=True,
)
def run_timeline(run_id: str) -> Reply:
    """Draw openings, hand-outs and answers of every team along the run's time, as SVG."""
    return web.redirect(recording.public_path(platform(), run_id, recording.TIMELINE, arrival(app)))


handler = web.make_handler(app, Function.PUBLIC)
