"""Routes of experts and of their coordinator, and of stage 2 for clinicians.

In stage 2 the commission chooses, organizers open rounds, clinicians judge the replayed work (D 9.10.8).
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import reading, routes
from contest.cycle import presenting as present_cycle
from contest.cycle.wire.sets import SetPartBody, TablesBody
from contest.edge import files, pages, web
from contest.edge.files import Accepted, Wanted, language_of
from contest.edge.web import CSV, HTML, XLSX, Reply, arrival, caller, raw_body
from contest.errors import (
    AnswerTooLargeError,
    BusyError,
    ExportTooLargeError,
    MalformedJsonError,
    OutsideStageError,
    UnknownRouteError,
    UnknownRunError,
)
from contest.experts import assigning, judged_essays, presenting, progress, replaying, wire, work
from contest.experts.rules.sharing_out import (
    EXPERT_ID,
    AssignmentEndedError,
    AssignmentNotOpenedError,
    CalibrationNotDoneError,
    EssaysNotCoveredError,
    MarkupNotValidError,
    NoReplayError,
    NoRoundError,
    NothingToCalibrateError,
    ReviewChangedError,
    RevisionConflictError,
    RevisionNeededError,
    RoundOverError,
    SavedTooOftenError,
    UnknownAssignmentError,
    UnknownDraftError,
    UnknownExpertError,
    UnknownMarkingError,
)
from contest.experts.wire import MarkingReportBody
from contest.people.cabinet import author
from contest.people.errors import NoExpertsAccountError
from contest.routes import Function
from contest.wiring import platform

app = web.resolver()

RoundNumber = Annotated[int | None, Query(ge=1, le=100, alias="round", description="Round whose works to return, too")]

_OWN_ROUND = (NoRoundError, BusyError)


@web.handles(
    app,
    routes.BEGIN_REPLAY,
    "Start a replay and draw the lot",
    BusyError,
    UnknownRunError,
    model=wire.ReplayBody,
    status=HTTPStatus.CREATED,
)
def begin_replay(request: wire.ReplayRequest) -> Reply:
    """Replay files of a finished run, one a round, for clinicians; names are drawn from the seed, once (D 9.10.8.5)."""
    replaying.begin_replay(platform(), author(caller(app)), presenting.replay_choice(request), request.reason)
    return _replay(request.run_id, HTTPStatus.CREATED)


@web.handles(app, routes.REPLAY, "A replay with all reviews", NoReplayError, model=wire.ReplayBody)
def replay(run_id: str, number: RoundNumber = None) -> Reply:
    """Return names, rounds, reviews and results; for a chosen round every program's work as well (D 9.11)."""
    return _replay(run_id, number=number)


@web.handles(app, routes.LOT, "The lot: seed and names (D 9.10.8.5)", NoReplayError)
def replay_lot(run_id: str) -> wire.LotBody:
    """Return the seed, from which anybody can draw the same names again."""
    return presenting.lot(replaying.of_run(platform(), run_id))


@web.handles(app, routes.OPEN_ROUND, "Open the next round", BusyError, NoReplayError, model=wire.ReplayBody)
def open_round(run_id: str) -> Reply:
    """Open it when the present round's time is over; everybody sees the next file."""
    replaying.open_round(platform(), author(caller(app)), run_id)
    return _replay(run_id)


@web.handles(app, routes.CLOSE_REPLAY, "Close a replay", BusyError, NoReplayError, model=wire.ReplayBody)
def close_replay(run_id: str, request: wire.ReplayClosingRequest) -> Reply:
    """Close it after the last round; the board shows the results of the reviews from then on."""
    replaying.close_replay(platform(), author(caller(app)), run_id, request.reason)
    return _replay(run_id)


@web.handles(app, routes.OWN_ROUND, "Get the own review round", *_OWN_ROUND, model=wire.RoundBody)
def own_round() -> Reply:
    """Return the first data and the requested turns of a program under its drawn name."""
    return _round(replaying.present_round(platform(), caller(app).person_id))


@web.handles(app, routes.NEXT_TURN, "Show the next turn", *_OWN_ROUND, RoundOverError, model=wire.RoundBody)
def next_turn() -> Reply:
    """Show another turn; at the end of the program's work nothing changes."""
    return _round(replaying.show_next(platform(), caller(app).person_id, arrival(app)))


