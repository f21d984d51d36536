"""Runs, scoring and results for organizers: from a request's body to an answer's body.

The handlers of the interface call these functions, and so does the command in a disaster, which works on the deployment
itself: views and decisions are written once. ``who`` is the author of a decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from contest import reading
from contest.cycle import parameters
from contest.cycle.rules.cycle import ALL_LANGUAGES, Cycle, Mode
from contest.cycle.rules.stages import described_off_board
from contest.cycle.wire.cycle import HeldCycleBody
from contest.errors import InvalidRequestError
from contest.results import audit, boards, commission, publishing, reporting, settling
from contest.results import presenting as present_boards
from contest.results import wire as results_wire
from contest.results.rules import reports
from contest.results.rules.jobs import Errand, Outcome, state_of
from contest.results.rules.qualification import Annulled
from contest.results.wire import BoardBody
from contest.run import planning, recording, watching
from contest.run import wire as run_wire
from contest.run.planning import RunOrder
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind, Run, SaidLimits
from contest.run.rules.schedule import Proposal, Schedule
from contest.run.watching import Preview, Restart
from contest.run.wire import OpeningBody
from contest.session import wire
from contest.submissions import wire as submissions_wire
from contest.submissions.wire import ErrandBody, ErrandRefusalBody, VerificationBody
from contest.texts import tr
from contest.values import SECOND, Millis, from_iso, iso
from contest.wire import ProtocolRequest, ProtocolsBody
from tracks.rules import Signatory

if TYPE_CHECKING:
    from contest.platform import Platform
    from tracks.protocol import Reason

BELONGS: Final = {
    "numbers": {Kind.VOID, Kind.REPLACE},
    "proposal": {Kind.REPLACE},
    "team_id": {Kind.RULE, Kind.ADMIT},
    "number": {Kind.RULE},
    "cause": {Kind.RULE},
    "amendment": {Kind.UNDO},
}
"""Kinds of decisions that allow each field of the request."""


def cycle(platform: Platform) -> HeldCycleBody:
    """Return the loaded cycle with all its sets."""
    return HeldCycleBody.model_validate(parameters.loaded_cycle(platform))


def runs(platform: Platform, mode: str | None, limit: int) -> run_wire.RunSummariesBody:
    """List runs, the latest start first."""
    listed, now = planning.list_runs(platform, Mode(mode) if mode else None, limit), platform.clock.now()
    cycle = reading.cycle_now(platform) if listed else None
    summaries = [_summary(platform, cycle, Schedule.of(listed_run), now) for listed_run in listed] if cycle else []
    return run_wire.RunSummariesBody(runs=[run_wire.RunSummaryBody(**summary) for summary in summaries])


def run(platform: Platform, run_id: str) -> run_wire.ConductedRunBody:
    """Return a run with its decisions and the progress of its results."""
    schedule = reading.schedule_now(platform, run_id)
    current, proposal = schedule.run, platform.runs.proposal(run_id)
    reasons = (*publishing.of_final(platform, current), *commission.missing_protocols(platform, current))
    names = watching.author_names(platform, [amendment.who for amendment in current.amendments])
    return run_wire.ConductedRunBody.from_value(
        **_summary(platform, reading.cycle_now(platform), schedule, platform.clock.now()),
        version=current.version,
        commitment=planning.commitment_of(platform, run_id),
        mass_failure=None if proposal is None else _proposal(platform, schedule, proposal),
        amendments=[
            run_wire.DecidedBody.from_value(amendment, name=names[amendment.who]) for amendment in current.amendments
        ],
        settlement={**settling.settling_view(platform, run_id), "notices": [_notice(reason) for reason in reasons]},
    )


def _proposal(platform: Platform, schedule: Schedule, proposal: Proposal) -> run_wire.ProposalBody:
    """Return the proposal on a mass failure, with the name of the person who dismissed it."""
    dismissed = proposal.body["dismissed"]
    if dismissed is not None:
        dismissed = {**dismissed, "name": watching.author_names(platform, [dismissed["who"]])[dismissed["who"]]}
    standing = watching.standing_of(schedule, proposal).value
    return run_wire.ProposalBody.from_value(**{**proposal.body, "dismissed": dismissed}, standing=standing)


def watch(platform: Platform, run_id: str) -> run_wire.WatchBody:
    """Return a run at this moment with all its participants."""
    view = watching.watched_run(platform, reading.run_now(platform, run_id))
    coming = view.schedule.next_opening(view.now)
    return run_wire.WatchBody.from_value(
        view,
        **_summary(platform, reading.cycle_now(platform), view.schedule, view.now),
        next_opening=OpeningBody.from_value(number=coming[0], opens_at=coming[1]) if coming else None,
        delay_ms=reports.statistics(view.delays),
        mass_failure=view.proposal.body["numbers"] if view.proposal else None,
        standing=view.standing.value if view.standing else None,
    )


def _summary(platform: Platform, cycle: Cycle, schedule: Schedule, now: Millis) -> dict[str, Any]:
    """Return the fields of a run that is conducted."""
    run = schedule.run
    return {
        "run_id": run.run_id,
        "state": schedule.state_at(now),
        **planning.describe_run(run),
        "total_files": schedule.total_files,
        "ends_at": schedule.ends_at,
        "continues": run.continues,
        "confirmed": recording.is_confirmed(platform, cycle, run),
        "published": run.published_at is not None,
        "closed_at": run.closed_at,
    }


def preview_plan(platform: Platform, request: run_wire.PlanRequest) -> run_wire.PlanPreviewBody:
    """Return the run that would be planned."""
    publishing.refuse_after_end(platform, _order(request))
    planned = planning.preview_plan(platform, _order(request))
    return run_wire.PlanPreviewBody.from_value(
        planned.run,
        mode=planned.run.mode.value,
        ends_at=Schedule.of(planned.run).ends_at,
        available=planned.available,
        notices=[_notice(reason) for reason in planned.notices],
    )


def plan(platform: Platform, who: str, request: run_wire.PlanRequest) -> run_wire.PlannedBody:
    """Plan a run."""
    publishing.refuse_after_end(platform, _order(request))
    planned = planning.plan_run(platform, who, _order(request))
    notices = [_notice(reason) for reason in planning.notices(platform, planned)]
    return run_wire.PlannedBody(run=run(platform, planned.run_id), notices=notices)


def decide(platform: Platform, who: str, run_id: str, request: run_wire.RunDecisionRequest) -> wire.AmendedBody:
    """Decide about a run."""
    after = watching.decide(platform, who, run_id, _wish(platform, run_id, request), request.version)
    return wire.AmendedBody.from_value(after.amendments[-1], version=after.version)


def preview(platform: Platform, run_id: str, request: run_wire.RunDecisionRequest) -> wire.PreviewBody:
    """Return the effect that a decision would have."""
    return _previewed(watching.preview(platform, run_id, _wish(platform, run_id, request)))


def restart(platform: Platform, who: str, run_id: str, request: run_wire.RestartRequest) -> wire.RestartedBody:
    """Stop a run and plan another."""
    planned = watching.restart(platform, who, run_id, request.reason, _restart(request))
    return wire.RestartedBody(run_id=planned.run_id, restarts=run_id, notices=_of_restart(platform, run_id, planned))


def preview_restart(platform: Platform, run_id: str, request: run_wire.RestartRequest) -> wire.RestartPreviewBody:
    """Return the effect that a restart would have."""
    stop, planned = watching.preview_restart(platform, run_id, request.reason, _restart(request))
    return wire.RestartPreviewBody(
        stop=_previewed(stop),
        set=planned.set_name,
        files=planned.files // planned.publications,
        starts_at=iso(planned.starts_at),
        notices=_of_restart(platform, run_id, planned),
    )


# Clause: TS T17, D 6.13.1, D 6.13.2
def _of_restart(platform: Platform, run_id: str, planned: Run) -> list[wire.NoticeBody]:
    """List a restart's defects: missing protocols on the stopped run, and notice periods that the new one does not
    keep."""
    lacking = recording.restart_lacks(platform, reading.run_now(platform, run_id))
    short = planning.terms_of(platform, planned, reading.cycle_now(platform))
    return [_notice(reason) for reason in (*lacking, *short)]


def dismiss(platform: Platform, who: str, run_id: str, request: run_wire.DismissalRequest) -> run_wire.ConductedRunBody:
    """Dismiss the proposal on a mass failure."""
    watching.dismiss(platform, who, run_id, request.reason)
    return run(platform, run_id)


def preview_dismissal(platform: Platform, run_id: str) -> run_wire.ProposalBody:
    """Return the open proposal on a mass failure, which a dismissal would leave without consequences."""
    schedule = reading.schedule_now(platform, run_id)
    proposal = watching.open_proposal(platform, schedule)
    return _proposal(platform, schedule, proposal)


def board(platform: Platform, name: str, key: str | None, part: str) -> BoardBody:
    """Return a part of the live board; with a key another board of the contest than its main one."""
    return present_boards.leaderboard(live_board(platform, name, key, part), platform.clock.now())


def live_board(platform: Platform, name: str, key: str | None, part: str = ALL_LANGUAGES) -> boards.Board:
    """Return the board as it is now, without its form."""
    return publishing.preview(platform, name, boards.scope_of(platform, key, part))


def decide_board(
    platform: Platform, who: str, name: str, request: results_wire.BoardDecisionRequest
) -> results_wire.BoardDecidedBody:
    """Publish a board, freeze it, or withdraw it."""
    return results_wire.BoardDecidedBody(
        board=name, state=publishing.decide(platform, who, name, request.state, request.reason)
    )


def protocols(platform: Platform, run_id: str) -> ProtocolsBody:
    """List the statements of judges and commission about a run."""
    return ProtocolsBody.model_validate(watching.run_protocols(platform, run_id))


def state_for_judges(platform: Platform, who: str, run_id: str, request: ProtocolRequest) -> ProtocolsBody:
    """Record the judges' protocol about a run."""
    return _state(platform, who, run_id, Signatory.JUDGES, request)


