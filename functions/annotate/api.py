"""Routes of experts and of their coordinator."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from annotate import replays
from annotate.router import app
from contest import errors, routes
from contest.contracts import experts as wire
from contest.contracts.reports import MarkingReportBody
from contest.contracts.sets import SetPartBody, TablesBody
from contest.domain.experts import refusals
from contest.domain.experts.expert import EXPERT_ID
from contest.edge import orders_of_experts, present_experts, present_reports, present_sets, web
from contest.edge.documentation import CSV, HTML, XLSX
from contest.edge.languages import Accepted, Wanted, language_of
from contest.edge.web import Reply, arrival, caller, raw_body
from contest.errors.exports import ExportTooLargeError
from contest.errors.people import NoExpertsAccountError
from contest.route import Function
from contest.services.experts import agreeing, calibrating, coordinating, pool, progressing, references, work
from contest.services.people.cabinet import author
from contest.wiring import platform

__all__ = ["app", "handler", "replays"]

ExpertId = Annotated[str, Path(pattern=f"^{EXPERT_ID.pattern}$", description="The person's id")]
Revision = Annotated[int, Path(ge=1, le=999_999, description="A draft's number")]
AfterItem = Annotated[str, Query(max_length=64, description="The last item of the answer before")]
_OWN = (refusals.UnknownAssignmentError, errors.BusyError)
_OPENED = (*_OWN, refusals.AssignmentEndedError)
_BEGUN = (*_OPENED, errors.OutsideStageError)
_BASED = (*_OPENED, refusals.AssignmentNotOpenedError, refusals.RevisionNeededError, refusals.RevisionConflictError)
_FILED = (refusals.UnknownMarkingError, ExportTooLargeError)
_GIVEN = (*_OPENED, errors.MalformedJsonError)


@web.on(app, routes.OWN_ASSIGNMENTS, wire.AssignmentsBody, "Own assignments")
def own_assignments() -> Reply:
    """All essays that were given to the expert, the oldest first; their texts are shown when they are opened."""
    found = work.own(platform(), caller(app).person_id)
    return web.answer(present_experts.assignments(found, platform().clock.now()))


@web.on(app, routes.ASSIGNMENT, wire.WorkBody, "One assignment", refusals.UnknownAssignmentError)
def assignment(assignment_id: str) -> Reply:
    """State and time left; once it is opened the text, the latest draft, its grade and its faults."""
    found = work.look(platform(), caller(app).person_id, assignment_id)
    return present_experts.work(found, platform().clock.now())


@web.on(app, routes.OPEN_ASSIGNMENT, wire.WorkBody, "Start the time of an assignment and get its text", *_BEGUN)
def open_assignment(assignment_id: str) -> Reply:
    """The time runs from the first opening (R 7.10); opening again shows the same. A third expert gets the two earlier
    markups, of whom nobody is told."""
    found = work.open_assignment(platform(), caller(app).person_id, assignment_id)
    return present_experts.work(found, platform().clock.now())


@web.on(
    app,
    routes.SAVE_DRAFT,
    wire.SavedBody,
    "Save a draft",
    *_BASED,
    errors.MalformedJsonError,
    errors.AnswerTooLargeError,
    refusals.SavedTooOftenError,
)
def save_draft(assignment_id: str, if_match: web.IfMatch = None) -> Reply:
    """Keep a markup, valid or not, on top of the revision that `If-Match` names; answer with the grade, the reason of
    every criterion, all faults and the time left. A repetition is answered alike and kept once."""
    who, body = caller(app).person_id, raw_body(app)
    found = work.save_draft(platform(), who, assignment_id, web.revision(if_match), body, arrival(app))
    return present_experts.saved(found, platform().clock.now())


@web.on(app, routes.DRAFTS, wire.DraftsBody, "All saved versions", refusals.UnknownAssignmentError)
def list_drafts(assignment_id: str) -> Reply:
    """Numbers, times and validity of everything that was saved; nothing is ever thrown away."""
    return web.answer(wire.DraftsBody.from_value(drafts=work.drafts(platform(), caller(app).person_id, assignment_id)))


@web.on(
    app,
    routes.DRAFT,
    wire.DraftContentBody,
    "One saved version",
    refusals.UnknownAssignmentError,
    refusals.UnknownDraftError,
)
def draft(assignment_id: str, revision: Revision) -> Reply:
    """A saved version as it was sent."""
    found, content = work.draft(platform(), caller(app).person_id, assignment_id, revision)
    return web.answer(wire.DraftContentBody.from_value(draft=found, content=content))


@web.on(app, routes.HAND_IN, wire.SavedBody, "Hand the markup in", *_BASED, refusals.MarkupNotValidError)
def hand_in(assignment_id: str, if_match: web.IfMatch = None) -> Reply:
    """Make the latest draft, which `If-Match` names, the markup; refused with all reasons while it is not valid."""
    who = caller(app).person_id
    found = work.hand_in(platform(), who, assignment_id, web.revision(if_match), arrival(app))
    return present_experts.saved(found, platform().clock.now())


@web.on(app, routes.HAND_BACK, wire.AssignmentBody, "Give an essay back", *_GIVEN)
def hand_back(assignment_id: str, said: wire.HandBackRequest) -> Reply:
    """Give the essay back with a reason; the coordinator gives it to somebody else."""
    found = work.hand_back(platform(), caller(app).person_id, assignment_id, said.reason)
    return web.answer(present_experts.assignment(found, platform().clock.now()))


@web.on(
    app,
    routes.CALIBRATE,
    wire.AssignmentBody,
    "Get a training essay to calibrate oneself",
    refusals.UnknownExpertError,
    refusals.NothingToCalibrateError,
    errors.BusyError,
)
def begin_calibration() -> Reply:
    """Give the expert a training essay that it has not had, to be marked up like any other; the one that is under way
    if there is one."""
    found = calibrating.begin(platform(), caller(app).person_id)
    return web.answer(present_experts.assignment(found, platform().clock.now()))


@web.on(
    app,
    routes.CALIBRATION,
    wire.CalibrationBody,
    "Own agreement with the experts of a training essay",
    refusals.UnknownAssignmentError,
    refusals.CalibrationNotDoneError,
)
def calibration(assignment_id: str) -> Reply:
    """The own markup against every expert's, and theirs against each other's."""
    found = calibrating.calibrated(platform(), caller(app).person_id, assignment_id)
    own = present_experts.assignment(found.assignment, platform().clock.now())
    return web.answer(wire.CalibrationBody.from_value(found, assignment=own))


@web.on(app, routes.EXPERTS, wire.ExpertsBody, "The experts")
def list_experts() -> Reply:
    """All profiles: competence, conflict groups, and whether new essays come."""
    return web.answer(wire.ExpertsBody.from_value(experts=pool.experts(platform())))


@web.on(
    app,
    routes.PUT_EXPERT,
    wire.ExpertBody,
    "Add or change an expert",
    errors.UnknownRouteError,  # an id with signs that the router takes for none of a path's
    errors.MalformedJsonError,
    NoExpertsAccountError,
    refusals.AssignmentEndedError,
    errors.BusyError,
)
def put_expert(expert_id: ExpertId, profile: wire.ProfileRequest) -> Reply:
    """Say what a person marks up; essays that were given before stay."""
    who = author(caller(app))
    found = pool.put_expert(platform(), who, expert_id, orders_of_experts.profile(profile))
    return web.answer(wire.ExpertBody.from_value(found))


@web.on(
    app,
    routes.BEGIN_MARKING,
    wire.PlanBody,
    "Give essays to experts",
    errors.MalformedJsonError,
    errors.UnknownRunError,
    refusals.EssaysNotCoveredError,
)
def begin_marking(order: wire.MarkingRequest) -> Reply:
    """Give every essay of a set, or of a final that is over, to two independent experts; asked again, to those that
    essays lack by then. A preview says who would get what, and which essays cannot be covered."""
    made = orders_of_experts.assigned(platform(), author(caller(app)), order)
    return web.answer(present_experts.plan(made, preview=order.preview))


@web.on(app, routes.MARKINGS, wire.MarkingsBody, "Everything given to experts")
def list_markings() -> Reply:
    """All markings by id."""
    return web.answer(wire.MarkingsBody.from_value(markings=progressing.markings(platform())))


@web.on(app, routes.MARKING, wire.ProgressBody, "Progress of a marking", refusals.UnknownMarkingError)
def marking(marking_id: str) -> Reply:
    """Every essay with its assignments, experts by state and calibration, what is lacking, and when it will end."""
    found = progressing.marking_overview(platform(), marking_id)
    return web.answer(wire.ProgressBody.from_value(found, server_time=platform().clock.now()))


@web.on(app, routes.AGREEMENT, wire.AgreementBody, "Agreement and speed of experts", refusals.UnknownMarkingError)
def marking_agreement(marking_id: str) -> Reply:
    """Pair accuracy and Krippendorff's alpha by pair, subject and code; drift of an expert from its partners; speed."""
    found = progressing.marking_agreement(platform(), marking_id)
    return web.answer(wire.AgreementBody.from_value(found, server_time=platform().clock.now()))


