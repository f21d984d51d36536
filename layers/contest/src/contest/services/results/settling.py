"""The results of a run, made once and in steps by workers: nobody's request computes them (R 7.11, 7.12; platform §4).

Every step makes what is missing and nothing else, so it may be lost, doubled, or die half-way: the minute timer looks
at what is there and sends for the rest. Publication finds everything made, or says what is not.
"""

from __future__ import annotations

from typing import Any

from contest.domain.results.settlement import REASONS, Settled, SettlingState, SettlingTask
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import archiving, boards, reporting, shadowing
from contest.services.results.score_answer import put_to_work
from contest.services.run import records


def send(platform: Platform, run_id: str) -> int:
    """Send for what is due of a run; how many steps. A run of which nothing is due needs no more visits.

    Clause: platform §4 settlement
    """
    schedule = reading.schedule_now(platform, run_id)
    run, steps = schedule.run, _due(platform, schedule)
    platform.settling.send(steps)
    if not steps and run.closed_at is not None:
        platform.runs.settled(run)
    return len(steps)


def settle(platform: Platform, step: SettlingTask) -> None:
    """Do a step. Whoever finishes the last of the sessions' parts sends for the whole.

    Clause: platform §4 settlement
    """
    if step.archive:
        archiving.settle(platform, step)
        return
    schedule = reading.schedule_now(platform, step.run_id)
    run = schedule.run
    if step.session_id:
        if step.session_id in _missing(platform, run):
            _settle_session(platform, schedule, step.session_id)
        if not _missing(platform, run):
            platform.settling.send([SettlingTask(step.run_id)])
    elif run.closed_at is None:
        if records.close_if_over(platform, step.run_id):
            shadowing.keep_keys(platform, step.run_id)
    elif is_due(platform, run) and not _missing(platform, run):
        if not boards.is_made(platform, run):
            boards.make(platform, run)
        shadowing.begin(platform, run)


def is_due(platform: Platform, run: Run) -> bool:
    """Whether a run has results to make: a closed final that was not stopped, under markups of the experts."""
    schedule = Schedule.of(run)
    return boards.has_results(run) and run.closed_at is not None and reporting.is_marked(platform, schedule)


def standing(platform: Platform, run_id: str) -> SettlingState:
    """How far the results of a run are made, and what they wait for.

    Clause: platform §4 settlement
    """
    run = reading.schedule_now(platform, run_id).run
    sessions = [session_id for _, session_id in platform.runs.sessions_of(run_id)]
    teams, missing = len(sessions), _missing(platform, run)
    if run.published_at is not None:
        return SettlingState(Settled.PUBLISHED, teams, teams - len(missing))
    if run.closed_at is None:
        over = platform.clock.now() >= records.over_at(Schedule.of(run))
        return SettlingState(Settled.RECORD if over else Settled.RUNNING, teams, teams - len(missing))
    if not boards.has_results(run):
        return SettlingState(Settled.NO_RESULTS, teams)
    if not is_due(platform, run):
        return SettlingState(Settled.UNMARKED, teams)
    if not missing and boards.is_made(platform, run):
        return _verification(platform, run)
    unscored = sum(len(platform.outbox.of_session(each)) for each in missing)
    return SettlingState(Settled.SCORING if unscored else Settled.ENTRIES, teams, teams - len(missing), unscored)


def _verification(platform: Platform, run: Run) -> SettlingState:
    """How far a made board is recomputed.

    Clause: platform §4 settlement
    """
    found = shadowing.look(platform, run)
    if found.result is None:
        return SettlingState(Settled.VERIFYING, found.teams, found.made)
    return SettlingState(Settled.READY if found.is_clean else Settled.DIFFERENT, found.teams, found.teams)


def shown(platform: Platform, run_id: str) -> dict[str, Any]:
    """How far the results of a run are, as organizers are shown it."""
    found = standing(platform, run_id)
    en, ru = REASONS[found.state]
    counts = {"teams": found.teams, "made": found.made, "unscored": found.unscored}
    return {"state": found.state.value, "reason": en, "reason_ru": ru, **counts}


def _due(platform: Platform, schedule: Schedule) -> list[SettlingTask]:
    run = schedule.run
    if run.closed_at is None:
        if not records.is_over(platform, schedule):
            return []
    elif not is_due(platform, run) or shadowing.is_done(platform, run):
        return archiving.due(platform, run)
    parts = [SettlingTask(run.run_id, session_id) for session_id in _missing(platform, run)]
    return parts or [SettlingTask(run.run_id)]


def _missing(platform: Platform, run: Run) -> list[str]:
    """Sessions whose part, of the record or of the board, is not made."""
    part = boards.entry_name if run.closed_at is not None else records.part_name
    there = set(platform.blobs.names(part(run, "").removesuffix(".json")))
    sessions = platform.runs.sessions_of(run.run_id)
    return [session_id for _, session_id in sessions if part(run, session_id) not in there]


def _settle_session(platform: Platform, schedule: Schedule, session_id: str) -> None:
    run, session = schedule.run, reading.session(platform, session_id)
    if session is None or session.is_open:
        return
    if session.rescored != run.rescored:
        return  # a worker is about to let it go by the accepted rescoring; the timer looks again
    if run.closed_at is None:
        records.make_part(platform, schedule, session)
        return
    if not is_due(platform, run):
        return
    found = reporting.gather(platform, session, schedule, results=True)
    if isinstance(found, reporting.Pending):
        put_to_work(platform, session_id, found.missing)
        return
    made = boards.made_of(found, schedule, platform.tracks(run.track))
    # Whoever marks the final anew meanwhile makes another edition, to which these scores do not belong.
    now = reading.run_now(platform, run.run_id)
    edition = now.markups, now.ratings, now.rescored
    if reporting.all_scored(found) and edition == (run.markups, run.ratings, run.rescored):
        platform.blobs.put_if_absent(boards.entry_name(run, session_id), made)