@web.handles(
    app,
    routes.SAVE_REVIEW,
    "Save the own review",
    *_OWN_ROUND,
    RoundOverError,
    ReviewChangedError,
    model=wire.RoundBody,
)
def save_review(request: wire.ReviewRequest) -> Reply:
    """Replace the saved review, complete or not; the one saved last when the round's time is over counts."""
    return _round(
        replaying.save_review(platform(), caller(app).person_id, presenting.review_answers(request), arrival(app))
    )


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
_OWN = (UnknownAssignmentError, BusyError)
_OPENED = (*_OWN, AssignmentEndedError)
_BEGUN = (*_OPENED, OutsideStageError)
_BASED = (
    *_OPENED,
    AssignmentNotOpenedError,
    RevisionNeededError,
    RevisionConflictError,
)
_FILED = (UnknownMarkingError, ExportTooLargeError)
_NOTED = (*_OPENED, AssignmentNotOpenedError)


@web.handles(app, routes.OWN_ASSIGNMENTS, "Own assignments")
def own_assignments() -> wire.AssignmentsBody:
    """List all assignments of the expert, the oldest first; the text of an essay is shown when it is opened."""
    works = work.own_assignments(platform(), caller(app).person_id)
    return presenting.assignments(works, platform().clock.now())


@web.handles(app, routes.ASSIGNMENT, "One assignment", UnknownAssignmentError, model=wire.WorkBody)
def assignment(assignment_id: str) -> Reply:
    """Return state and time left; once opened also the text, the latest draft, its grade and its faults."""
    assignment = work.own_assignment(platform(), caller(app).person_id, assignment_id)
    return presenting.work(assignment, platform().clock.now())


@web.handles(
    app, routes.OPEN_ASSIGNMENT, "Start the time of an assignment and get its text", *_BEGUN, model=wire.WorkBody
)
def open_assignment(assignment_id: str) -> Reply:
    """Start the time at the first opening (R 7.10); a repetition shows the same. A third expert gets the two earlier
    markups, without their authors."""
    assignment = work.open_assignment(platform(), caller(app).person_id, assignment_id)
    return presenting.work(assignment, platform().clock.now())


@web.handles(
    app,
    routes.SAVE_DRAFT,
    "Save a draft",
    *_BASED,
    MalformedJsonError,
    AnswerTooLargeError,
    SavedTooOftenError,
    model=wire.SavedBody,
)
def save_draft(assignment_id: str, if_match: web.IfMatch = None) -> Reply:
    """Keep a markup, valid or not, on top of the revision that `If-Match` names; answer with the grade, the reason of
    every criterion, all faults and the time left. A repetition is answered alike and kept once."""
    who, body = caller(app).person_id, raw_body(app)
    saved = work.save_draft(platform(), who, assignment_id, web.revision(if_match), body, arrival(app))
    return presenting.saved(saved, platform().clock.now())


@web.handles(app, routes.DRAFTS, "All saved versions", UnknownAssignmentError)
def list_drafts(assignment_id: str) -> wire.DraftsBody:
    """List numbers, times and validity of everything that was saved; no version is ever deleted."""
    return wire.DraftsBody.from_value(drafts=work.drafts(platform(), caller(app).person_id, assignment_id))


@web.handles(app, routes.DRAFT, "One saved version", UnknownAssignmentError, UnknownDraftError)
def draft(assignment_id: str, revision: Revision) -> wire.DraftContentBody:
    """Return a saved version as it was sent."""
    draft, content = work.draft(platform(), caller(app).person_id, assignment_id, revision)
    return wire.DraftContentBody.from_value(draft=draft, content=content)


@web.handles(app, routes.HAND_IN, "Hand the markup in", *_BASED, MarkupNotValidError, model=wire.SavedBody)
def hand_in(assignment_id: str, if_match: web.IfMatch = None) -> Reply:
    """Submit the latest draft, which `If-Match` names, as the markup; refused with all reasons while it is not
    valid."""
    who = caller(app).person_id
    saved = work.hand_in(platform(), who, assignment_id, web.revision(if_match), arrival(app))
    return presenting.saved(saved, platform().clock.now())


