"""Routes of organizers about the cycle: its parameters, announcements, and data sets.

Organizers change the parameters and tell everybody of it; they bring data sets, a zip in parts, and publish them.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.cycle import announcing, importing, loading, parameters, presenting
from contest.cycle.errors import (
    AnnouncementStateError,
    EffectiveTooSoonError,
    ImportClosedError,
    ImportTooLargeError,
    InvalidParametersError,
    NothingChangesError,
    ParametersPendingError,
    PartsMissingError,
    RunUnderWayError,
    SetDecidedError,
    SetStillSecretError,
    UnknownAnnouncementError,
    UnknownImportError,
    UnknownImportPartError,
    UnknownSetError,
    UnknownVersionError,
    VersionInForceError,
    WrongPartsError,
)
from contest.cycle.parameters import Wish
from contest.cycle.wire.cycle import (
    AnnouncementBody,
    AnnouncementRequest,
    DescriptionBody,
    DraftsOfAnnouncementsBody,
    FolderHead,
    ParametersRequest,
    PlannedParametersBody,
    PublishDraftRequest,
    SetItemsBody,
    StaleResultsBody,
    VersionBody,
    WithdrawalRequest,
)
from contest.cycle.wire.sets import (
    ImportBody,
    ImportRequest,
    ImportsBody,
    SetPublicationBody,
    SetPublicationRequest,
    UploadPlaceBody,
)
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import BusyError, MalformedJsonError, NoCycleError
from contest.people.cabinet import author
from contest.results import downloading
from contest.values import from_iso, iso
from contest.wiring import platform
from organize.router import app

VersionNumber = Annotated[int, Path(ge=1, le=999_999)]


@web.on(app, routes.CYCLE_DESCRIPTION, DescriptionBody, "The running cycle as its file says it", NoCycleError)
def cycle_description() -> Reply:
    """With the parameters in force, and with the sets that are not open."""
    return web.answer(
        DescriptionBody(description=parameters.description(platform()), server_time=iso(platform().clock.now()))
    )


@web.on(app, routes.SET_ITEMS, SetItemsBody, "Which items a set has", NoCycleError, UnknownSetError)
def set_items(set_name: str) -> Reply:
    """By their ids and hashes, so that a folder can be compared with it; nothing of their contents."""
    return web.answer(SetItemsBody(set=set_name, items=parameters.items_of(platform(), set_name)))


@web.on(
    app,
    routes.RESULTS_MADE_STALE,
    StaleResultsBody,
    "Count the results that loading a folder would make stale",
    MalformedJsonError,
    NoCycleError,
    InvalidParametersError,
)
def results_made_stale(head: FolderHead) -> Reply:
    """As `results_stale` says it once the folder is loaded, with the command that scores them anew; nothing is
    stored."""
    stale = loading.results_made_stale(platform(), head.cycle, head.tests)
    return web.answer(StaleResultsBody.from_value(warnings=stale))


@web.on(
    app,
    routes.CHANGE_PARAMETERS,
    PlannedParametersBody,
    "Change the parameters from a moment on (R 5.8)",
    MalformedJsonError,
    NoCycleError,
    InvalidParametersError,
    NothingChangesError,
    EffectiveTooSoonError,
    ParametersPendingError,
    RunUnderWayError,
    BusyError,
)
def change_parameters(request: ParametersRequest) -> Reply:
    """The next version is stored and announced at once; with `preview` it is only told what it would do. Open sessions
    and planned runs keep theirs."""
    wish = Wish(request.parameters, from_iso(request.effective_at), request.reason, stores=not request.preview)
    planned = parameters.change(platform(), author(caller(app)), wish)
    return web.answer(PlannedParametersBody.from_value(planned, stored=wish.stores))


@web.on(
    app,
    routes.WITHDRAW_PARAMETERS,
    VersionBody,
    "Withdraw a version that is still to take effect",
    MalformedJsonError,
    NoCycleError,
    UnknownVersionError,
    VersionInForceError,
    BusyError,
)
def withdraw_parameters(version: VersionNumber, request: WithdrawalRequest) -> Reply:
    """Its announcement stays to be read as withdrawn."""
    withdrawn = parameters.withdraw(platform(), author(caller(app)), version, request.reason)
    return web.answer(VersionBody.from_value(withdrawn))


@web.on(app, routes.ANNOUNCEMENT_DRAFTS, DraftsOfAnnouncementsBody, "Drafts of announcements")
def announcement_drafts() -> Reply:
    """Those that people have kept, and those that the platform makes of new sets and modules (R 4.7, 9.2)."""
    return web.answer(DraftsOfAnnouncementsBody.from_value(announcements=announcing.drafts(platform())))


@web.on(
    app,
    routes.ANNOUNCE,
    AnnouncementBody,
    "Announce something (R 4.7, 5.8; D 6.12)",
    MalformedJsonError,
    status=HTTPStatus.CREATED,
)
def announce(request: AnnouncementRequest) -> Reply:
    """In both languages; at once, or as a draft."""
    announcement = announcing.announce(
        platform(), author(caller(app)), presenting.content(request), as_draft=request.as_draft
    )
    return web.answer(AnnouncementBody.from_value(announcement), HTTPStatus.CREATED)


@web.on(
    app,
    routes.PUBLISH_ANNOUNCEMENT,
    AnnouncementBody,
    "Publish a draft",
    MalformedJsonError,
    UnknownAnnouncementError,
    AnnouncementStateError,
    BusyError,
)
def publish_announcement(announcement_id: str, request: PublishDraftRequest) -> Reply:
    """As it is, or in other words: of new sets and modules the purpose is told (R 9.2)."""
    who = author(caller(app))
    published = announcing.publish(platform(), who, announcement_id, *presenting.words(request))
    return web.answer(AnnouncementBody.from_value(published))


@web.on(
    app,
    routes.CORRECT_ANNOUNCEMENT,
    AnnouncementBody,
    "Correct a published announcement",
    MalformedJsonError,
    UnknownAnnouncementError,
    AnnouncementStateError,
    BusyError,
    status=HTTPStatus.CREATED,
)
def correct_announcement(announcement_id: str, request: AnnouncementRequest) -> Reply:
    """The new one is published; the old one stays to be read and names it."""
    who = author(caller(app))
    announcement = announcing.correct(platform(), who, announcement_id, presenting.content(request))
    return web.answer(AnnouncementBody.from_value(announcement), HTTPStatus.CREATED)


@web.on(
    app,
    routes.WITHDRAW_ANNOUNCEMENT,
    AnnouncementBody,
    "Withdraw an announcement, or discard a draft",
    MalformedJsonError,
    UnknownAnnouncementError,
    AnnouncementStateError,
    BusyError,
)
def withdraw_announcement(announcement_id: str, request: WithdrawalRequest) -> Reply:
    """What was published stays to be read as withdrawn, with the reason."""
    announcement = announcing.withdraw(platform(), author(caller(app)), announcement_id, request.reason)
    return web.answer(AnnouncementBody.from_value(announcement))


Part = Annotated[int, Path(ge=1, le=100_000, description="A part's number, from 1")]
Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
After = Annotated[int, Query(ge=0, le=1_000_000, description="Faults and warnings from this one on")]


@web.on(app, routes.IMPORTS, ImportsBody, "The latest imports")
def list_imports(limit: Limit = 20) -> Reply:
    """The newest first, with how far each is; its faults stand at its own address."""
    return web.answer(presenting.imports(importing.latest(platform(), limit)))


@web.on(
    app,
    routes.BEGIN_IMPORT,
    ImportBody,
    "Announce a zip with a cycle or a set",
    MalformedJsonError,
    ImportTooLargeError,
    WrongPartsError,
    status=HTTPStatus.CREATED,
)
def begin_import(request: ImportRequest) -> Reply:
    """Its parts come next; which of them are missing an import says at any time."""
    record = importing.begin(platform(), caller(app), request.order())
    return web.answer(presenting.imported(record, importing.missing(platform(), record)), HTTPStatus.CREATED)


@web.on(
    app,
    routes.IMPORT_PART,
    UploadPlaceBody,
    "Where a part of a zip goes",
    UnknownImportError,
    ImportClosedError,
    UnknownImportPartError,
)
def import_part(import_id: str, part: Part) -> Reply:
    """An address of this host, for a few minutes, that takes the part as the body of a `PUT`, with exactly its bytes in
    `Content-Length` and without the token. 403 there: the address is over, ask for another one; a part that is there
    already may come again."""
    return web.answer(presenting.place(importing.place_of_part(platform(), import_id, part)))


@web.on(
    app,
    routes.COMPLETE_IMPORT,
    ImportBody,
    "Check and load a zip that is whole",
    UnknownImportError,
    PartsMissingError,
    BusyError,
)
def complete_import(import_id: str) -> Reply:
    """A worker does it, all or nothing; asked again, it is sent again."""
    done = importing.complete(platform(), caller(app), import_id)
    return web.answer(presenting.imported(done, ()))


@web.on(app, routes.IMPORT, ImportBody, "How far an import is", UnknownImportError)
def import_status(import_id: str, after: After = 0) -> Reply:
    """With everything that is wrong with its files, page by page, when it has ended."""
    record = importing.of_id(platform(), import_id)
    outcome = importing.outcome(platform(), record)
    failed_at = importing.failed_at(platform(), record)
    return web.answer(presenting.imported(record, importing.missing(platform(), record), outcome, after, failed_at))


@web.on(
    app,
    routes.PUBLISH_SET,
    SetPublicationBody,
    "Publish a set to everybody, or take that back",
    MalformedJsonError,
    UnknownSetError,
    SetDecidedError,
    SetStillSecretError,
    BusyError,
)
def publish_set(name: str, request: SetPublicationRequest) -> Reply:
    """Its present files, with their references; other files under its name are not published with them."""
    done = downloading.decide(platform(), caller(app), name, request.reason, published=request.published)
    return web.answer(presenting.publication(done))