@web.on(
    app, routes.MARKING_REPORT, MarkingReportBody, "The coordinator's report (R 7.10)", refusals.UnknownMarkingError
)
def marking_report(marking_id: str) -> Reply:
    """Progress, speed, agreement, drift and third experts together."""
    found = progressing.marking_report(platform(), marking_id)
    return web.answer(present_reports.marking_report(found, platform().clock.now()))


@web.on(app, routes.MARKING_PAGE, HTML, "The coordinator's report to print (R 7.10)", *_FILED)
def marking_report_page(marking_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The same as a page with charts, in Russian or English."""
    found = progressing.marking_report(platform(), marking_id)
    return present_reports.marking_page(app, found, platform().clock.now(), language_of(lang, accepted))


@web.on(app, routes.MARKING_CSV, CSV, "The experts' progress as CSV", *_FILED)
def marking_report_csv(marking_id: str) -> Response[Any]:
    """A line for every expert: assignments by state, speed, agreement, drift."""
    return present_reports.marking_csv(app, progressing.marking_report(platform(), marking_id))


@web.on(app, routes.MARKING_XLSX, XLSX, "The coordinator's report as XLSX", *_FILED)
def marking_report_xlsx(marking_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The report's tables as sheets: experts, progress, third experts, agreement, essays."""
    found = progressing.marking_report(platform(), marking_id)
    return present_reports.marking_xlsx(app, found, language_of(lang, accepted))


@web.on(app, routes.EXTEND, wire.GivenBody, "Give an expert more time", *_GIVEN)
def extend_assignment(expert_id: str, assignment_id: str, said: wire.ExtendRequest) -> Reply:
    """More time from the present limit, or from now where it has run out."""
    who = author(caller(app))
    found = coordinating.extend(platform(), who, expert_id, assignment_id, said.seconds, said.reason)
    return web.answer(wire.GivenBody.from_value(found))


@web.on(
    app,
    routes.REASSIGN,
    wire.GivenBody,
    "Give an essay to another expert",
    *_GIVEN,
    refusals.UnknownExpertError,
    refusals.EssaysNotCoveredError,
)
def reassign_essay(expert_id: str, assignment_id: str, said: wire.ReassignRequest) -> Reply:
    """End an assignment that is not handed in and give the essay to somebody else; the answer is the new one."""
    who = author(caller(app))
    found = coordinating.reassign(platform(), who, expert_id, assignment_id, said.to, said.reason)
    return web.answer(wire.GivenBody.from_value(found))


@web.on(app, routes.RELEASE, wire.GivenBody, "Take an essay from an expert", *_GIVEN)
def release_assignment(expert_id: str, assignment_id: str, said: wire.ReleaseRequest) -> Reply:
    """End an assignment that is not handed in; the essay lacks an expert until it is given out again."""
    who = author(caller(app))
    found = coordinating.release(platform(), who, expert_id, assignment_id, said.reason)
    return web.answer(wire.GivenBody.from_value(found))


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


@web.on(app, routes.RATINGS_AGREEMENT, TablesBody, "How far raters agree", errors.UnknownRouteError)
def ratings_agreement() -> Reply:
    """Of ratings, items × raters, with a base markup and types where there are such; null is undefined."""
    return present_sets.tables(agreeing.of_ratings(platform(), raw_body(app)))


web.start(app, Function.ANNOTATE)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
