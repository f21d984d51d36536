"""Report of a session in a run (R 6.7, 7.8): times, delays, annulments, conclusion; a pure function of stored facts.

It has the parts of an algorithmic session's report (:mod:`contest.domain.results.session_report`) and what only a run
has. How well the answers were is in it where that may be known: of a training set at once, of a final when its
results are out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle.cycle import OPEN_TO_ALL
from contest.domain.moments import Millis, iso, iso_or_none
from contest.domain.results import file_views, readiness, session_report
from contest.domain.results.file_views import FileView
from contest.domain.results.session_report import Facts
from contest.domain.run import commitment
from contest.domain.run.run import Amendment, Kind, Run
from contest.domain.run.schedule import Schedule
from contest.domain.session.delivery import FileState
from contest.domain.session.items import items_of
from contest.domain.session.session import PlannedFile, Session
from tracks.protocol import Outcome, Track
from tracks.rules import Details

FORMAT: Final = 1


def views(facts: Facts) -> tuple[FileView, ...]:
    """The session's files at its end."""
    if facts.session.closed_at is None:
        raise ValueError("a report is made of a closed session")
    return file_views.files_at(
        facts.plan, facts.deliveries, facts.session.closed_at, facts.circumstances, session_open=False
    )


def outcomes(facts: Facts) -> tuple[Outcome, ...]:
    """Fate of every item that counts, in the order of the files.

    What the platform lost or the organizers annulled is no item of this session any more (D 8.12), not with any of its
    files: it is neither answered nor missed. Items go by their opaque names, as in every report.

    Clause: D 8.12, TS D-4
    """
    return tuple(_outcomes(facts, views(facts)))


def _outcomes(facts: Facts, files: Sequence[FileView]) -> Iterator[Outcome]:
    for item in items_of(facts.plan):
        found = [files[number - 1] for number in item.numbers]
        if not any(each.cause in file_views.NOBODYS for each in found):
            answered = all(each.state is FileState.ANSWERED for each in found) and item.number in facts.scores
            yield session_report.outcome(facts, item, answered=answered)


def build(facts: Facts, schedule: Schedule, track: Track, *, accuracy: bool) -> dict[str, Any]:
    """Build the report. ``accuracy``: whether results may be told and every counting answer has its score.

    Clause: R 6.7, R 7.8
    """
    files = views(facts)
    fates = outcomes(facts)
    parameters = facts.parameters
    result = track.aggregate(fates, parameters.track, parameters.bootstrap_seed) if accuracy else None
    details = details_of(track, facts.session, schedule.run)
    told, sections = session_report.told_of(track, details, result, fates) if accuracy else (None, [])
    totals = details is Details.TOTALS
    policies = track.policies(facts.session.order.mode)
    greatest, concludes = policies.max_voided_share, policies.readiness
    answered = sum(view.state is FileState.ANSWERED for view in files)
    share = file_views.voided_share(files)
    stopped = schedule.stop is not None
    conclusion = readiness.conclude_run(
        len(fates), answered, share, greatest, facts.session, parameters, stopped=stopped
    )
    return {
        "format": FORMAT,
        "session": {**session_report.described_session(facts.session), "run_id": schedule.run.run_id},
        "run": described(schedule),
        "counts": asdict(file_views.count(files)),
        "result": told,
        "sections": sections,
        "files": [_file(view, planned, facts, totals=totals) for view, planned in zip(files, facts.plan, strict=True)],
        "barrier": session_report.described_barrier(result, track),
        "readiness": session_report.described_readiness(conclusion) if concludes else None,
        "timing": {
            "processing_ms": session_report.statistics([session_report.processing(each) for each in files]),
            "delay_ms": session_report.statistics([delay(each) for each in files]),
        },
        "voided": session_report.voided(files),
        "solution": solution(files, greatest),
        "amendments": [_amendment(each) for each in concerning(schedule.run, facts.session.team_id)],
        "parameters": session_report.reported_parameters(parameters),
        "scorer": {"track": track.name, "version": track.version},
        **rescored(schedule.run),
    }