def state_for_commission(platform: Platform, who: str, run_id: str, request: ProtocolRequest) -> ProtocolsBody:
    """Record the technical commission's protocol about a run."""
    return _state(platform, who, run_id, Signatory.COMMISSION, request)


def _state(platform: Platform, who: str, run_id: str, by: Signatory, request: ProtocolRequest) -> ProtocolsBody:
    commission.record_protocol(
        platform, who, run_id, commission.Statement(by, request.matter, request.positive, request.reason)
    )
    return protocols(platform, run_id)


def annulments(platform: Platform) -> results_wire.AnnulmentsBody:
    """List everything that was ever annulled."""
    annulments = commission.annulments(platform)
    return results_wire.AnnulmentsBody(annulments=[results_wire.AnnulmentBody.from_value(one) for one in annulments])


def annul(platform: Platform, who: str, request: results_wire.AnnulmentRequest) -> results_wire.AnnulmentBody:
    """Annul something, or take that back."""
    if (request.board is None) is (request.of is Annulled.RESULT):
        message = tr("a result is annulled on a board, and nothing else is")
        raise InvalidRequestError.with_detail("of_a_result", message, field="body.board")
    subject = (request.of, request.subject, request.board or "")
    decided = commission.decide_annulment(platform, who, subject, request.reason, annulled=request.annulled)
    return results_wire.AnnulmentBody.from_value(decided)