@web.handles(app, routes.HAND_BACK, "Return an essay", *_OPENED)
def hand_back(assignment_id: str, request: wire.HandBackRequest) -> wire.AssignmentBody:
    """Return the essay with a reason; the coordinator gives it to another expert."""
    assignment = work.hand_back(platform(), caller(app).person_id, assignment_id, request.reason)
    return presenting.assignment(assignment, platform().clock.now())


@web.handles(app, routes.WRITE_NOTE, "Write a note for coordinators", *_NOTED)
def write_note(assignment_id: str, request: wire.NoteRequest) -> wire.AssignmentBody:
    """Replace the note on the essay: coordinators read it; it is no part of the markup."""
    assignment = work.write_note(platform(), caller(app).person_id, assignment_id, request.text)
    return presenting.assignment(assignment, platform().clock.now())


@web.handles(
    app,
    routes.CALIBRATE,
    "Get a training essay for calibration",
    UnknownExpertError,
    NothingToCalibrateError,
    BusyError,
)
def begin_calibration() -> wire.AssignmentBody:
    """Assign a training essay that is new to the expert, to be marked up like any other; return the one in progress
    if there is one."""
    assignment = progress.begin_calibration(platform(), caller(app).person_id)
    return presenting.assignment(assignment, platform().clock.now())


@web.handles(
    app,
    routes.CALIBRATION,
    "Own agreement with the experts of a training essay",
    UnknownAssignmentError,
    CalibrationNotDoneError,
)
def calibration(assignment_id: str) -> wire.CalibrationBody:
    """Compare the own markup with every expert's, and theirs with each other."""
    calibration = progress.calibration_result(platform(), caller(app).person_id, assignment_id)
    own = presenting.assignment(calibration.assignment, platform().clock.now())
    return wire.CalibrationBody.from_value(calibration, assignment=own)


@web.handles(app, routes.EXPERTS, "The experts")
def list_experts() -> wire.ExpertsBody:
    """List all profiles: competence, conflict groups, and whether new essays are assigned."""
    return wire.ExpertsBody.from_value(experts=progress.list_experts(platform()))


@web.handles(
    app,
    routes.PUT_EXPERT,
    "Add or change an expert",
    UnknownRouteError,
    NoExpertsAccountError,
    AssignmentEndedError,
    BusyError,
)
def put_expert(expert_id: ExpertId, profile: wire.ProfileRequest) -> wire.ExpertBody:
    """Set the subjects and languages that a person marks up; earlier assignments stay."""
    who = author(caller(app))
    expert = progress.put_expert(platform(), who, expert_id, presenting.profile(profile))
    return wire.ExpertBody.from_value(expert)


@web.handles(app, routes.BEGIN_MARKING, "Assign essays to experts", UnknownRunError, EssaysNotCoveredError)
def begin_marking(order: wire.MarkingRequest) -> wire.PlanBody:
    """Assign every essay of a set, or of a finished final, to two independent experts; a repetition adds missing
    assignments. A preview shows the assignments and the essays that cannot be covered."""
    plan = presenting.assigned(platform(), author(caller(app)), order)
    return presenting.plan(plan, preview=order.preview)


@web.handles(app, routes.MARKINGS, "All annotation projects")
def list_markings() -> wire.MarkingsBody:
    """List projects, latest first."""
    return wire.MarkingsBody.from_value(markings=progress.list_markings(platform()))


@web.handles(app, routes.MARKING, "Progress of a marking", UnknownMarkingError)
def marking(marking_id: str) -> wire.ProgressBody:
    """Return every essay with its assignments, experts by state and calibration, missing assignments, and the
    expected end."""
    overview = progress.marking_overview(platform(), marking_id)
    return wire.ProgressBody.from_value(overview, server_time=platform().clock.now())


@web.handles(app, routes.AGREEMENT, "Agreement and speed of experts", UnknownMarkingError)
def marking_agreement(marking_id: str) -> wire.AgreementBody:
    """Return pair accuracy and Krippendorff's alpha by pair, subject and code, each expert's drift from its
    partners, and speed."""
    agreement = progress.marking_agreement(platform(), marking_id)
    return wire.AgreementBody.from_value(agreement, server_time=platform().clock.now())


