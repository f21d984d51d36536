"""Routes of experts and of their coordinator, and of stage 2 for clinicians.

In stage 2 the commission chooses, organizers open rounds, clinicians judge the replayed work (D 9.10.8).
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import reading, routes
from contest.cycle import presenting as present_sets
from contest.cycle.wire.sets import SetPartBody, TablesBody
from contest.edge import web
from contest.edge.documentation import CSV, HTML, XLSX
from contest.edge.languages import Accepted, Wanted, language_of
from contest.edge.web import Reply, arrival, caller, raw_body
from contest.errors import (
    AnswerTooLargeError,
    BusyError,
    ExportTooLargeError,
    MalformedJsonError,
    OutsideStageError,
    UnknownRouteError,
    UnknownRunError,
)
from contest.experts import assigning, presenting, progress, references, replaying, work
from contest.experts.rules import refusals
from contest.experts.rules.sharing_out import EXPERT_ID
from contest.experts.wire import (
    AgreementBody,
    AssignmentBody,
    AssignmentsBody,
    CalibrationBody,
    DraftContentBody,
    DraftsBody,
    ExpertBody,
    ExpertsBody,
    ExtendRequest,
    GivenBody,
    HandBackRequest,
    LotBody,
    MarkingRequest,
    MarkingsBody,
    PlanBody,
    ProfileRequest,
    ProgressBody,
    ReassignRequest,
    ReleaseRequest,
    ReplayBody,
    ReplayClosingRequest,
    ReplayRequest,
    ReviewRequest,
    RoundBody,
    SavedBody,
    WorkBody,
)
from contest.people.cabinet import author
from contest.people.errors import NoExpertsAccountError
from contest.results import presenting as present_reports
from contest.results.wire.reviews import MarkingReportBody
from contest.route import Function
from contest.wiring import platform

app = web.resolver()

RoundNumber = Annotated[int | None, Query(ge=1, le=100, alias="round", description="Whose works are told besides")]

_DECIDES = (MalformedJsonError, BusyError)
_OWN_ROUND = (refusals.NoRoundError, BusyError)


@web.on(
    app,
    routes.BEGIN_REPLAY,
    ReplayBody,
    "Choose what is replayed, and draw the lot",
    *_DECIDES,
    UnknownRunError,
    status=HTTPStatus.CREATED,
)
def begin_replay(request: ReplayRequest) -> Reply:
    """Files of a run that is over, one a round, for clinicians; names are drawn from the seed, once (D 9.10.8.5)."""
    replaying.begin(platform(), author(caller(app)), presenting.chosen(request), request.reason)
    return _replay(request.run_id, HTTPStatus.CREATED)


@web.on(app, routes.REPLAY, ReplayBody, "A replay with all reviews", refusals.NoReplayError)
def replay(run_id: str, number: RoundNumber = None) -> Reply:
    """Who works under which name, the rounds, everything that was said, and what came of it; of a round that is named
    every program's work besides (D 9.11)."""
    return _replay(run_id, number=number)


@web.on(app, routes.LOT, LotBody, "The lot: seed and names (D 9.10.8.5)", refusals.NoReplayError)
def replay_lot(run_id: str) -> Reply:
    """Whoever has the seed can draw again and gets the same names."""
    return web.answer(presenting.lot(replaying.of_run(platform(), run_id)))


@web.on(app, routes.OPEN_ROUND, ReplayBody, "Open the next round", *_DECIDES, refusals.NoReplayError)
def open_round(run_id: str) -> Reply:
    """When the present one's time is over; everybody is shown the next file."""
    replaying.open_round(platform(), author(caller(app)), run_id)
    return _replay(run_id)


@web.on(app, routes.CLOSE_REPLAY, ReplayBody, "Close a replay", *_DECIDES, refusals.NoReplayError)
def close_replay(run_id: str, request: ReplayClosingRequest) -> Reply:
    """After the last round: what the reviews amount to stands beside the board from then on."""
    replaying.close(platform(), author(caller(app)), run_id, request.reason)
    return _replay(run_id)


@web.on(app, routes.OWN_ROUND, RoundBody, "The own round", *_OWN_ROUND)
def own_round() -> Reply:
    """The first data and as many turns as were asked for, of a program under its name in the lot."""
    return _round(replaying.look(platform(), caller(app).person_id))


