"""Routes of stage 2: the commission chooses, organizers open rounds, clinicians judge what is replayed (D 9.10.8)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from annotate.router import app
from contest import errors, routes
from contest.contracts import replays as wire
from contest.domain.experts import refusals
from contest.edge import present_replays as present
from contest.edge import web
from contest.edge.web import Reply, arrival, caller
from contest.services import reading
from contest.services.experts import replaying, reviewing
from contest.services.people.cabinet import author
from contest.wiring import platform

RoundNumber = Annotated[int | None, Query(ge=1, le=100, alias="round", description="Whose works are told besides")]

_DECIDES = (errors.MalformedJsonError, errors.BusyError)
_OWN = (refusals.NoRoundError, errors.BusyError)


@web.on(
    app,
    routes.BEGIN_REPLAY,
    wire.ReplayBody,
    "Choose what is replayed, and draw the lot",
    *_DECIDES,
    errors.UnknownRunError,
    status=HTTPStatus.CREATED,
)
def begin_replay(said: wire.ReplayRequest) -> Reply:
    """Files of a run that is over, one a round, for clinicians; names are drawn from the seed, once (D 9.10.8.5)."""
    replaying.begin(platform(), author(caller(app)), present.chosen(said), said.reason)
    return _replay(said.run_id, HTTPStatus.CREATED)


@web.on(app, routes.REPLAY, wire.ReplayBody, "A replay with all reviews", refusals.NoReplayError)
def replay(run_id: str, number: RoundNumber = None) -> Reply:
    """Who works under which name, the rounds, everything that was said, and what came of it; of a round that is named
    every program's work besides (D 9.11)."""
    return _replay(run_id, number=number)


@web.on(app, routes.LOT, wire.LotBody, "The lot: seed and names (D 9.10.8.5)", refusals.NoReplayError)
def replay_lot(run_id: str) -> Reply:
    """Whoever has the seed can draw again and gets the same names."""
    return web.answer(present.lot(replaying.of_run(platform(), run_id)))


@web.on(app, routes.OPEN_ROUND, wire.ReplayBody, "Open the next round", *_DECIDES, refusals.NoReplayError)
def open_round(run_id: str) -> Reply:
    """When the present one's time is over; everybody is shown the next file."""
    replaying.open_round(platform(), author(caller(app)), run_id)
    return _replay(run_id)


@web.on(app, routes.CLOSE_REPLAY, wire.ReplayBody, "Close a replay", *_DECIDES, refusals.NoReplayError)
def close_replay(run_id: str, said: wire.ReplayClosingRequest) -> Reply:
    """After the last round: what the reviews amount to stands beside the board from then on."""
    replaying.close(platform(), author(caller(app)), run_id, said.reason)
    return _replay(run_id)


@web.on(app, routes.OWN_ROUND, wire.RoundBody, "The own round", *_OWN)
def own_round() -> Reply:
    """The first data and as many turns as were asked for, of a program under its name in the lot."""
    return _round(reviewing.look(platform(), caller(app).person_id))


@web.on(app, routes.NEXT_TURN, wire.RoundBody, "Show the next turn", *_OWN, refusals.RoundOverError)
def next_turn() -> Reply:
    """At the end of the program's work nothing changes."""
    return _round(reviewing.show_next(platform(), caller(app).person_id, arrival(app)))


@web.on(
    app,
    routes.SAVE_REVIEW,
    wire.RoundBody,
    "Save the own review",
    *_OWN,
    errors.MalformedJsonError,
    refusals.RoundOverError,
    refusals.ReviewChangedError,
)
def save_review(said: wire.ReviewRequest) -> Reply:
    """Whole or not, in the place of the one before; what is saved when the round's time is over counts."""
    return _round(reviewing.save(platform(), caller(app).person_id, present.said(said), arrival(app)))


def _round(found: reviewing.Seen) -> Reply:
    return web.answer(present.own_round(found, platform().clock.now()))


def _replay(run_id: str, status: HTTPStatus = HTTPStatus.OK, number: int | None = None) -> Reply:
    found = replaying.of_run(platform(), run_id)
    track = replaying.replayed_by(platform(), reading.run_now(platform(), run_id))
    works = replaying.works_of(platform(), found, number)
    return web.answer(present.replay(found, track, platform().replays.reviews(run_id), works), status)