@web.handles(app, routes.MARKING_REPORT, "The coordinator's report (R 7.10)", UnknownMarkingError)
def marking_report(marking_id: str) -> MarkingReportBody:
    """Return progress, speed, agreement, drift and third experts together."""
    report = progress.marking_report(platform(), marking_id)
    return presenting.marking_report(report, platform().clock.now())


@web.handles(app, routes.MARKING_PAGE, "The coordinator's report to print (R 7.10)", *_FILED, model=HTML)
def marking_report_page(marking_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the report as a page with charts, in Russian or English."""
    report = progress.marking_report(platform(), marking_id)
    language = language_of(lang, accepted)
    return pages.answer(app, pages.experts_page(report, platform().clock.now(), language), language)


@web.handles(app, routes.MARKING_CSV, "The experts' progress as CSV", *_FILED, model=CSV)
def marking_report_csv(marking_id: str) -> Response[Any]:
    """Write a line for every expert: assignments by state, speed, agreement, drift."""
    report = progress.marking_report(platform(), marking_id)
    return files.table(app, f"experts-{marking_id}", pages.tables(report)[0])


@web.handles(app, routes.MARKING_XLSX, "The coordinator's report as XLSX", *_FILED, model=XLSX)
def marking_report_xlsx(marking_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the report's tables as sheets: experts, progress, third experts, agreement, essays."""
    report = progress.marking_report(platform(), marking_id)
    return files.workbook(app, f"experts-{marking_id}", pages.tables(report), language_of(lang, accepted))


@web.handles(app, routes.SUGGESTIONS, "Switch suggestions on or off", UnknownMarkingError)
def switch_suggestions(marking_id: str, request: wire.SuggestionsRequest) -> wire.SwitchedBody:
    """Show experts a program's or a dictionary's fragments; refused where a barrier rests on the annotations."""
    who, source = author(caller(app)), presenting.source(request)
    return wire.SwitchedBody.from_value(
        work.switch_suggestions(platform(), who, marking_id, source, request.assignments)
    )


@web.handles(app, routes.EXTEND, "Give an expert more time", *_OPENED)
def extend_assignment(expert_id: str, assignment_id: str, request: wire.ExtendRequest) -> wire.GivenBody:
    """Add time to the present limit, or to now if it has run out."""
    who = author(caller(app))
    assignment = assigning.extend(platform(), who, expert_id, assignment_id, request.seconds, request.reason)
    return wire.GivenBody.from_value(assignment)


@web.handles(
    app,
    routes.REASSIGN,
    "Assign an essay to another expert",
    *_OPENED,
    UnknownExpertError,
    EssaysNotCoveredError,
)
def reassign_essay(expert_id: str, assignment_id: str, request: wire.ReassignRequest) -> wire.GivenBody:
    """End an assignment that is not handed in, assign the essay to another expert and return the new assignment."""
    who = author(caller(app))
    assignment = assigning.reassign(platform(), who, expert_id, assignment_id, request.to, request.reason)
    return wire.GivenBody.from_value(assignment)


@web.handles(app, routes.RELEASE, "Take an essay from an expert", *_OPENED)
def release_assignment(expert_id: str, assignment_id: str, request: wire.ReleaseRequest) -> wire.GivenBody:
    """End an assignment that is not handed in; the essay lacks an expert until it is assigned again."""
    who = author(caller(app))
    assignment = assigning.release(platform(), who, expert_id, assignment_id, request.reason)
    return wire.GivenBody.from_value(assignment)


@web.handles(app, routes.MARKUPS, "Experts' markups as files of a set", UnknownMarkingError, model=SetPartBody)
def marking_markups(marking_id: str, after: AfterItem = "") -> Reply:
    """List items with their markups as references, by pseudonyms, as many as an answer holds: a folder with these
    files is imported as a set. With `after`, those behind an item; an empty list is the end."""
    return present_cycle.set_files(judged_essays.handed_in(platform(), marking_id, after))


@web.handles(app, routes.RATINGS_AGREEMENT, "Inter-rater agreement", UnknownRouteError, model=TablesBody)
def ratings_agreement() -> Reply:
    """Compute agreement of ratings, items × raters, with a base markup and types if there are any; null is
    undefined."""
    return present_cycle.set_tables(progress.of_ratings(platform(), raw_body(app)))


handler = web.make_handler(app, Function.ANNOTATE)