@web.on(app, routes.NEXT_TURN, RoundBody, "Show the next turn", *_OWN_ROUND, refusals.RoundOverError)
def next_turn() -> Reply:
    """At the end of the program's work nothing changes."""
    return _round(replaying.show_next(platform(), caller(app).person_id, arrival(app)))


@web.on(
    app,
    routes.SAVE_REVIEW,
    RoundBody,
    "Save the own review",
    *_OWN_ROUND,
    MalformedJsonError,
    refusals.RoundOverError,
    refusals.ReviewChangedError,
)
def save_review(request: ReviewRequest) -> Reply:
    """Whole or not, in the place of the one before; what is saved when the round's time is over counts."""
    return _round(replaying.save(platform(), caller(app).person_id, presenting.said(request), arrival(app)))


def _round(own: replaying.Seen) -> Reply:
    return web.answer(presenting.own_round(own, platform().clock.now()))


def _replay(run_id: str, status: HTTPStatus = HTTPStatus.OK, number: int | None = None) -> Reply:
    replay = replaying.of_run(platform(), run_id)
    track = replaying.replayed_by(platform(), reading.run_now(platform(), run_id))
    works = replaying.works_of(platform(), replay, number)
    return web.answer(presenting.replay(replay, track, platform().replays.reviews(run_id), works), status)


ExpertId = Annotated[str, Path(pattern=f"^{EXPERT_ID.pattern}$", description="The person's id")]
Revision = Annotated[int, Path(ge=1, le=999_999, description="A draft's number")]
AfterItem = Annotated[str, Query(max_length=64, description="The last item of the answer before")]
_OWN = (refusals.UnknownAssignmentError, BusyError)
_OPENED = (*_OWN, refusals.AssignmentEndedError)
_BEGUN = (*_OPENED, OutsideStageError)
_BASED = (*_OPENED, refusals.AssignmentNotOpenedError, refusals.RevisionNeededError, refusals.RevisionConflictError)
_FILED = (refusals.UnknownMarkingError, ExportTooLargeError)
_GIVEN = (*_OPENED, MalformedJsonError)


@web.on(app, routes.OWN_ASSIGNMENTS, AssignmentsBody, "Own assignments")
def own_assignments() -> Reply:
    """All essays that were given to the expert, the oldest first; their texts are shown when they are opened."""
    assignments = work.own(platform(), caller(app).person_id)
    return web.answer(presenting.assignments(assignments, platform().clock.now()))


@web.on(app, routes.ASSIGNMENT, WorkBody, "One assignment", refusals.UnknownAssignmentError)
def assignment(assignment_id: str) -> Reply:
    """State and time left; once it is opened the text, the latest draft, its grade and its faults."""
    assignment = work.look(platform(), caller(app).person_id, assignment_id)
    return presenting.work(assignment, platform().clock.now())


@web.on(app, routes.OPEN_ASSIGNMENT, WorkBody, "Start the time of an assignment and get its text", *_BEGUN)
def open_assignment(assignment_id: str) -> Reply:
    """The time runs from the first opening (R 7.10); opening again shows the same. A third expert gets the two earlier
    markups, of whom nobody is told."""
    assignment = work.open_assignment(platform(), caller(app).person_id, assignment_id)
    return presenting.work(assignment, platform().clock.now())


@web.on(
    app,
    routes.SAVE_DRAFT,
    SavedBody,
    "Save a draft",
    *_BASED,
    MalformedJsonError,
    AnswerTooLargeError,
    refusals.SavedTooOftenError,
)
def save_draft(assignment_id: str, if_match: web.IfMatch = None) -> Reply:
    """Keep a markup, valid or not, on top of the revision that `If-Match` names; answer with the grade, the reason of
    every criterion, all faults and the time left. A repetition is answered alike and kept once."""
    who, body = caller(app).person_id, raw_body(app)
    saved = work.save_draft(platform(), who, assignment_id, web.revision(if_match), body, arrival(app))
    return presenting.saved(saved, platform().clock.now())


@web.on(app, routes.DRAFTS, DraftsBody, "All saved versions", refusals.UnknownAssignmentError)
def list_drafts(assignment_id: str) -> Reply:
    """Numbers, times and validity of everything that was saved; nothing is ever thrown away."""
    return web.answer(DraftsBody.from_value(drafts=work.drafts(platform(), caller(app).person_id, assignment_id)))


