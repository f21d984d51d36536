"""Files of a run that its teams missed, or that the platform owes them, as the minute timer finds them.

The timer keeps what it knows for good (:mod:`contest.run.rules.fate`) beside the run, and reads of each session only
the files that may have changed since. A visit that dies, or that another one overtakes, has written nothing or all: the
next one looks at the same files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from contest import reading
from contest.platform import Platform
from contest.ports import FileNotes, LostRaceError
from contest.run import recording
from contest.run.rules import fate
from contest.run.rules.fate import Attendance, Circumstances, Watch
from contest.run.rules.schedule import Schedule
from contest.session.following import Known, aborted_at
from contest.session.rules.delivery import Cause
from contest.session.rules.session import IN_FLIGHT, Session
from contest.values import Millis


class Noticed(NamedTuple):
    """Result of a visit for a run: files that a new proposal on a mass failure names, files that the platform owes."""

    proposed: int
    owed: int


NOTHING: Final = Noticed(0, 0)
Rulings = Mapping[str, Mapping[int, tuple[Cause, int]]]
"""By team and file, the causes that the commission gave, with the amendments."""


def notice(platform: Platform, run_id: str, sessions_read: Mapping[str, Session] = recording.EMPTY) -> Noticed:
    """Propose to the commission the files that everybody missed at once, and count those of open sessions that the
    platform owes: requested in time, not handed out; or answered, not judged. For the timer, which has just read the
    sessions that are ``sessions_read``.

    The calls grow with the sessions, and not with the files that are behind them.
    """
    schedule, now = reading.schedule_now(platform, run_id), platform.clock.now()
    if not schedule.opened(now):
        return NOTHING
    sessions = recording.taking_part(platform, schedule.run, sessions_read)
    before = platform.runs.watch(run_id)
    letters = _looked_at(platform, schedule, sessions, before.letters, now)
    if letters != before.letters:
        with suppress(LostRaceError):  # another visit has looked at the same files
            platform.runs.keep_watch(run_id, Watch(letters, before.version + 1))
    ruled = {team_id: schedule.rulings(team_id) for team_id in schedule.ruled_teams}
    proposed = _proposed(platform, schedule, sessions, letters, ruled, now)
    return Noticed(proposed, _owed(schedule, sessions, letters, ruled))


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
        if by_id[name][0].is_open and _never_requested(by_id[name][1], notes, numbers[name], now)
    ]
    attachments = reads.attachments(silent)
    facts = {}
    for name, notes in noted.items():
        session, schedule = by_id[name]
        circumstances = Circumstances(
            arrived=notes.arrived,
            aborted_at=aborted_at(session),
            schedule=schedule,
            team_id=session.team_id,
            joined_at=session.opened_at,
            first_requests=notes.first_requests,
            attachment=attachments.get(name),
        )
        facts[name] = Known(tuple(notes.deliveries.values()), circumstances)
    return facts


def _never_requested(schedule: Schedule, notes: FileNotes, numbers: Sequence[int], now: Millis) -> bool:
    """Say whether nobody has requested one of these files though its time for that may be over."""
    noted = (notes.deliveries, notes.first_requests)
    silent = (number for number in numbers if not any(number in by_number for by_number in noted))
    return any(now > schedule.window(number).request_by for number in silent)


def _looked_at(
    platform: Platform, schedule: Schedule, sessions: Sequence[Session], letters: Mapping[str, str], now: Millis
) -> dict[str, str]:
    """Return the letters of all sessions as they are now."""
    after = {session.session_id: letters.get(session.session_id, "") for session in sessions}
    numbers = {
        session.session_id: fate.to_look_at(after[session.session_id], session, schedule, now) for session in sessions
    }
    facts = facts_of(platform, [(session, schedule) for session in sessions], numbers, now)
    for session in sessions:
        name = session.session_id
        if name in facts:
            after[name] = _letters(after[name], session, numbers[name], facts[name], now)
    return after


def _letters(letters: str, session: Session, numbers: Sequence[int], facts: Known, now: Millis) -> str:
    """Return the letters of a session with those of the files that were looked at."""
    deliveries = {delivery.number: delivery for delivery in facts.deliveries}
    circumstances = replace(facts.circumstances, team_id="")  # without the rulings on it
    is_open = session.closed_at is None
    moment = session.closed_at or now
    hurt = fate.first_hurt(letters)
    after = list(letters.ljust(numbers[-1], fate.UNKNOWN))
    for number in numbers:
        delivery = deliveries.get(number)
        file_fate = fate.fate(circumstances, number, delivery, moment, session_open=is_open)
        if delivery is not None:
            sure_after = delivery.answer_by + IN_FLIGHT
        elif hurt < number:
            sure_after = None  # its request may count as in time however late it comes
        else:
            sure_after = fate.lost_after(circumstances, number, None) + fate.CREDIT
        letter = fate.letter_of(
            after[number - 1], file_fate, is_sure=sure_after is not None and moment > sure_after, is_open=is_open
        )
        if letter in fate.HURT:
            hurt = min(hurt, number)
        after[number - 1] = letter
    return "".join(after)


def _proposed(
    platform: Platform,
    schedule: Schedule,
    sessions: Sequence[Session],
    letters: Mapping[str, str],
    ruled: Rulings,
    now: Millis,
) -> int:
    run, in_a_row = schedule.run, schedule.run.publications
    attended = [
        Attendance(
            session.session_id,
            session.opened_at,
            session.closed_at,
            fate.missed(letters[session.session_id]) - _ruled(ruled.get(session.team_id, {}), Cause.ORGANIZER_DECISION),
        )
        for session in sessions
    ]
    missed = fate.missed_by_all(schedule.windows, attended, schedule.voided_for_all, in_a_row)
    if not missed:
        return 0
    proposal = fate.proposed(platform.runs.proposal(run.run_id), missed, len(sessions), now, in_a_row)
    if proposal is None:
        return 0
    try:
        platform.runs.propose(run.run_id, proposal, None)
    except LostRaceError:
        return 0  # another timer has proposed the same
    return len(proposal.body["numbers"])


def _owed(schedule: Schedule, sessions: Sequence[Session], letters: Mapping[str, str], ruled: Rulings) -> int:
    """Count the files of open sessions that the platform owes, by their facts or by a ruling."""
    owed, annulled = 0, schedule.voided_for_all
    for session in sessions:
        if session.closed_at is None:
            files, rulings = letters[session.session_id], ruled.get(session.team_id, {})
            owed += sum(number not in annulled and number not in rulings for number in fate.owed(files))
            of_platform = _ruled(rulings, Cause.PLATFORM)
            owed += sum(number in annulled or number in fate.missed(files) for number in of_platform)
    return owed


def _ruled(rulings: Mapping[int, tuple[Cause, int]], cause: Cause) -> frozenset[int]:
    return frozenset(number for number, (ruled, _) in rulings.items() if ruled is cause)
