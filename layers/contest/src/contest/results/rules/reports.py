"""Reports of sessions, in runs and outside of them.

The report of an algorithmic session (R 6.5) and the report of a session in a run (R 6.7, 7.8) are pure functions of
stored facts to JSON, hence always rebuildable. The second has the parts of the first
(:mod:`contest.results.rules.reports`), and times, delays, annulments and the conclusion. It contains the scores where
they may be shown: of a training set at once, of a final when its results are published.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.rules.cycle import OPEN_TO_ALL, Parameters, RunRules
from contest.cycle.rules.stages import Stage, described_off_board
from contest.results.rules import qualification, set_access
from contest.run.rules import commitment, fate
from contest.run.rules.fate import Circumstances
from contest.run.rules.run import Amendment, Kind, Run
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Cause, Delivery, FileState, times_of_body
from contest.session.rules.session import ItemFiles, Plan, PlannedFile, Session, items_of
from contest.values import SECOND, Millis, canonical, iso, iso_or_none, sha256_hex
from markup_core.lazy import dataclass
from markup_core.rounding import fixed
from tracks.capabilities import CountsAnswers, MeasuresFiles, QualifiesByResult
from tracks.protocol import ItemFacts, Outcome, Reason, Section, Track
from tracks.rules import Details

if TYPE_CHECKING:
    from contest.run.rules.fate import FileView
    from contest.run.rules.schedule import Schedule

SLOW_BODY: Final = "slow_body"
"""Code of the remark on an answer whose body came later than its headers."""
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of a report.

    ``scores`` holds the record of every answered file, by number; ``missed`` that of every file that the team missed,
    where the contest counts it as wrong.
    """

    session: Session
    plan: Plan
    deliveries: Sequence[Delivery]
    scores: Mapping[int, Any]
    parameters: Parameters
    circumstances: Circumstances = field(default_factory=Circumstances)
    missed: Mapping[int, Any] = field(default_factory=dict)
    withheld: Reason | None = None
    """Reason for withholding the session's totals over a hidden set; None where they are not withheld."""
    left_out: Reason | None = None
    """Reason for totals over a hidden set without breakdowns; None where they are told with them."""
    off_board: Stage | None = None
    """The stage whose rule keeps the session off the board."""


def outcomes(facts: Facts) -> tuple[Outcome, ...]:
    """Return the fate of every item of a closed session, in the order of its files.

    One is answered when all its files are.

    Items go by their opaque names: a report of a test set must not tell which essays were in it, and a participant
    who recomputes it knows no other names.
    """
    answered = {delivery.number for delivery in facts.deliveries if delivery.answer is not None}
    return tuple(
        outcome(facts, item, answered=item.number in facts.scores and answered.issuperset(item.numbers))
        for item in items_of(facts.plan)
    )


def outcome(facts: Facts, item: ItemFiles, *, answered: bool) -> Outcome:
    """Return the fate of an item by whether it is answered."""
    planned, number = facts.plan[item.number - 1], item.number
    return Outcome(
        item=ItemFacts(item_id=planned.file_id, language=planned.language, group=planned.group),
        answered=answered,
        score=facts.scores.get(number, facts.missed.get(number)),
    )


# Clause: R 2.7, R 6.5.2, R 6.5.3, TS T10
def told_of(
    track: Track, details: Details, result: Any, fates: Sequence[Outcome], *, breakdowns: bool = True
) -> tuple[Any, list[dict[str, Any]]]:
    """Return the publishable part of a result and its items' fates: the result and its tables."""
    if details is Details.FILES:
        return result, list(map(section, track.report_sections(result, fates)))
    totals = totals_of(track, result, fates, breakdowns=breakdowns)
    measured = [replace(fate, score=measures_of(track, fate.score)) for fate in fates]
    tables = track.report_sections(totals, () if details is Details.TOTALS else measured)
    return totals, list(map(section, tables))


# Clause: TS T10
def totals_of(track: Track, result: Any, fates: Sequence[Outcome], *, breakdowns: bool) -> Any:
    """Return the totals of a result, with or without their breakdowns."""
    totals = track.totals(result, fates)
    return totals if breakdowns or not isinstance(track, CountsAnswers) else track.without_breakdowns(totals)


