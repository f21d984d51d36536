"""Work of the minute timer (platform §3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Final, TypeVar

from contest import reading
from contest.cycle import publications
from contest.experts import judged_essays
from contest.experts import work as expert_work
from contest.messages import sending
from contest.platform import Platform
from contest.results import commission, publishing, reporting, scoring, settling
from contest.results.rules import jobs as job_rules
from contest.results.rules.jobs import OutboxEntry
from contest.run import under_way
from contest.run.rules.schedule import Schedule, may_be_over
from contest.session import following
from contest.session.rules.session import IN_FLIGHT, Session
from contest.stored_names import LetterQueue
from contest.submissions import worker
from contest.values import SECOND, Millis
from markup_core.lazy import dataclass

T = TypeVar("T")

Failures = list[tuple[str, Exception]]
"""Names of failed pieces of work, with the causes."""

BUDGET: Final[Millis] = 40 * SECOND
"""Milliseconds after which a visit begins no more work that may wait: no piece of it takes as long as the 15 s to the
end of the function's time (infra/config.py)."""
TIMER: Final = "minute"
"""Name under which the timer's last visit is noted."""


@dataclass(frozen=True, slots=True)
class Swept:
    """Result of a sweep. ``failures`` names each failure and its cause; everything else was done."""

    armed: int
    """Release records written."""
    closed: int
    """Sessions ended."""
    enqueued: int
    unscored: Millis
    """Waiting time of the oldest unscored answer; 0 without one."""
    reported: int
    missed: int
    """Files that new proposals on mass failures name."""
    overdue: int
    """Files of open sessions that the platform owes."""
    settling: int
    """Steps towards records and boards that workers were sent for."""
    expired: int
    """Assignments of experts whose time was over."""
    considered: int
    """Essays about which the rule for a third expert was asked."""
    letters: Mapping[str, int]
    """Dead letters that wait for somebody, by their queue."""
    noted: int
    """Parts of boards whose places changed."""
    announced: int
    """Announcements that were passed on."""
    submissions: int
    """Submissions that workers were sent for, and uploads that were given up."""
    stuck: int
    """Submissions that have been in one state for longer than anything takes."""
    left: int
    """Pieces of work that this visit had no time for."""
    failures: tuple[tuple[str, Exception], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Work that may wait for the next visit: one piece for each of these names."""

    name: str
    names: Sequence[str]
    work: Callable[[str], int]


def in_turn(steps: Sequence[Step], progress: str) -> list[tuple[Step, str]]:
    """List the work in the order of the steps and of their names, from where the visit before has stopped, once round.

    ``progress``: ``step/name``; where the name is gone, the next one of its step; empty: from the beginning.
    """
    order = [(step, name) for step in steps for name in sorted(step.names)]
    places = {step.name: place for place, step in enumerate(steps)}
    step_left, _, name_left = progress.partition("/")
    reached = places.get(step_left, 0), name_left
    first = sum((places[step.name], name) < reached for step, name in order)
    return order[first:] + order[:first]


def sweep(platform: Platform) -> Swept:
    """Do the work of a minute. Requests decide the same by themselves, so a missed minute costs nobody.

    One failure keeps nothing else waiting; it is reported at the end. Arming comes first, then the ends of sessions and
    files that everybody missed. The rest is done as far as there is time; what is left comes first at the next visit.
    """
    now = platform.clock.now()
    failures: list[tuple[str, Exception]] = []
    visit = partial(_work_on, failures=failures)
    visit(("technical run",), lambda _: int(under_way.ensure_run(platform, now) is not None))
    active, schedules = platform.runs.active_ids(), dict[str, Schedule]()

    def read(run_id: str) -> int:
        schedules[run_id] = reading.schedule_now(platform, run_id)
        return 1

    visit(active, read)
    armed = visit(schedules, lambda run_id: under_way.arm_coming(platform, schedules[run_id], now))
    # Executions kept for a final that cannot be read stay as they are.
    visit(
        ("kept executions",), lambda _: under_way.keep_executions(platform, [schedules[name] for name in active], now)
    )
    visit(schedules, lambda run_id: under_way.make_roster(platform, schedules[run_id], now))
    closed, sessions, ends_left = _ended(platform, now, failures)
    owed: list[int] = []

    def notice(run_id: str) -> int:
        noticed = under_way.propose_missed(platform, schedules[run_id], now, sessions)
        owed.append(noticed.owed)
        return noticed.proposed

    missed = visit(schedules, notice)
    unreported = platform.sessions.unreported_ids()
    # A writer to the outbox of a closed session names that session among the unreported ones.
    waiting = scoring.waiting_entries(platform, now) if sessions or unreported else ()
    steps = _steps(platform, now, schedules, sessions, unreported, job_rules.entries_due(waiting, now), failures)
    done, steps_left = _as_far_as_there_is_time(platform, now, steps, failures)
    return Swept(
        armed=armed,
        closed=closed,
        enqueued=done["scores"] + done["settled items"],
        unscored=job_rules.unscored_for(waiting, now),
        reported=done["reports"],
        missed=missed,
        overdue=sum(owed),
        settling=done["runs"],
        expired=done["assignments"],
        considered=done["third experts"],
        letters=_letters(platform, failures),
        noted=done["boards"],
        announced=done["announcements"],
        submissions=done["submissions"],
        stuck=done["stuck submissions"],
        left=steps_left + ends_left,
        failures=tuple(failures),
    )


def _ended(platform: Platform, now: Millis, failures: Failures) -> tuple[int, dict[str, Session], int]:
    """End the sessions whose time is over; return how many, those that go on, and how many there was no time for."""
    stored = _together(platform.sessions.open_ids(), partial(reading.sessions, platform, moment=now), failures)
    sessions = {name: session for name, session in stored.items() if session.closed_at is None}
    over = _together(sessions, lambda names: _may_be_over(platform, [sessions[name] for name in names], now), failures)
    closed, waiting = 0, list(over)
    while waiting and platform.clock.now() < now + BUDGET:
        closed += _work_on(waiting[:1], lambda name: _close(platform, now, sessions[name], over[name]), failures)
        del waiting[0]
    still_open = set(platform.sessions.open_ids()) if closed else sessions.keys()
    return closed, {name: session for name, session in sessions.items() if name in still_open}, len(waiting)


def _steps(
    platform: Platform,
    now: Millis,
    schedules: Mapping[str, Schedule],
    sessions: Mapping[str, Session],
    unreported: Sequence[str],
    stale: Mapping[str, Sequence[OutboxEntry]],
    failures: Failures,
) -> list[Step]:
    """List the work that may wait."""
    groups: dict[str, list[Session]] = {}
    for session in sessions.values():
        groups.setdefault(session.run_id or session.session_id, []).append(session)
    runs = [*schedules, *platform.runs.unsettled_ids()]
    unfinished = platform.submissions.unfinished()
    assignments = {"/".join(names): names for names in platform.experts.open_assignments()}
    return [
        Step("scores", list(stale), lambda name: scoring.queue_again(platform, stale[name], now)),
        Step("settled items", list(groups), lambda name: _settled(platform, now, groups[name], failures)),
        Step("ratings", unreported, lambda name: int(judged_essays.take_in_session_ratings(platform, name))),
        Step("reports", unreported, partial(make_report, platform)),
        Step("runs", runs, lambda name: settling.send_due_steps(platform, name, schedules.get(name))),
        Step("assignments", list(assignments), lambda name: expert_work.expire(platform, *assignments[name], now=now)),
        Step("third experts", ["third experts"], lambda _: _consider_thirds(platform, now, failures)),
        Step("announcements", publications.untold_announcements(platform), partial(_announce, platform)),
        Step("mails of the log", ["log"], lambda _: sending.collect(platform)),
        Step("mails", sending.due_mails(platform), partial(sending.send, platform)),
        Step("submissions", unfinished, partial(worker.tend, platform, now)),
        Step("stuck submissions", unfinished, partial(worker.count_stuck, platform, now)),
        Step("annulments", ["annulments"], lambda _: commission.follow_decisions(platform, now)),
        Step("boards", ["boards"], lambda _: publishing.note_all(platform, now)),
    ]


def _announce(platform: Platform, announcement_id: str) -> int:
    """Tell subscribers of an announcement, after its mails are made: each is made once."""
    announcement = platform.announcements.get(announcement_id)
    if announcement is not None:
        sending.announce(platform, announcement)
    return publications.tell_subscribers(platform, announcement_id)


def _consider_thirds(platform: Platform, now: Millis, failures: Failures) -> int:
    """Ask the rule for a third expert about the essays that are due, also by assignments just expired, while there is
    time: the others stay due."""
    considered, essays = 0, {"/".join(names): names for names in platform.experts.due_essays()}
    for essay in essays:
        considered += _work_on([essay], lambda name: judged_essays.consider_thirds(platform, *essays[name]), failures)
        if platform.clock.now() >= now + BUDGET:
            break
    return considered


def _as_far_as_there_is_time(
    platform: Platform, now: Millis, steps: Sequence[Step], failures: Failures
) -> tuple[Counter[str], int]:
    """Do the work that may wait, at least one piece of it, and note where it was left; return what was done by step,
    and how many pieces are left.

    The next visit's start, a piece later, is noted at the beginning: a piece that kills every visit is passed.
    """
    order, done, place = in_turn(steps, platform.upkeep.left(TIMER)), Counter[str](), 0
    platform.upkeep.tick(TIMER, now, _place(order[1:]))
    while place < len(order) and (place == 0 or platform.clock.now() < now + BUDGET):
        step, name = order[place]
        done[step.name] += _work_on([name], step.work, failures)
        place += 1
    platform.upkeep.tick(TIMER, now, _place(order[place:]))
    return done, len(order) - place


def _place(order: Sequence[tuple[Step, str]]) -> str:
    return f"{order[0][0].name}/{order[0][1]}" if order else ""


def _work_on(names: Iterable[str], work: Callable[[str], int], failures: Failures) -> int:
    done = 0
    for name in names:
        try:
            done += work(name)
        except Exception as error:  # noqa: BLE001 -- one failure must not stop the others
            failures.append((name, error))
    return done


def _together(names: Iterable[str], read: Callable[[Sequence[str]], dict[str, T]], failures: Failures) -> dict[str, T]:
    """Read about all names in a few calls; where that fails, about each alone, so that one failure is of one name."""
    all_names, facts = list(names), {}
    try:
        return read(all_names)
    except Exception:  # noqa: BLE001 -- its cause is found below, or was of a moment

        def alone(name: str) -> int:
            facts.update(read([name]))
            return 0

        _work_on(all_names, alone, failures)
        return facts


def _letters(platform: Platform, failures: Failures) -> Mapping[str, int]:
    try:
        counted = platform.dead_letters.counts()
    except Exception as error:  # noqa: BLE001 -- as above
        failures.append(("dead letters", error))
        return {}
    return {queue.value: counted.get(queue, 0) for queue in LetterQueue}


def close_session(platform: Platform, now: Millis, session_id: str) -> int:
    """Close a session whose time is over; return 1 if it was."""
    sessions = reading.sessions(platform, [session_id])
    over = _may_be_over(platform, list(sessions.values()), now)
    return sum(_close(platform, now, sessions[name], seen_at) for name, seen_at in over.items())


def _may_be_over(platform: Platform, sessions: Sequence[Session], now: Millis) -> dict[str, Millis]:
    """Return the open sessions whose time may be over, so that reading their facts is worth it, each with the time of
    its latest request."""
    reads, over = platform.session_reads, {}
    requests = reads.requests({session.team_id for session in sessions})
    schedules: dict[str, Schedule | None] = {}
    for session in sessions:
        if session.run_id not in schedules:
            schedules[session.run_id or session.session_id] = reading.schedule_of(platform, session, now)
    # Without a schedule a session is also over by its files, when the last of them was handed out with all others.
    last_files = reads.files(
        {session.session_id: (session.files,) for session in sessions if schedules.get(session.session_id, ()) is None}
    )
    rules = cache(partial(reading.parameters, platform))
    for session in sessions:
        team_requests = requests.get(session.team_id)
        seen_at = (team_requests.seen_at(session) if team_requests else None) or session.opened_at
        schedule = schedules[session.run_id or session.session_id]
        may_be = may_be_over(schedule, rules(session.parameters_version), seen_at, now)
        last = last_files.get(session.session_id)
        if may_be or (last is not None and last.deliveries):
            over[session.session_id] = seen_at
    return over


def _close(platform: Platform, now: Millis, session: Session, seen_at: Millis) -> int:
    return int(not following.by_time(platform, session, now, seen_at, IN_FLIGHT).is_open)


# Clause: TS T4
def _settled(platform: Platform, now: Millis, sessions: Sequence[Session], failures: Failures) -> int:
    """Request scores of open sessions' items that were settled in the last minutes, of several answers each.
    A lost message is sent again by the next minutes, and at the session's end."""
    by_id = {session.session_id: session for session in sessions}
    settled = _together(
        by_id, lambda names: reporting.settled_lately(platform, [by_id[name] for name in names], now), failures
    )
    jobs = [job for jobs in settled.values() for job in jobs]
    if jobs:
        platform.queue.send(jobs)
    return len(jobs)


def make_report(platform: Platform, session_id: str) -> int:
    """Make a report that is due, or request its missing scores; return 1 if it was made."""
    session = reading.session(platform, session_id)
    if session is None:
        return 0
    since = platform.sessions.unreported_since(session_id)
    if isinstance(reporting.finished_report(platform, session), reporting.Pending):
        return 0
    if not platform.outbox.of_session(session_id):
        platform.sessions.mark_reported(session_id, since)
    return 1
