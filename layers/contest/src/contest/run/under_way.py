"""A run under way: technical runs, release records, kept executions, the roster, missed files.

The platform itself plans the runs of the technical qualification (R 6.6). Release records are written by the timer
before an opening, or by the first request where the timer did not come. Functions are kept running around finals and in
the windows of the cycle's file, without a deployment: the timer compares scheduled actions with the finals' needs, and
changes the difference; a final that is moved, paused or called off is followed within a minute, an admitted team within
ten.

Files that everybody missed may be a mass failure (platform §7; D 1.7). The timer keeps its settled facts
(:mod:`contest.run.rules.fate`) beside the run, and reads of each session only the files that may have changed since. A
visit that dies, or that another one overtakes, has written nothing or all: the next one looks at the same files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from contest import reading, stored_names
from contest.cycle.rules.cycle import Cycle, EssaySet, Mode, SetKind, TechnicalTimes
from contest.platform import Platform, signed
from contest.ports import FileNotes, LostRaceError, MissingBlobError
from contest.results.rules.qualification import holds_of_set
from contest.run import planning
from contest.run.planning import RunOrder
from contest.run.rules import commitment, fate
from contest.run.rules import run as run_rules
from contest.run.rules import schedule as schedule_rules
from contest.run.rules.fate import Watch
from contest.run.rules.run import ARMED_AHEAD, KeptWindow, Run, kept_at, kept_changes, kept_window
from contest.run.rules.schedule import ArmedBy, Release, Schedule
from contest.session.following import Known
from contest.session.rules.session import IN_FLIGHT, Session
from contest.values import DAY, HOUR, MINUTE, SECOND, Millis, iso
from tracks.protocol import mode_named

EMPTY: Final[Mapping[str, Session]] = MappingProxyType({})
FROM: Final[Millis] = 14 * DAY
"""Milliseconds before its start from which a final is considered: earlier its teams are not admitted yet."""
AGAIN: Final[Millis] = 10 * MINUTE
"""Milliseconds in which one process compares unchanged facts at most once."""
_NAME: Final = "arming"


# Clause: platform §3 arming
def arm_coming(platform: Platform, schedule: Schedule, now: Millis) -> int:
    """Write the release records of files that open in the coming minutes or have opened without one; return their
    number.

    A missed tick is made up for by the next one, a doubled one finds everything done; neither decides an opening.
    """
    run_id, openings = schedule.run.run_id, schedule.openings
    due = range(1, schedule.opened(now + ARMED_AHEAD) + 1)
    key = ("armed for good", run_id)
    sure = cast(int, platform.memory.known(key) or 0)
    if sure >= len(due):
        return 0
    armed = {record.number: record for record in platform.runs.releases(run_id, sure + 1)}
    outdated = schedule_rules.outdated_records(schedule, due[sure:], armed)
    records_written = sum(arm_file(platform, schedule, number, ArmedBy.TIMER, armed.get(number)) for number in outdated)
    # A record never changes after its file has opened, and one that is written now is looked at once more.
    while sure < len(due) and sure + 1 in armed and armed[sure + 1].opens_at == openings[sure] < now - MINUTE:
        sure += 1
    platform.memory.put(key, sure)
    return records_written


def arm_file(platform: Platform, schedule: Schedule, number: int, by: ArmedBy, before: Release | None) -> bool:
    """Write the release record of a file, or rewrite it after its opening was moved; return whether it was written.

    ``before`` is the record that is there. Losing the race is right: another writer wrote the same.

    A stale copy of the run never moves a record for good: a change is known to everybody before it takes
    effect, and the timer of the next minute arms moved files once more.
    """
    if schedule_rules.record_agrees(schedule, number, before):
        return False
    file = reading.run_plan(platform, schedule)[number - 1]
    record = schedule_rules.due_record(schedule, number, file, before, platform.clock.now(), by)
    with suppress(LostRaceError):
        platform.runs.arm(schedule.run.run_id, record, before)
        return True
    return False


# Clause: R 6.6
def ensure_run(platform: Platform, now: Millis) -> Run | None:
    """Plan the run of the present slot unless it is planned; return the run, or None where the slot has none.

    The run's name follows from the slot: doubled, late and early ticks make one run. A slot whose tick was missed has
    its run later, as long as it ends before the next one starts; none is planned that a final would meet.
    """
    technical = _technical(platform, now)
    if technical is None:
        return None
    cycle, times = technical
    slot = run_rules.slot_of(times, now)
    existing = platform.runs.get(run_rules.run_name(cycle.name, slot))
    if existing is not None:
        return existing
    chosen = _training_set(platform, cycle)
    return _plan(platform, cycle, chosen, slot, now) if chosen is not None else None


class Coming(NamedTuple):
    """A technical run that nobody has planned yet."""

    run_id: str
    starts_at: Millis


def coming_technical(platform: Platform) -> Coming | None:
    """Return the technical run of the next slot to start; None where there is none, or it is planned already."""
    now = platform.clock.now()
    technical = _technical(platform, now)
    if technical is None or _training_set(platform, technical[0]) is None:
        return None
    cycle, times = technical
    starts_at = run_rules.next_start(times, now)
    run_id = run_rules.run_name(cycle.name, run_rules.slot_of(times, starts_at))
    return None if platform.runs.get(run_id) else Coming(run_id, starts_at)


def _technical(platform: Platform, now: Millis) -> tuple[Cycle, TechnicalTimes] | None:
    """Return the present cycle with the times of its technical runs; None where it has none."""
    loaded = reading.cycle_again(platform, now)
    if loaded is None:
        return None
    cycle = loaded.at(now)
    times = reading.parameters(platform, cycle.parameters_version).technical_times
    has_any = times.enabled and mode_named(reading.track_of(platform, cycle), Mode.TECHNICAL) is not None
    return (cycle, times) if has_any else None


# Clause: D 6.10
def _training_set(platform: Platform, cycle: Cycle) -> EssaySet | None:
    """Return the first training set with files that is not annulled."""
    annulled = platform.annulments.all(cycle.name)
    usable = (essay_set for essay_set in cycle.sets if essay_set.kind is SetKind.TRAINING and essay_set.size)
    return next((essay_set for essay_set in usable if not holds_of_set(annulled, essay_set.name)), None)


def _plan(platform: Platform, cycle: Cycle, chosen: EssaySet, slot: Millis, now: Millis) -> Run | None:
    parameters = reading.parameters(platform, cycle.parameters_version)
    rules, times = parameters.technical, parameters.technical_times
    drawn = run_rules.draw_size(cycle.name, slot, rules, chosen.size, platform.randomness.salt())
    planned = run_rules.start_of(times, slot)
    starts_at = planned if planned > now else now + times.lead_s * SECOND + SECOND
    ends_at = starts_at + (drawn.files - 1) * drawn.interval + rules.total_s * SECOND
    too_late = starts_at > planned and ends_at > planned + times.every_hours * HOUR
    if too_late or _meets_final(platform, starts_at, ends_at):
        return None
    order = RunOrder(
        mode=Mode.TECHNICAL,
        set_name=chosen.name,
        starts_at=starts_at,
        interval=drawn.interval,
        files=drawn.files,
        run_id=drawn.run_id,
    )
    return planning.plan_run(platform, None, order)


# Clause: R 6.6
def _meets_final(platform: Platform, starts_at: Millis, ends_at: Millis) -> bool:
    """Return whether a final takes place in this time; a stopped one does not count."""
    active = (reading.schedule(platform, run_id) for run_id in platform.runs.active_ids())
    return any(
        schedule.run.mode is Mode.FINAL
        and schedule.stop is None
        and schedule.opens_at(1) <= ends_at
        and starts_at <= schedule.ends_at
        for schedule in active
    )


def keep_executions(platform: Platform, schedules: Iterable[Schedule], now: Millis) -> int:
    """Schedule executions for the finals among these runs and the file's windows; return how many changes it took.

    Nothing is asked of AWS while nothing is wanted and nothing was. Repeating it is harmless.
    """
    capacity = platform.capacity
    if capacity is None:
        return 0
    runs = ((schedule, schedule.run) for schedule in schedules)
    finals = [
        schedule
        for schedule, run in runs
        if run.mode is Mode.FINAL and not run.trial and run.closed_at is None and run.starts_at < now + FROM
    ]
    versions = tuple((final.run.run_id, final.run.version) for final in finals)
    last = platform.memory.known(_NAME)
    if last is not None and last[0] == versions and now < last[1] + AGAIN:
        return 0
    of_file = (KeptWindow(since, until, teams) for since, until, teams in capacity.windows if until > now)
    windows = [*of_file, *(_of_final(platform, final) for final in finals)]
    # Noted before anything is changed, so that a failure in between leaves the note that there is something to undo.
    noted = ";".join(f"{iso(window.since)}/{iso(window.until)}" for window in windows)
    noted_before = platform.upkeep.left(_NAME)
    if noted and noted != noted_before:
        platform.upkeep.tick(_NAME, now, noted)
    changed = 0
    if noted or noted_before:
        add, remove = kept_changes(windows, platform.arming.kept(), platform.arming.planned(), now)
        for action in remove:
            platform.arming.remove(action)
        for action in add:
            platform.arming.put(action)
        changed = len(add) + len(remove)
        if not noted and not changed:
            platform.upkeep.tick(_NAME, now, "")
    if noted or not changed:
        platform.memory.put(_NAME, (versions, now))
    return changed


def kept_executions(platform: Platform, moment: Millis) -> int | None:
    """Return how many executions of Dispatch AWS is to keep running at a moment, as AWS says; None if it does not."""
    try:
        running, planned = platform.arming.kept(), platform.arming.planned()
    except Exception:  # noqa: BLE001 -- a check says what is not known; it does not end by it
        return None
    return kept_at("Dispatch", running, planned, max(moment, platform.clock.now()))


def _of_final(platform: Platform, schedule: Schedule) -> KeptWindow:
    stopped, ends_at = schedule.stopped_at, schedule.ends_at
    until = ends_at if stopped is None else min(stopped, ends_at)
    admitted = reading.admitted(platform, schedule.run)
    if admitted is None:
        admitted = tuple(team.team_id for team in platform.people.all_teams() if reading.takes_part(platform, team))
    return kept_window(schedule.run.starts_at, until, len(admitted))


def is_over(platform: Platform, schedule: Schedule) -> bool:
    """Return whether nothing can happen in a run any more and its sessions are closed."""
    is_late = platform.clock.now() >= over_at(schedule)
    return is_late and not any(session.is_open for session in taking_part(platform, schedule.run))


def over_at(schedule: Schedule) -> Millis:
    """Return the moment after which nothing happens in a run: no session may be opened, no answer is under way."""
    stop = schedule.stopped_at
    return (schedule.ends_at if stop is None else min(schedule.ends_at, stop)) + IN_FLIGHT


def roster_name(run_id: str) -> str:
    """Return the name of the object with the signed roster, which lies beside the commitment, under the same right to
    read.
    """
    return f"{stored_names.RUNS}{run_id}/commitment-roster.json"


def roster_due(schedule: Schedule) -> Millis:
    """Return the moment after which a team joins by a signed decision alone, and no request to join is under way."""
    stop = schedule.stopped_at
    return (schedule.join_until if stop is None else min(schedule.join_until, stop)) + IN_FLIGHT


# Clause: platform §3 commitment
def make_roster(platform: Platform, schedule: Schedule, now: Millis) -> int:
    """Sign and store the roster of a run whose joining is over, once; 1 where this process has not done it before.

    It names the teams that joined in time; a decision to let a team in later names that team.
    """
    run = schedule.run
    key = ("roster made", run.run_id)
    if now < roster_due(schedule) or platform.memory.known(key) is not None:
        return 0
    last = schedule.join_until
    joined = [
        (session.team_id, session.session_id) for session in taking_part(platform, run) if session.opened_at <= last
    ]
    previous = commitment.statement_digest(planning.commitment_of(platform, run.run_id)["statement"])
    roster = commitment.roster_statement(run, joined, previous, now, platform.signer.public_key.key_id)
    platform.blobs.put_if_absent(roster_name(run.run_id), signed(platform, "statement", roster))
    platform.memory.put(key, value=True)
    return 1


def roster_of(platform: Platform, schedule: Schedule) -> dict[str, Any] | None:
    """Return a run's signed roster, ``{"statement": …, "signature": …}``; None before it is made."""
    if platform.clock.now() < roster_due(schedule):
        return None
    name = roster_name(schedule.run.run_id)
    try:
        roster: dict[str, Any] = platform.memory.keep(("roster", name), lambda: json.loads(platform.blobs.get(name)))
    except MissingBlobError:
        return None
    return roster


