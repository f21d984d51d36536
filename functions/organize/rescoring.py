"""Routes of rescorings: organizers begin and decide, the commission looks on."""

from __future__ import annotations

from http import HTTPStatus

from contest import errors, routes
from contest.contracts.rescoring import (
    RescoringBody,
    RescoringDecisionRequest,
    RescoringDetailsBody,
    RescoringRequest,
    RescoringsBody,
)
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import rescoring as refused
from contest.errors.shadow import NoBoardError
from contest.services.results import rescoring
from contest.wiring import platform
from organize.conduct_router import app


@web.on(
    app,
    routes.BEGIN_RESCORING,
    RescoringBody,
    "Score closed sessions and submissions anew, beside their scores",
    errors.MalformedJsonError,
    refused.UnknownParametersError,
    refused.NothingSelectedError,
    refused.FinalIsWholeError,
    NoBoardError,
    refused.TooManySelectedError,
    refused.RunsOpenError,
    errors.BusyError,
    status=HTTPStatus.CREATED,
)
def begin_rescoring(said: RescoringRequest) -> Reply:
    """In the background, by the present parameters or a named version, by the experts' markups and the scorer of now.

    Nothing goes by it before it is accepted. A final is named by its run alone and keeps its version of the parameters
    unless another one is named.
    """
    made = rescoring.begin(platform(), caller(app), said.selection(), said.reason, said.parameters_version)
    return web.answer(RescoringBody(**rescoring.summary(platform(), made)), HTTPStatus.CREATED)


@web.on(app, routes.RESCORINGS, RescoringsBody, "All rescorings")
def list_rescorings() -> Reply:
    """The latest first."""
    found = [RescoringBody(**rescoring.summary(platform(), each)) for each in platform().rescorings.all()]
    return web.answer(RescoringsBody(rescorings=found))


@web.on(
    app, routes.RESCORING, RescoringDetailsBody, "A rescoring, old and new side by side", refused.UnknownRescoringError
)
def show_rescoring(rescoring_id: str) -> Reply:
    """Return each session and submission with the differences of its figures, each board with those of places."""
    return web.answer(RescoringDetailsBody(**rescoring.shown(platform(), rescoring.known(platform(), rescoring_id))))


@web.on(
    app,
    routes.RESUME_RESCORING,
    RescoringBody,
    "Send once more for what is not done of a rescoring",
    refused.UnknownRescoringError,
)
def resume_rescoring(rescoring_id: str) -> Reply:
    """Should a worker have failed for good; what is done stays."""
    made = rescoring.resume(platform(), rescoring_id)
    return web.answer(RescoringBody(**rescoring.summary(platform(), made)))


@web.on(
    app,
    routes.ACCEPT_RESCORING,
    RescoringBody,
    "Let reports and boards go by a rescoring",
    errors.MalformedJsonError,
    refused.UnknownRescoringError,
    refused.RescoringDecidedError,
    refused.RescoringNotMadeError,
    refused.RescoringOutdatedError,
    refused.RunsOpenError,
    errors.BusyError,
)
def accept_rescoring(rescoring_id: str, said: RescoringDecisionRequest) -> Reply:
    """Old scores, reports and the comparison of boards are kept.

    A final's published results are withdrawn; its new board is made, recomputed independently and published by hand.
    """
    made = rescoring.decide(platform(), caller(app), rescoring_id, said.reason, accepted=True)
    return web.answer(RescoringBody(**rescoring.summary(platform(), made)))


@web.on(
    app,
    routes.DISCARD_RESCORING,
    RescoringBody,
    "Leave reports and boards as they are",
    errors.MalformedJsonError,
    refused.UnknownRescoringError,
    refused.RescoringDecidedError,
    errors.BusyError,
)
def discard_rescoring(rescoring_id: str, said: RescoringDecisionRequest) -> Reply:
    """What the rescoring has made is kept for comparison."""
    made = rescoring.decide(platform(), caller(app), rescoring_id, said.reason, accepted=False)
    return web.answer(RescoringBody(**rescoring.summary(platform(), made)))