def details_of(track: Track, session: Session, run: Run | None) -> Details:
    """Return what may be told of a session's results: of a set that is hidden until a run's results are out, every file
    from then on, unless the contest tells totals alone.

    Clause: R 7.11, TS T10
    """
    found = track.details(session.set_kind.value)
    is_out = run is not None and run.published_at is not None and session.set_kind not in OPEN_TO_ALL
    return Details.FILES if found is Details.MEASURES and is_out else found


def rescored(run: Run) -> dict[str, Any]:
    """What a report says of the rescoring by which a run's results go: nothing of one that was not scored anew.

    Clause: platform §2 rescoring
    """
    if not run.rescored:
        return {}
    versions = {"started_with": run.started_with, "parameters_version": run.parameters_version}
    return {"rescored": {"rescoring_id": run.rescored, **versions}}


def described(schedule: Schedule) -> dict[str, Any]:
    """A run as reports and its record name it."""
    run = schedule.run
    return {
        "run_id": run.run_id,
        "cycle": run.cycle,
        "track": run.track,
        "mode": run.mode.value,
        "trial": run.trial,
        "set": run.set_name,
        "language": run.language,
        "files": run.files,
        "starts_at": iso(run.starts_at),
        "interval_ms": run.interval,
        "limits": commitment.limits(run),
        "restarts": run.restarts,
        "stopped_at": iso_or_none(schedule.stopped_at),
    }


def delay(view: FileView) -> Millis | None:
    """From a file's opening to its hand-out (R 6.7.2); None for one that was not handed out.

    Clause: R 6.7.2, R 7.8
    """
    if view.delivery is None or view.window is None:
        return None
    return max(0, view.delivery.handed_out_at - view.window.opens_at)


def solution(files: Sequence[FileView], greatest: float) -> dict[str, Any]:
    """Whether the whole solution is annulled (R 7.7). Without a file that counts there is no share and no annulment."""
    share = file_views.voided_share(files)
    return {"voided_share": share, "allowed_share": greatest, "voided": file_views.solution_voided(share, greatest)}


def concerning(run: Run, team_id: str) -> tuple[Amendment, ...]:
    """Amendments that a team is told of: those everybody sees, and the rulings on its own files with their undoing."""
    rulings = {each.number for each in run.amendments if each.kind is Kind.RULE and each.details["team_id"] == team_id}

    def told(each: Amendment) -> bool:
        own = each.number in rulings or each.details.get("amendment") in rulings
        return own or commitment.is_public(run, each)

    return tuple(each for each in run.amendments if told(each))


def edition(run: Run, team_id: str) -> int:
    """Number of the latest amendment that a team's report depends on; 0 before any. A later one makes a new report."""
    return max((each.number for each in concerning(run, team_id)), default=0)


def results_edition(run: Run) -> str:
    """Which results of a run there are now: every decision about it, and other markups, make others."""
    return f"{max((each.number for each in run.amendments), default=0)}{markups_edition(run)}"


def markups_edition(run: Run) -> str:
    """By which results under these markups of the experts, and this rescoring, are told from those under others; empty
    where neither came after the run."""
    ratings = [run.ratings] if run.ratings else []
    marked = f"-{sha256_hex(canonical([*map(list, run.markups), *ratings]))[:16]}" if run.markups else ""
    return f"{marked}-{run.rescored}" if run.rescored else marked


def _file(view: FileView, planned: PlannedFile, facts: Facts, *, totals: bool) -> dict[str, Any]:
    window = facts.circumstances.windows[view.number - 1]
    return {
        **session_report.file(view, planned, totals=totals),
        "opens_at": iso(window.opens_at),
        "request_by": iso(window.request_by),
        "asked_at": iso_or_none(facts.circumstances.asked.get(view.number)),
        "delay_ms": delay(view),
    }


def _amendment(each: Amendment) -> dict[str, Any]:
    return {
        "number": each.number,
        "kind": each.kind.value,
        "at": iso(each.at),
        "effective_at": iso(each.effective_at),
        "reason": each.reason,
        "details": dict(each.details),
    }