def taking_part(platform: Platform, run: Run, sessions_read: Mapping[str, Session] = EMPTY) -> tuple[Session, ...]:
    """List all sessions of a run, by team; those that the caller has just read are not read again."""
    names = [session_id for _, session_id in platform.runs.sessions_of(run.run_id)]
    sessions = {**sessions_read, **reading.sessions(platform, [name for name in names if name not in sessions_read])}
    return tuple(sessions[name] for name in names if name in sessions)


class Noticed(NamedTuple):
    """Result of a visit for a run: files that a new proposal on a mass failure names, files that the platform owes."""

    proposed: int
    owed: int


NOTHING: Final = Noticed(0, 0)


def propose_missed(
    platform: Platform, schedule: Schedule, now: Millis, sessions_read: Mapping[str, Session] = EMPTY
) -> Noticed:
    """Propose to the commission the files that everybody missed at once, and count those of open sessions that the
    platform owes: requested in time, not handed out; or answered, not judged. For the timer, which has just read the
    sessions that are ``sessions_read``.

    The calls grow with the sessions, and not with the files that are behind them.
    """
    if not schedule.opened(now):
        return NOTHING
    run_id, sessions = schedule.run.run_id, taking_part(platform, schedule.run, sessions_read)
    before = platform.runs.watch(run_id)
    numbers = fate.to_look_at(before.letters, sessions, schedule, now)
    facts = facts_of(platform, [(session, schedule) for session in sessions], numbers, now)
    letters = fate.letters_after(before.letters, sessions, numbers, facts, now)
    if letters != before.letters:
        with suppress(LostRaceError):  # another visit has looked at the same files
            platform.runs.keep_watch(run_id, Watch(letters, before.version + 1))
    facts_known = (schedule, sessions, letters, schedule.rulings_by_team())
    missed = fate.mass_failure(*facts_known)
    proposed = _propose(platform, schedule.run, missed, len(sessions), now) if missed else 0
    return Noticed(proposed, fate.count_owed(*facts_known))