@web.on(
    app,
    routes.DRAFT,
    DraftContentBody,
    "One saved version",
    refusals.UnknownAssignmentError,
    refusals.UnknownDraftError,
)
def draft(assignment_id: str, revision: Revision) -> Reply:
    """A saved version as it was sent."""
    draft, content = work.draft(platform(), caller(app).person_id, assignment_id, revision)
    return web.answer(DraftContentBody.from_value(draft=draft, content=content))


@web.on(app, routes.HAND_IN, SavedBody, "Hand the markup in", *_BASED, refusals.MarkupNotValidError)
def hand_in(assignment_id: str, if_match: web.IfMatch = None) -> Reply:
    """Make the latest draft, which `If-Match` names, the markup; refused with all reasons while it is not valid."""
    who = caller(app).person_id
    saved = work.hand_in(platform(), who, assignment_id, web.revision(if_match), arrival(app))
    return presenting.saved(saved, platform().clock.now())


@web.on(app, routes.HAND_BACK, AssignmentBody, "Give an essay back", *_GIVEN)
def hand_back(assignment_id: str, request: HandBackRequest) -> Reply:
    """Give the essay back with a reason; the coordinator gives it to somebody else."""
    assignment = work.hand_back(platform(), caller(app).person_id, assignment_id, request.reason)
    return web.answer(presenting.assignment(assignment, platform().clock.now()))


@web.on(
    app,
    routes.CALIBRATE,
    AssignmentBody,
    "Get a training essay to calibrate oneself",
    refusals.UnknownExpertError,
    refusals.NothingToCalibrateError,
    BusyError,
)
def begin_calibration() -> Reply:
    """Give the expert a training essay that it has not had, to be marked up like any other; the one that is under way
    if there is one."""
    assignment = progress.begin(platform(), caller(app).person_id)
    return web.answer(presenting.assignment(assignment, platform().clock.now()))


@web.on(
    app,
    routes.CALIBRATION,
    CalibrationBody,
    "Own agreement with the experts of a training essay",
    refusals.UnknownAssignmentError,
    refusals.CalibrationNotDoneError,
)
def calibration(assignment_id: str) -> Reply:
    """The own markup against every expert's, and theirs against each other's."""
    calibration = progress.calibrated(platform(), caller(app).person_id, assignment_id)
    own = presenting.assignment(calibration.assignment, platform().clock.now())
    return web.answer(CalibrationBody.from_value(calibration, assignment=own))


@web.on(app, routes.EXPERTS, ExpertsBody, "The experts")
def list_experts() -> Reply:
    """All profiles: competence, conflict groups, and whether new essays come."""
    return web.answer(ExpertsBody.from_value(experts=progress.experts(platform())))


@web.on(
    app,
    routes.PUT_EXPERT,
    ExpertBody,
    "Add or change an expert",
    UnknownRouteError,  # an id with signs that the router takes for none of a path's
    MalformedJsonError,
    NoExpertsAccountError,
    refusals.AssignmentEndedError,
    BusyError,
)
def put_expert(expert_id: ExpertId, profile: ProfileRequest) -> Reply:
    """Say what a person marks up; essays that were given before stay."""
    who = author(caller(app))
    expert = progress.put_expert(platform(), who, expert_id, presenting.profile(profile))
    return web.answer(ExpertBody.from_value(expert))


@web.on(
    app,
    routes.BEGIN_MARKING,
    PlanBody,
    "Give essays to experts",
    MalformedJsonError,
    UnknownRunError,
    refusals.EssaysNotCoveredError,
)
def begin_marking(order: MarkingRequest) -> Reply:
    """Give every essay of a set, or of a final that is over, to two independent experts; asked again, to those that
    essays lack by then. A preview says who would get what, and which essays cannot be covered."""
    plan = presenting.assigned(platform(), author(caller(app)), order)
    return web.answer(presenting.plan(plan, preview=order.preview))


@web.on(app, routes.MARKINGS, MarkingsBody, "Everything given to experts")
def list_markings() -> Reply:
    """All markings by id."""
    return web.answer(MarkingsBody.from_value(markings=progress.markings(platform())))


@web.on(app, routes.MARKING, ProgressBody, "Progress of a marking", refusals.UnknownMarkingError)
def marking(marking_id: str) -> Reply:
    """Every essay with its assignments, experts by state and calibration, what is lacking, and when it will end."""
    overview = progress.marking_overview(platform(), marking_id)
    return web.answer(ProgressBody.from_value(overview, server_time=platform().clock.now()))