def unscored(platform: Platform) -> submissions_wire.WaitingListBody:
    """List sessions whose answers wait for scores."""
    return submissions_wire.WaitingListBody(
        sessions=list(map(submissions_wire.WaitingBody.from_value, reporting.sessions_waiting(platform)))
    )


def redrive(
    platform: Platform, request: submissions_wire.ScoringRedriveRequest
) -> submissions_wire.ScoringRedrivenBody:
    """Put waiting answers into the queue again."""
    return submissions_wire.ScoringRedrivenBody(enqueued=reporting.redrive(platform, request.run))


def ask_to_mark(platform: Platform, who: str, run_id: str) -> ErrandBody:
    """Request the intake of a final's annotations."""
    return errand(publishing.ask_to_mark(platform, who, run_id), None)


def ask_to_verify(platform: Platform, who: str, session_id: str) -> ErrandBody:
    """Request the verification of a session."""
    return errand(audit.ask_to_verify(platform, who, session_id), None)


def look_at_errand(platform: Platform, errand_id: str) -> ErrandBody:
    """Return the state of an errand."""
    return errand(*audit.look_at_errand(platform, errand_id))


def errand(job: Errand, outcome: Outcome | None, lost: bool = False) -> ErrandBody:
    """Return an errand with its outcome."""
    refused = outcome.refused if outcome else None
    verified = outcome.verification if outcome else None
    stage = verified.off_board if verified else None
    off_board = described_off_board(stage) if stage else None
    return ErrandBody.from_value(
        job,
        state=state_of(outcome, lost=lost),
        refused=ErrandRefusalBody(code=refused[0], message=refused[1], message_ru=refused[2]) if refused else None,
        verification=VerificationBody.from_value(verified, off_board=off_board) if verified else None,
    )


