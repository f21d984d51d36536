"""Settlement of runs, and independent recomputation of finals.

Workers make the results of a run once and in steps: no request computes them (R 7.11, 7.12; platform §4). Every step
makes only missing parts, so it may be lost, doubled or interrupted: the minute timer looks for missing parts and sends
for them. Publication requires all of them, or lists the missing ones.

The independent recomputation of a final (platform §4) is requested, read, and required before publication. The platform
takes no part in it: it names the sessions to recompute and goes by the findings.
"""

from __future__ import annotations

import base64
from typing import Any

from contest import reading, stored_names
from contest.platform import Platform, signing_keys
from contest.refusals import RefusedError
from contest.results import archiving, boards, reporting
from contest.results.errors import NoBoardError, results_differ
from contest.results.rules.jobs import REASONS, Settled, SettlingState, SettlingTask, ShadowTask
from contest.results.rules.rescoring import Recomputed, facts_of
from contest.results.scoring import put_to_work
from contest.run import recording, under_way
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.texts import tr
from contest.values import canonical
from markup_core.texts import Text


# Clause: platform §4 shadow
def begin(platform: Platform, run: Run) -> None:
    """Send workers for the missing parts of a recomputation of a final with a made board."""
    keep_keys(platform, run.run_id)
    facts = _shadow_facts(platform, run)
    there = _parts(platform, run, facts)
    parts = [ShadowTask(run.run_id, session_id) for session_id in _sessions(platform, run) if session_id not in there]
    if parts or not _is_there(platform, run, facts):
        platform.shadows.send(parts or [ShadowTask(run.run_id)])


def keep_keys(platform: Platform, run_id: str) -> None:
    """Store the public keys of a run's receipts beside it, to check receipts without the platform.

    A key that has come since is added; nothing that stands there is taken away.
    """
    name, keys = stored_names.run_keys_name(run_id), [valid.key for valid in signing_keys(platform)]
    stored = reading.stored_json(platform, name) or {"format": 1, "keys": {}}
    encoded = {key.key_id: base64.b64encode(key.content).decode("ascii") for key in keys}
    if encoded.keys() <= stored["keys"].keys():
        return
    algorithms = {key.key_id: key.algorithm for key in keys} | stored.get("algorithms", {})
    platform.blobs.put(name, canonical({**stored, "keys": {**encoded, **stored["keys"]}, "algorithms": algorithms}))


# Clause: R 8.3.4
def again(platform: Platform, run_id: str) -> Recomputed:
    """Recompute a final again, whatever the last result; :class:`NoBoardError` before its board is made."""
    run = _run_with_board(platform, run_id)
    platform.shadows.send([ShadowTask(run_id, session_id, again=True) for session_id in _sessions(platform, run)])
    return look(platform, run)


def found_of(platform: Platform, run_id: str) -> Recomputed:
    """Return the findings on a final; :class:`NoBoardError` before its board is made."""
    return look(platform, _run_with_board(platform, run_id))


# Clause: platform §4 shadow
def look(platform: Platform, run: Run) -> Recomputed:
    """Return the progress of a final's recomputation under the present facts, and its findings."""
    facts, sessions = _shadow_facts(platform, run), _sessions(platform, run)
    recomputed = len(_parts(platform, run, facts).intersection(sessions))
    result = reading.stored_json(platform, stored_names.shadow_name(run.run_id, facts))
    return Recomputed(len(sessions), recomputed, result)


def is_done(platform: Platform, run: Run) -> bool:
    """Return whether a final's board is made and recomputed under the present facts."""
    return boards.is_made(platform, run) and _is_there(platform, run, _shadow_facts(platform, run))


# Clause: platform §4 shadow, R 8.3.5, R 8.3.4
def refuse_unless_clean(platform: Platform, run: Run) -> None:
    """Refuse to publish a result that was not recomputed, or differs from the recomputed one."""
    recomputation = look(platform, run)
    recomputed, teams = recomputation.recomputed, recomputation.whole
    if recomputation.result is None:
        message = tr(
            "{recomputed} of {teams} teams are recomputed independently; publish when all are, in a few minutes",
            recomputed=recomputed,
            teams=teams,
        )
        raise RefusedError("results_not_verified", message, made=recomputed, teams=teams)
    if not recomputation.is_clean:
        differences = recomputation.result["differences"]
        messages = [Text(difference["message"], difference["message_ru"]) for difference in differences]
        where = {name: differences[0][name] for name in ("team_id", "session_id", "number", "quantity")}
        raise results_differ(recomputation.result["total"], messages, f"contest run shadow {run.run_id}", **where)


def _run_with_board(platform: Platform, run_id: str) -> Run:
    run = reading.run_now(platform, run_id)
    if not boards.has_results(run) or not boards.is_made(platform, run):
        raise NoBoardError
    return run


def _shadow_facts(platform: Platform, run: Run) -> str:
    return facts_of(run, reading.stored(platform, boards.entries_name(run)))


def _sessions(platform: Platform, run: Run) -> list[str]:
    return [session_id for _, session_id in platform.runs.sessions_of(run.run_id)]