def measures_of(track: Track, score: Any) -> Any:
    """Return the publishable measures of a hidden file's score record; None where the contest has none."""
    return track.measures(score) if isinstance(track, MeasuresFiles) and score is not None else None


# Clause: R 6.5, R 6.5.1, TS T6, TS T10, TS T11
def build_session_report(facts: Facts, track: Track, *, accuracy: bool = True) -> dict[str, Any]:
    """Build the report of a closed session with all its scores.

    Where a contest tells totals alone of a set, the report has each file's fate, when and why, and no measure of it.
    Without ``accuracy`` nothing was scored, and it has no measure of anything.
    """
    session, files = facts.session, file_views(facts)
    accuracy, details = accuracy and facts.withheld is None, track.details(session.set_kind.value)
    result, common = _common(facts, track, files, outcomes(facts), details if accuracy else None)
    conclusion = _concluded(facts, track, sum(view.state is FileState.ANSWERED for view in files), result)
    totals = details is Details.TOTALS
    return {
        **common,
        "session": described_session(session),
        "files": [file_row(view, planned, totals=totals) for view, planned in zip(files, facts.plan, strict=True)],
        "readiness": described_readiness(conclusion) if conclusion else None,
        "timing": {"processing_ms": statistics([processing_time(view) for view in files])},
        **({"withheld": set_access.described_reason(facts.withheld)} if facts.withheld else {}),
        **({"left_out": set_access.described_reason(facts.left_out)} if facts.left_out and accuracy else {}),
        **({"off_board": described_off_board(facts.off_board)} if facts.off_board else {}),
    }


def _common(
    facts: Facts, track: Track, views: Sequence[FileView], fates: Sequence[Outcome], details: Details | None
) -> tuple[Any, dict[str, Any]]:
    """Return the result of these fates, and the parts that every report of a session has.

    ``details`` are those of the result that may be published; None: the report has no measure of anything.
    """
    parameters, result, shown_result, sections = facts.parameters, None, None, list[dict[str, Any]]()
    if details is not None:
        result = track.aggregate(fates, parameters.track, parameters.bootstrap_seed)
        shown_result, sections = told_of(track, details, result, fates, breakdowns=facts.left_out is None)
    return result, {
        "format": FORMAT,
        "counts": asdict(fate.count_states(views)),
        "result": shown_result,
        "sections": sections,
        "barrier": described_barrier(result, track),
        "voided": voided(views),
        "parameters": reported_parameters(parameters),
        "scorer": {"track": track.name, "version": track.version},
    }


# Clause: TS T11, TS D-1
def _concluded(facts: Facts, track: Track, answered: int, result: Any) -> qualification.Readiness | None:
    """Return the conclusion on a session's program, by the platform's rule or by its result.

    None: the contest has none.
    """
    session, parameters = facts.session, facts.parameters
    if track.policies(session.order.mode).readiness:
        return qualification.conclude(session.files, answered, session.state, parameters)
    passed = track.passed(result) if isinstance(track, QualifiesByResult) and result is not None else None
    if passed is None:
        return None
    return qualification.conclude_result(session.files, answered, session.state, passed=passed)


def described_readiness(conclusion: qualification.Readiness) -> dict[str, Any]:
    """Return a conclusion on readiness with its reasons in both languages."""
    reasons = described_reasons(conclusion.reasons)
    return {"ready": conclusion.ready, "valid_share": conclusion.valid_share, "reasons": reasons}


def described_reasons(reasons: Sequence[Reason]) -> list[dict[str, Any]]:
    """Return reasons in their stored form, in both languages."""
    return [{**set_access.described_reason(reason), "where": dict(reason.where)} for reason in reasons]


def described_barrier(result: Any, track: Track) -> dict[str, Any]:
    """Return the barrier of the contest's main board, and whether a result passes it; None: there is no result."""
    return {"value": track.boards()[0].barrier, "overcome": None if result is None else track.overcame(result)}


def described_session(session: Session) -> dict[str, Any]:
    """Describe a closed session for its report."""
    return {
        "session_id": session.session_id,
        "team_id": session.team_id,
        "cycle": session.cycle,
        "mode": session.order.mode,
        "set": session.order.set_name,
        "language": session.order.language,
        "files": session.files,
        "requested_files": session.order.files,
        "time_limit_s": session.order.time_limit_s,
        "state": session.state.value,
        "opened_at": iso(session.opened_at),
        "closed_at": iso_or_none(session.closed_at),
        "client": asdict(session.order.client) if session.order.client else None,
    }