def _order(request: run_wire.PlanRequest) -> RunOrder:
    limits = request.limits
    return RunOrder(
        mode=Mode(request.mode),
        set_name=request.set,
        starts_at=from_iso(request.starts_at),
        interval=_millis(request.interval_s),
        limits=SaidLimits(*map(_millis, (limits.request_s, limits.answer_s, limits.total_s, limits.join_s))),
        files=request.files,
        language=request.language,
        trial=request.trial,
        admitted=None if request.admitted is None else tuple(request.admitted),
        run_id=request.run_id,
        continues=request.continues,
    )


def _restart(request: run_wire.RestartRequest) -> Restart:
    return Restart(from_iso(request.starts_at), _millis(request.interval_s), request.files)


def _millis(seconds: float | None) -> Millis | None:
    return None if seconds is None else round(seconds * SECOND)


def _notice(reason: Reason) -> wire.NoticeBody:
    return wire.NoticeBody(
        code=reason.code, message=reason.message.en, message_ru=reason.message.ru, where=dict(reason.where)
    )


def _wish(platform: Platform, run_id: str, request: run_wire.RunDecisionRequest) -> Wish:
    """Return the requested decision; a field of another decision is refused, for it was meant to have an effect."""
    kind = Kind(request.kind)
    strange = [
        name for name, kinds in BELONGS.items() if getattr(request, name) not in (None, False) and kind not in kinds
    ]
    if strange:
        fault = {"code": "of_another_decision", **tr("it does not belong to {value}", value=kind.value).as_fields()}
        raise InvalidRequestError([{**fault, "field": f"body.{name}"} for name in strange])
    if request.proposal:
        return watching.replacement(platform, run_id, request.reason)
    numbers = tuple(request.numbers or ()) or (() if request.number is None else (request.number,))
    return Wish(kind, request.reason, numbers, request.team_id or "", request.cause, request.amendment or 0)


def _previewed(effect: Preview) -> wire.PreviewBody:
    after = effect.after.run
    return wire.PreviewBody.from_value(
        after.amendments[-1],
        version=after.version,
        preview=True,
        moved=list(map(wire.MovedBody.from_value, effect.moved)),
        teams=[wire.PreviewedTeamBody.from_value(was, before=was, after=becomes) for was, becomes in effect.teams],
        ends=list(effect.ends),
    )
