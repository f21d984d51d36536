"""Routes by which organizers change the cycle's parameters and tell everybody of what they do."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path

from contest import errors, routes
from contest.contracts.announcements import (
    AnnouncementBody,
    AnnouncementRequest,
    DraftsOfAnnouncementsBody,
    PublishDraftRequest,
    WithdrawalRequest,
)
from contest.contracts.versions import (
    DescriptionBody,
    FolderHead,
    ParametersRequest,
    PlannedParametersBody,
    SetItemsBody,
    StaleResultsBody,
    VersionBody,
)
from contest.domain.moments import from_iso, iso
from contest.edge import present_cycle as present
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import cycle, sets
from contest.services.cycle import announcing, loading, parameters, showing
from contest.services.cycle.parameters import Wish
from contest.services.people.cabinet import author
from contest.wiring import platform
from organize.router import app

VersionNumber = Annotated[int, Path(ge=1, le=999_999)]


@web.on(app, routes.CYCLE_DESCRIPTION, DescriptionBody, "The running cycle as its file says it", errors.NoCycleError)
def cycle_description() -> Reply:
    """With the parameters in force, and with the sets that are not open."""
    return web.answer(
        DescriptionBody(description=showing.description(platform()), server_time=iso(platform().clock.now()))
    )


@web.on(app, routes.SET_ITEMS, SetItemsBody, "Which items a set has", errors.NoCycleError, sets.UnknownSetError)
def set_items(set_name: str) -> Reply:
    """By their ids and hashes, so that a folder can be compared with it; nothing of their contents."""
    return web.answer(SetItemsBody(set=set_name, items=showing.items_of(platform(), set_name)))


@web.on(
    app,
    routes.RESULTS_MADE_STALE,
    StaleResultsBody,
    "Count the results that loading a folder would make stale",
    errors.MalformedJsonError,
    errors.NoCycleError,
    cycle.InvalidParametersError,
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
    errors.MalformedJsonError,
    errors.NoCycleError,
    cycle.InvalidParametersError,
    cycle.NothingChangesError,
    cycle.EffectiveTooSoonError,
    cycle.ParametersPendingError,
    cycle.RunUnderWayError,
    errors.BusyError,
)
def change_parameters(said: ParametersRequest) -> Reply:
    """The next version is stored and announced at once; with `preview` it is only told what it would do. Open sessions
    and planned runs keep theirs."""
    wish = Wish(said.parameters, from_iso(said.effective_at), said.reason, stores=not said.preview)
    planned = parameters.change(platform(), author(caller(app)), wish)
    return web.answer(PlannedParametersBody.from_value(planned, stored=wish.stores))


@web.on(
    app,
    routes.WITHDRAW_PARAMETERS,
    VersionBody,
    "Withdraw a version that is still to take effect",
    errors.MalformedJsonError,
    errors.NoCycleError,
    cycle.UnknownVersionError,
    cycle.VersionInForceError,
    errors.BusyError,
)
def withdraw_parameters(version: VersionNumber, said: WithdrawalRequest) -> Reply:
    """Its announcement stays to be read as withdrawn."""
    found = parameters.withdraw(platform(), author(caller(app)), version, said.reason)
    return web.answer(VersionBody.from_value(found))


@web.on(app, routes.ANNOUNCEMENT_DRAFTS, DraftsOfAnnouncementsBody, "Drafts of announcements")
def announcement_drafts() -> Reply:
    """Those that people have kept, and those that the platform makes of new sets and modules (R 4.7, 9.2)."""
    return web.answer(DraftsOfAnnouncementsBody.from_value(announcements=announcing.drafts(platform())))


@web.on(
    app,
    routes.ANNOUNCE,
    AnnouncementBody,
    "Announce something (R 4.7, 5.8; D 6.12)",
    errors.MalformedJsonError,
    status=HTTPStatus.CREATED,
)
def announce(said: AnnouncementRequest) -> Reply:
    """In both languages; at once, or as a draft."""
    made = announcing.announce(platform(), author(caller(app)), present.content(said), as_draft=said.as_draft)
    return web.answer(AnnouncementBody.from_value(made), HTTPStatus.CREATED)


@web.on(
    app,
    routes.PUBLISH_ANNOUNCEMENT,
    AnnouncementBody,
    "Publish a draft",
    errors.MalformedJsonError,
    cycle.UnknownAnnouncementError,
    cycle.AnnouncementStateError,
    errors.BusyError,
)
def publish_announcement(announcement_id: str, said: PublishDraftRequest) -> Reply:
    """As it is, or in other words: of new sets and modules the purpose is told (R 9.2)."""
    who = author(caller(app))
    published = announcing.publish(platform(), who, announcement_id, *present.words(said))
    return web.answer(AnnouncementBody.from_value(published))


@web.on(
    app,
    routes.CORRECT_ANNOUNCEMENT,
    AnnouncementBody,
    "Correct a published announcement",
    errors.MalformedJsonError,
    cycle.UnknownAnnouncementError,
    cycle.AnnouncementStateError,
    errors.BusyError,
    status=HTTPStatus.CREATED,
)
def correct_announcement(announcement_id: str, said: AnnouncementRequest) -> Reply:
    """The new one is published; the old one stays to be read and names it."""
    who = author(caller(app))
    made = announcing.correct(platform(), who, announcement_id, present.content(said))
    return web.answer(AnnouncementBody.from_value(made), HTTPStatus.CREATED)


@web.on(
    app,
    routes.WITHDRAW_ANNOUNCEMENT,
    AnnouncementBody,
    "Withdraw an announcement, or discard a draft",
    errors.MalformedJsonError,
    cycle.UnknownAnnouncementError,
    cycle.AnnouncementStateError,
    errors.BusyError,
)
def withdraw_announcement(announcement_id: str, said: WithdrawalRequest) -> Reply:
    """What was published stays to be read as withdrawn, with the reason."""
    found = announcing.withdraw(platform(), author(caller(app)), announcement_id, said.reason)
    return web.answer(AnnouncementBody.from_value(found))