def described_parameters(parameters: Parameters) -> dict[str, Any]:
    """Return all parameters, as the public description of the cycle writes them."""
    named = {
        nomination.name: {
            "name": dict(nomination.title),
            "languages": list(nomination.languages),
            "groups": list(nomination.groups),
        }
        for nomination in parameters.nominations
    }
    further = {
        "modules_demanded": parameters.modules_demanded,
        "least_hidden_items": parameters.least_hidden_items,
        "experts": asdict(parameters.experts),
    }
    return reported_parameters(parameters) | further | {"nominations": named}


def reported_parameters(parameters: Parameters) -> dict[str, Any]:
    """Return the parameters as reports write them.

    Those of the experts' work are left out: a later parameter of theirs would change stored reports.
    """
    shortest, longest, usual = parameters.time_limit_s
    return {
        "version": parameters.version,
        "announced_at": iso(parameters.announced_at),
        "sessions_per_day": parameters.sessions_per_day,
        **({"sessions_per_day_on": dict(parameters.sessions_per_day_on)} if parameters.sessions_per_day_on else {}),
        "time_limit_s": {"min": shortest, "max": longest, "default": usual},
        "idle_timeout_s": parameters.idle_timeout_s,
        "sends_per_file": parameters.sends_per_file,
        "requests_per_second": parameters.requests_per_second,
        "readiness_min_files": parameters.readiness_min_files,
        "readiness_min_share": parameters.readiness_min_share,
        "bootstrap_seed": parameters.bootstrap_seed,
        "technical": _described_rules(parameters.technical) | asdict(parameters.technical_times),
        "final": _described_rules(parameters.final),
        "track": parameters.track,
    }


def _described_rules(rules: RunRules) -> dict[str, Any]:
    return {**asdict(rules), "files": list(rules.files), "interval_s": list(rules.interval_s)}


def section(table: Section) -> dict[str, Any]:
    """Return one table of a report on the wire."""
    return {
        "key": table.key,
        "title": {"en": table.title.en, "ru": table.title.ru},
        "columns": [{"en": column.en, "ru": column.ru} for column in table.columns],
        "rows": [list(row) for row in table.rows],
        "places": list(table.places()),
        "shares": list(table.shares),
        "judged": [asdict(column) for column in table.judged],
        "matrix": list(table.matrix or ()),
    }


# Clause: R 6.7.1, R 6.7.2
def statistics(values: Sequence[Millis | None]) -> dict[str, Any]:
    """Count, mean, maximum and nearest-rank percentiles of the values there are; undefined (None) without any.

    The p-th percentile is the smallest value with at least p % of the values not above it.
    """
    present = sorted(value for value in values if value is not None)
    if not present:
        return {"count": 0, "mean": None, "max": None, "p50": None, "p95": None}
    return {
        "count": len(present),
        "mean": sum(present) / len(present),
        "max": present[-1],
        "p50": _percentile(present, 50),
        "p95": _percentile(present, 95),
    }