@web.on(app, routes.AGREEMENT, AgreementBody, "Agreement and speed of experts", refusals.UnknownMarkingError)
def marking_agreement(marking_id: str) -> Reply:
    """Pair accuracy and Krippendorff's alpha by pair, subject and code; drift of an expert from its partners; speed."""
    agreement = progress.marking_agreement(platform(), marking_id)
    return web.answer(AgreementBody.from_value(agreement, server_time=platform().clock.now()))


@web.on(
    app, routes.MARKING_REPORT, MarkingReportBody, "The coordinator's report (R 7.10)", refusals.UnknownMarkingError
)
def marking_report(marking_id: str) -> Reply:
    """Progress, speed, agreement, drift and third experts together."""
    report = progress.marking_report(platform(), marking_id)
    return web.answer(present_reports.marking_report(report, platform().clock.now()))


@web.on(app, routes.MARKING_PAGE, HTML, "The coordinator's report to print (R 7.10)", *_FILED)
def marking_report_page(marking_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The same as a page with charts, in Russian or English."""
    report = progress.marking_report(platform(), marking_id)
    return present_reports.marking_page(app, report, platform().clock.now(), language_of(lang, accepted))


@web.on(app, routes.MARKING_CSV, CSV, "The experts' progress as CSV", *_FILED)
def marking_report_csv(marking_id: str) -> Response[Any]:
    """A line for every expert: assignments by state, speed, agreement, drift."""
    return present_reports.marking_csv(app, progress.marking_report(platform(), marking_id))


@web.on(app, routes.MARKING_XLSX, XLSX, "The coordinator's report as XLSX", *_FILED)
def marking_report_xlsx(marking_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The report's tables as sheets: experts, progress, third experts, agreement, essays."""
    report = progress.marking_report(platform(), marking_id)
    return present_reports.marking_xlsx(app, report, language_of(lang, accepted))


@web.on(app, routes.EXTEND, GivenBody, "Give an expert more time", *_GIVEN)
def extend_assignment(expert_id: str, assignment_id: str, request: ExtendRequest) -> Reply:
    """More time from the present limit, or from now where it has run out."""
    who = author(caller(app))
    assignment = assigning.extend(platform(), who, expert_id, assignment_id, request.seconds, request.reason)
    return web.answer(GivenBody.from_value(assignment))


@web.on(
    app,
    routes.REASSIGN,
    GivenBody,
    "Give an essay to another expert",
    *_GIVEN,
    refusals.UnknownExpertError,
    refusals.EssaysNotCoveredError,
)
def reassign_essay(expert_id: str, assignment_id: str, request: ReassignRequest) -> Reply:
    """End an assignment that is not handed in and give the essay to somebody else; the answer is the new one."""
    who = author(caller(app))
    assignment = assigning.reassign(platform(), who, expert_id, assignment_id, request.to, request.reason)
    return web.answer(GivenBody.from_value(assignment))


@web.on(app, routes.RELEASE, GivenBody, "Take an essay from an expert", *_GIVEN)
def release_assignment(expert_id: str, assignment_id: str, request: ReleaseRequest) -> Reply:
    """End an assignment that is not handed in; the essay lacks an expert until it is given out again."""
    who = author(caller(app))
    assignment = assigning.release(platform(), who, expert_id, assignment_id, request.reason)
    return web.answer(GivenBody.from_value(assignment))


@web.on(
    app,
    routes.MARKUPS,
    SetPartBody,
    "What experts have handed in, as files of a set",
    refusals.UnknownMarkingError,
)
def marking_markups(marking_id: str, after: AfterItem = "") -> Reply:
    """Items with their markups as references, by pseudonyms, as many as an answer holds: a folder with these files is
    imported as a set. With `after`, those behind an item; none is the end."""
    return present_sets.files(references.handed_in(platform(), marking_id, after))


@web.on(app, routes.RATINGS_AGREEMENT, TablesBody, "How far raters agree", UnknownRouteError)
def ratings_agreement() -> Reply:
    """Of ratings, items × raters, with a base markup and types where there are such; null is undefined."""
    return present_sets.tables(progress.of_ratings(platform(), raw_body(app)))


web.start(app, Function.ANNOTATE)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