def facts_of(
    platform: Platform, sessions: Sequence[tuple[Session, Schedule]], numbers: Mapping[str, Sequence[int]], now: Millis
) -> dict[str, Known]:
    """Read what decides the fates of these files of each session with its schedule, and no other.

    A file takes one item; only a session whose program was silent takes one more.
    """
    reads, by_id = platform.session_reads, {session.session_id: (session, schedule) for session, schedule in sessions}
    noted = reads.files({name: file_numbers for name, file_numbers in numbers.items() if file_numbers})
    silent = [
        name
        for name, notes in noted.items()
        if by_id[name][0].closed_at is None and _never_requested(by_id[name][1], notes, numbers[name], now)
    ]
    attachments = reads.attachments(silent) if silent else {}
    return {
        name: Known(
            tuple(notes.deliveries.values()),
            fate.circumstances_of(*by_id[name], notes.first_requests, notes.arrived, attachment=attachments.get(name)),
        )
        for name, notes in noted.items()
    }


def _never_requested(schedule: Schedule, notes: FileNotes, numbers: Sequence[int], now: Millis) -> bool:
    """Return whether nobody has requested one of these files though its time for that may be over."""
    noted = (notes.deliveries, notes.first_requests)
    silent = (number for number in numbers if not any(number in by_number for by_number in noted))
    return any(now > schedule.window(number).request_by for number in silent)


def _propose(platform: Platform, run: Run, missed: Sequence[int], sessions: int, now: Millis) -> int:
    """Propose missed files to the commission; return the number of files that a new proposal names."""
    proposal = fate.propose(platform.runs.proposal(run.run_id), missed, sessions, now, run.publications)
    if proposal is None:
        return 0
    try:
        platform.runs.propose(run.run_id, proposal, None)
    except LostRaceError:
        return 0  # another timer has proposed the same
    return len(proposal.body["numbers"])