def _parts(platform: Platform, run: Run, facts: str) -> set[str]:
    folder = stored_names.shadow_part_name(run.run_id, facts, "").removesuffix(".json")
    names = platform.blobs.names(folder)
    return {name.removeprefix(folder).removesuffix(".json") for name in names}


def _is_there(platform: Platform, run: Run, facts: str) -> bool:
    name = stored_names.shadow_name(run.run_id, facts)
    return name in platform.blobs.names(name)


# Clause: platform §4 settlement
def send(platform: Platform, run_id: str, of_run: Schedule | None = None) -> int:
    """Send workers for the due steps of a run; return their number. A run without due steps needs no more visits.

    ``of_run``: the run as last written where the caller has just read it.
    """
    schedule = of_run or reading.schedule_now(platform, run_id)
    run, steps = schedule.run, _due(platform, schedule)
    if steps:
        platform.settling.send(steps)
    elif run.closed_at is not None:
        platform.runs.settled(run)
    return len(steps)


# Clause: platform §4 settlement
def settle(platform: Platform, step: SettlingTask) -> None:
    """Do one step. The worker of the sessions' last part sends for the whole."""
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
        if recording.close_if_over(platform, step.run_id):
            keep_keys(platform, step.run_id)
    elif is_due(platform, run) and not _missing(platform, run):
        if not boards.is_made(platform, run):
            boards.make(platform, run)
        begin(platform, run)


def is_due(platform: Platform, run: Run) -> bool:
    """Return whether a run has results to make: a closed final that was not stopped, with expert annotations."""
    schedule = Schedule.of(run)
    return boards.has_results(run) and run.closed_at is not None and reporting.is_marked(platform, schedule)


# Clause: platform §4 settlement
def standing(platform: Platform, run_id: str) -> SettlingState:
    """Return the progress of a run's results, and the reason of the wait."""
    run = reading.schedule_now(platform, run_id).run
    sessions = [session_id for _, session_id in platform.runs.sessions_of(run_id)]
    teams, missing = len(sessions), _missing(platform, run)
    if run.published_at is not None:
        return SettlingState(Settled.PUBLISHED, teams, teams - len(missing))
    if run.closed_at is None:
        over = platform.clock.now() >= under_way.over_at(Schedule.of(run))
        return SettlingState(Settled.RECORD if over else Settled.RUNNING, teams, teams - len(missing))
    if not boards.has_results(run):
        return SettlingState(Settled.NO_RESULTS, teams)
    if not is_due(platform, run):
        return SettlingState(Settled.UNMARKED, teams)
    if not missing and boards.is_made(platform, run):
        return _verification(platform, run)
    unscored = sum(len(platform.outbox.of_session(session_id)) for session_id in missing)
    return SettlingState(Settled.SCORING if unscored else Settled.ENTRIES, teams, teams - len(missing), unscored)


# Clause: platform §4 settlement
def _verification(platform: Platform, run: Run) -> SettlingState:
    """Return the progress of the recomputation of a made board."""
    recomputation = look(platform, run)
    if recomputation.result is None:
        return SettlingState(Settled.VERIFYING, recomputation.whole, recomputation.recomputed)
    return SettlingState(
        Settled.READY if recomputation.is_clean else Settled.DIFFERENT, recomputation.whole, recomputation.whole
    )


def shown(platform: Platform, run_id: str) -> dict[str, Any]:
    """Return the progress of a run's results, as organizers see it."""
    settlement = standing(platform, run_id)
    counts = {"teams": settlement.teams, "made": settlement.finished, "unscored": settlement.unscored}
    return {"state": settlement.state.value, **REASONS[settlement.state].as_fields("reason"), **counts}


def _due(platform: Platform, schedule: Schedule) -> list[SettlingTask]:
    run = schedule.run
    if run.closed_at is None:
        if not under_way.is_over(platform, schedule):
            return []
    elif not is_due(platform, run) or is_done(platform, run):
        return archiving.due(platform, run)
    parts = [SettlingTask(run.run_id, session_id) for session_id in _missing(platform, run)]
    return parts or [SettlingTask(run.run_id)]


def _missing(platform: Platform, run: Run) -> list[str]:
    """List the sessions without their part of the record or of the board."""
    part = boards.entry_name if run.closed_at is not None else recording.part_name
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
        recording.make_part(platform, schedule, session)
        return
    if not is_due(platform, run):
        return
    facts = reporting.gather(platform, session, schedule, results=True)
    if isinstance(facts, reporting.Pending):
        put_to_work(platform, session_id, facts.missing)
        return
    part = boards.made_of(facts, schedule, reading.track_of(platform, run))
    # Whoever marks the final anew meanwhile makes another edition, to which these scores do not belong.
    now = reading.run_now(platform, run.run_id)
    edition = now.markups, now.ratings, now.rescored
    if reporting.all_scored(facts) and edition == (run.markups, run.ratings, run.rescored):
        platform.blobs.put_if_absent(boards.entry_name(run, session_id), part)