def _percentile(ascending: Sequence[Millis], percent: int) -> Millis:
    return ascending[-(-percent * len(ascending) // 100) - 1]


# Clause: R 6.7.3
def voided(views: Sequence[fate.FileView]) -> dict[str, Any]:
    """Return void files of a session and their share of all, by cause (R 6.7.3)."""
    causes = Counter(view.cause for view in views if view.cause is not None)
    total = sum(causes.values())
    return {
        "files": total,
        "share": total / len(views),
        "by_cause": {cause.value: {"files": causes[cause], "share": causes[cause] / len(views)} for cause in Cause},
    }


# Clause: TS T10
def file_row(view: fate.FileView, planned: PlannedFile, *, totals: bool) -> dict[str, Any]:
    """Return one file for the table of a report.

    Where totals alone are shown its group is left out: it may be half of the answer, as the disease from whose data set
    an epicrisis is.
    """
    delivery = view.delivery
    answer = delivery.answer if delivery else None
    return {
        "number": view.number,
        "file_id": planned.file_id,
        "language": planned.language,
        "group": "" if totals else planned.group,
        "state": view.state.value,
        "cause": view.cause.value if view.cause else None,
        "evidence": dict(view.evidence),
        "handed_out_at": iso_or_none(delivery.handed_out_at if delivery else None),
        "answer_by": iso_or_none(delivery.answer_by if delivery else None),
        "answered_at": iso_or_none(answer.received_at if answer else None),
        "processing_ms": processing_time(view),
        "send": answer.send if answer else None,
        "content_sha256": answer.content_sha256 if answer else None,
        **_remarked(delivery),
    }


# Clause: TS T15
def _remarked(delivery: Delivery | None) -> dict[str, Any]:
    """Return the remarks on the counting answers to a file: those of all turns, or of the last one."""
    answer = delivery.answer if delivery else None
    counting = (delivery.turns if delivery else ()) or ((answer,) if answer else ())
    remarks = [
        warning
        for counting_answer in counting
        if counting_answer.warnings
        for warning in json.loads(counting_answer.warnings)
    ]
    remarks += _slow_body(delivery)
    return {"warnings": remarks} if remarks else {}


# Clause: platform §3 body
def _slow_body(delivery: Delivery | None) -> list[dict[str, Any]]:
    """Return the warning of an answer whose body came more than a second after its headers."""
    took = session_rules.body_took(times_of_body(delivery))
    if took is None:
        return []
    seconds = fixed(took / SECOND, 1)
    en = f"the answer's body was there {seconds} s after its headers"
    ru = f"тело ответа получено через {seconds.replace('.', ',')} с после заголовков"
    return [{"code": SLOW_BODY, "message": en, "message_ru": ru, "body_ms": took}]


# Clause: R 6.7.1, R 7.8
def processing_time(view: fate.FileView) -> Millis | None:
    """Return the time from the hand-out to the counting answer; a clock slightly behind gives no negative time."""
    if view.delivery is None or view.delivery.answer is None:
        return None
    return max(0, view.delivery.answer.received_at - view.delivery.handed_out_at)


def file_views(facts: Facts) -> tuple[FileView, ...]:
    """Return the session's files at its end."""
    if facts.session.closed_at is None:
        raise ValueError("a report is made of a closed session")
    return fate.files_at(facts.plan, facts.deliveries, facts.session.closed_at, facts.circumstances, session_open=False)


# Clause: D 8.12, TS D-4
def run_outcomes(facts: Facts) -> tuple[Outcome, ...]:
    """Return the fate of every item that counts, in the order of the files.

    An item that the platform lost or the organizers annulled no longer belongs to this session (D 8.12), with none of
    its files: it is neither answered nor missed. Items go by their opaque names, as in every report.
    """
    files, fates = file_views(facts), []
    for item in items_of(facts.plan):
        item_files = [files[number - 1] for number in item.numbers]
        if not any(view.cause in fate.NOBODYS for view in item_files):
            answered = all(view.state is FileState.ANSWERED for view in item_files) and item.number in facts.scores
            fates.append(outcome(facts, item, answered=answered))
    return tuple(fates)


# Clause: R 6.7, R 7.8
def build_run_report(facts: Facts, schedule: Schedule, track: Track, *, accuracy: bool) -> dict[str, Any]:
    """Build the report. ``accuracy``: results may be shown, and every counting answer has its score."""
    files, fates = file_views(facts), run_outcomes(facts)
    details = details_of(track, facts.session, schedule.run)
    _, common = _common(facts, track, files, fates, details if accuracy else None)
    totals = details is Details.TOTALS
    policies = track.policies(facts.session.order.mode)
    greatest, concludes = policies.max_voided_share, policies.readiness
    answered, share = sum(view.state is FileState.ANSWERED for view in files), fate.voided_share(files)
    stopped = schedule.stop is not None
    conclusion = qualification.conclude_run(
        len(fates), answered, share, greatest, facts.session, facts.parameters, stopped=stopped
    )
    return {
        **common,
        "session": {**described_session(facts.session), "run_id": schedule.run.run_id},
        "run": describe_run(schedule),
        "files": [_file(view, planned, facts, totals=totals) for view, planned in zip(files, facts.plan, strict=True)],
        "readiness": described_readiness(conclusion) if concludes else None,
        "timing": {
            "processing_ms": statistics([processing_time(view) for view in files]),
            "delay_ms": statistics([opening_delay(view) for view in files]),
        },
        "solution": whole_solution(files, greatest),
        "amendments": [
            described_amendment(amendment) for amendment in amendments_for(schedule.run, facts.session.team_id)
        ],
        **describe_rescoring(schedule.run),
    }


# Clause: R 7.11, TS T10
def details_of(track: Track, session: Session, run: Run | None) -> Details:
    """Return the publishable details of a session's results.
    A set hidden until a run's results are out shows every file from then on, unless the contest shows totals alone.
    """
    details = track.details(session.set_kind.value)
    is_out = run is not None and run.published_at is not None and session.set_kind not in OPEN_TO_ALL
    return Details.FILES if details is Details.MEASURES and is_out else details


# Clause: platform §2 rescoring
def describe_rescoring(run: Run) -> dict[str, Any]:
    """Describe the rescoring of a run's results; empty for a run without one."""
    if not run.rescored:
        return {}
    versions = {"started_with": run.started_with, "parameters_version": run.parameters_version}
    return {"rescored": {"rescoring_id": run.rescored, **versions}}


def describe_run(schedule: Schedule) -> dict[str, Any]:
    """Describe a run for reports and its record."""
    run = schedule.run
    return {
        **commitment.describe_run(run),
        "set": run.set_name,
        "language": run.language,
        "stopped_at": iso_or_none(schedule.stopped_at),
    }


# Clause: R 6.7.2, R 7.8
def opening_delay(view: FileView) -> Millis | None:
    """Return the time from a file's opening to its hand-out (R 6.7.2); None for one that was not handed out."""
    if view.delivery is None or view.window is None:
        return None
    return max(0, view.delivery.handed_out_at - view.window.opens_at)


def whole_solution(files: Sequence[FileView], greatest: float) -> dict[str, Any]:
    """Return whether the whole solution is annulled (R 7.7).

    Without a file that counts there is no share and no annulment.
    """
    share = fate.voided_share(files)
    return {"voided_share": share, "allowed_share": greatest, "voided": fate.solution_voided(share, greatest)}


def amendments_for(run: Run, team_id: str) -> tuple[Amendment, ...]:
    """Return the amendments shown to a team: the public ones, and the rulings on its own files with their undoing."""
    rulings = {
        amendment.number
        for amendment in run.amendments
        if amendment.kind is Kind.RULE and amendment.details["team_id"] == team_id
    }

    def told(amendment: Amendment) -> bool:
        own = amendment.number in rulings or amendment.details.get("amendment") in rulings
        return own or commitment.is_public(run, amendment)

    return tuple(amendment for amendment in run.amendments if told(amendment))


def edition(run: Run, team_id: str) -> int:
    """Return the number of the latest amendment that a team's report depends on; 0 before any.

    A later one makes a new report.
    """
    return max((amendment.number for amendment in amendments_for(run, team_id)), default=0)


def results_edition(run: Run) -> str:
    """Return the present edition of a run's results: each decision about it, and other annotations, make another."""
    return f"{max((amendment.number for amendment in run.amendments), default=0)}{markups_edition(run)}"


def markups_edition(run: Run) -> str:
    """Return the mark of the annotations and the rescoring behind results; empty if neither came after the run."""
    ratings = [run.ratings] if run.ratings else []
    marked = f"-{sha256_hex(canonical([*map(list, run.markups), *ratings]))[:16]}" if run.markups else ""
    return f"{marked}-{run.rescored}" if run.rescored else marked


def _file(view: FileView, planned: PlannedFile, facts: Facts, *, totals: bool) -> dict[str, Any]:
    window = facts.circumstances.windows[view.number - 1]
    return {
        **file_row(view, planned, totals=totals),
        "opens_at": iso(window.opens_at),
        "request_by": iso(window.request_by),
        "asked_at": iso_or_none(facts.circumstances.first_requests.get(view.number)),
        "delay_ms": opening_delay(view),
    }


def described_amendment(amendment: Amendment) -> dict[str, Any]:
    """Return a decision as reports describe it, without its author."""
    return {
        "number": amendment.number,
        "kind": amendment.kind.value,
        "at": iso(amendment.at),
        "effective_at": iso(amendment.effective_at),
        "reason": amendment.reason,
        "details": dict(amendment.details),
    }
