"""Outcome of a session's files with its cause, the session's end, and mass failures.

The rules hold in a run and outside of one. Voids and causes are never stored. They are functions of facts (the run with
its amendments, deliveries, first arrivals), so that a timer, a report and a request about the same session say the same
(platform §3, R 8.3.1). A mass failure (D 1.7) is three or more files that everybody missed at once; it is proposed to
the technical commission.

The minute timer keeps settled facts about a run's files by session, so that it reads none twice. A letter stands for
each file that has opened. Most are answered within a minute or two, and never looked at again. One that the platform
owes is looked at as long as its session is open, for a lost request may still be repeated. A letter is a fact about the
file by itself: what organizers decide about it (annulments, rulings) is added where it is used.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, NamedTuple

from contest.channel.rules import Attachment, away_at, was_there
from contest.run.rules.run import whole_items
from contest.run.rules.schedule import Proposal, Schedule, Window
from contest.session.rules import delivery as delivery_rules
from contest.session.rules.delivery import Bodies, Cause, Delivery, FileState
from contest.session.rules.session import IN_FLIGHT, Counts, Plan, Session, State
from contest.values import MINUTE, Millis, iso
from markup_core.lazy import dataclass


class Fate(NamedTuple):
    """Outcome of a file, and the cause where it is void."""

    state: FileState
    cause: Cause | None = None
    evidence: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Circumstances:
    """Facts of a session beside its deliveries. ``schedule``: its run's, None in the algorithmic mode."""

    arrived: Mapping[int, Sequence[Millis]] = field(default_factory=dict)
    """First arrivals of valid answers that nobody has decided on, by file."""
    bodies: Mapping[int, Bodies] = field(default_factory=dict)
    """Counts of bodies that came as answers and made no send, by file."""
    aborted_at: Millis | None = None
    """Moment at which the team ended the session by itself; None where it did not."""
    schedule: Schedule | None = None
    team_id: str = ""
    joined_at: Millis = 0
    first_requests: Mapping[int, Millis] = field(default_factory=dict)
    """Moment of the first request for each file, from shortly before its opening."""
    attachment: Attachment | None = None
    """Attachment of the session's client on the event channel; None without one."""

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """Windows of the run's files, by number; none in the algorithmic mode."""
        return self.schedule.windows if self.schedule else ()

    @property
    def annulled(self) -> Mapping[int, int]:
        """Files annulled for everybody, with the amendment."""
        return self.schedule.voided_for_all if self.schedule else {}

    @cached_property
    def ruled(self) -> Mapping[int, tuple[Cause, int]]:
        """Files of this team that got another cause, with the amendment."""
        return self.schedule.rulings(self.team_id) if self.schedule else {}

    def asked_in_time(self, number: int) -> bool:
        """Return whether a file of a run was requested in time, even if the request got nothing."""
        first_request = self.first_requests.get(number)
        return first_request is not None and first_request <= self.windows[number - 1].request_by


def aborted_at(session: Session) -> Millis | None:
    """Return the moment at which a session's team ended it itself; None where it did not."""
    return session.closed_at if session.state is State.ABORTED else None


def circumstances_of(
    session: Session,
    schedule: Schedule | None,
    first_requests: Mapping[int, Millis],
    arrived: Mapping[int, Sequence[Millis]],
    bodies: Mapping[int, Bodies] | None = None,
    attachment: Attachment | None = None,
) -> Circumstances:
    """Return the circumstances of a session by the notes about its files; ``schedule``: when they open, if by one."""
    if schedule is None:
        return Circumstances(arrived, bodies or {}, aborted_at(session))
    return Circumstances(
        arrived=arrived,
        bodies=bodies or {},
        aborted_at=aborted_at(session),
        schedule=schedule,
        team_id=session.team_id,
        joined_at=session.opened_at,
        first_requests=first_requests,
        attachment=attachment,
    )


# Clause: R 7.6, platform §3 annulment
def fate(
    circumstances: Circumstances, number: int, delivery: Delivery | None, now: Millis, *, session_open: bool
) -> Fate:
    """Return the outcome of a file by a moment; of a closed session by its end.

    A file annulled for everybody is void, answered or not. A ruling of the commission names the cause of any void
    file, and the cause found by the platform stays its evidence.
    """
    if number in circumstances.annulled:
        outcome = Fate(FileState.VOIDED, Cause.ORGANIZER_DECISION, {"amendment": circumstances.annulled[number]})
    else:
        outcome = _fate_without_ruling(circumstances, number, delivery, now, session_open=session_open)
    if outcome.state is not FileState.VOIDED or number not in circumstances.ruled:
        return outcome
    cause, amendment = circumstances.ruled[number]
    automatic = {"cause": outcome.cause, "evidence": dict(outcome.evidence)}
    return Fate(FileState.VOIDED, cause, {"amendment": amendment, "automatic": automatic})


# Clause: R 7.6
def _fate_without_ruling(
    circumstances: Circumstances, number: int, delivery: Delivery | None, now: Millis, *, session_open: bool
) -> Fate:
    if delivery is None and circumstances.schedule is not None and session_open:
        missed = now > lost_after(circumstances, number, None)
        state = FileState.VOIDED if missed else FileState.WAITING
    else:
        state = state_of(delivery, now, session_open=session_open)
    if state is not FileState.VOIDED:
        return Fate(state)
    if circumstances.schedule is None:
        return Fate(state, *_cause_of_delivery(circumstances, number, delivery))
    return Fate(state, *_cause(circumstances, circumstances.schedule, number, delivery))


def state_of(delivery: Delivery | None, now: Millis, *, session_open: bool) -> FileState:
    """Return the state of a file at a moment; a file without an answer is void once none can come any more."""
    if delivery is not None and delivery.answer is not None:
        return FileState.ANSWERED
    if not session_open:
        return FileState.VOIDED
    if delivery is None:
        return FileState.WAITING
    return FileState.VOIDED if now > delivery.answer_by else FileState.OPEN


def lost_after(circumstances: Circumstances, number: int, delivery: Delivery | None) -> Millis:
    """Return the last moment in which a file of a run can still be requested or answered."""
    if delivery is not None:
        return delivery.answer_by
    window = circumstances.windows[number - 1]
    return window.answer_by if circumstances.asked_in_time(number) else window.request_by


# Clause: platform §3 causes, R 8.3.1, D 11.3, platform §3 platform faults, R 7.6
def _cause(
    circumstances: Circumstances, schedule: Schedule, number: int, delivery: Delivery | None
) -> tuple[Cause, Mapping[str, Any]]:
    """Return the cause for which a file of a run is void, as far as facts tell it."""
    stop = schedule.stop
    if stop is not None and lost_after(circumstances, number, delivery) > stop.effective_at:
        return Cause.ORGANIZER_DECISION, {"amendment": stop.number}
    if delivery is not None:
        return _cause_of_delivery(circumstances, number, delivery)
    first_request = circumstances.first_requests.get(number)
    if first_request is None:
        return _never_asked(circumstances, circumstances.windows[number - 1])
    if circumstances.asked_in_time(number):
        if circumstances.aborted_at is not None and first_request + IN_FLIGHT > circumstances.aborted_at:
            return Cause.TEAM_LATE, {"aborted_at": iso(circumstances.aborted_at)}
        return Cause.PLATFORM, {"asked_at": iso(first_request)}
    return Cause.TEAM_LATE, {"requested_late_by_ms": first_request - circumstances.windows[number - 1].request_by}


def _cause_of_delivery(
    circumstances: Circumstances, number: int, delivery: Delivery | None
) -> tuple[Cause, Mapping[str, Any]]:
    arrived, bodies = circumstances.arrived.get(number, ()), circumstances.bodies.get(number)
    return delivery_rules.cause_of(delivery, arrived, bodies, circumstances.aborted_at)


def _never_asked(circumstances: Circumstances, window: Window) -> tuple[Cause, Mapping[str, Any]]:
    if circumstances.joined_at > window.request_by:
        return Cause.TEAM_LATE, {"joined_at": iso(circumstances.joined_at)}
    attachment = circumstances.attachment
    absence = away_at(attachment, window.opens_at)
    if absence is not None:
        return Cause.NETWORK, {"disconnected_at": iso(absence.since)}
    if attachment is not None and was_there(attachment, window.opens_at, window.request_by):
        # A push requests its file first: a file without a request was not pushed, though the client was waiting.
        return Cause.PLATFORM, {"pushed": False}
    return delivery_rules.cause_of(None)


def is_settled(circumstances: Circumstances, deliveries: Sequence[Delivery], now: Millis) -> bool:
    """Return whether nothing is left to wait for in a run: every file is answered, annulled or lost without doubt.

    A deadline is past only when no request that met it can be under way any more.
    """
    handed_out = {delivery.number: delivery for delivery in deliveries}
    return all(
        window.opens_at <= now
        and (number in circumstances.annulled or _done(circumstances, number, handed_out.get(number), now))
        for number, window in enumerate(circumstances.windows, start=1)
    )


def _done(circumstances: Circumstances, number: int, delivery: Delivery | None, now: Millis) -> bool:
    answered = delivery is not None and delivery.answer is not None
    return answered or now > lost_after(circumstances, number, delivery) + IN_FLIGHT


# Clause: platform §3 end, platform §3 silence, R 7.10, R 7.16, D 8.13, D 9.10.6
def ends_by_time(
    schedule: Schedule, deliveries: Sequence[Delivery], seen_at: Millis, idle: Millis, now: Millis
) -> State | None:
    """Return how a session of a run ends by time alone; the timer and any later request get the same.

    ``idle`` is how long a program may be silent, with a timer's extra time for a request that may be under way.
    """
    stop = schedule.stopped_at
    if stop is not None and now >= stop:
        return State.STOPPED
    if now >= schedule.closes_at({delivery.number: delivery.answer_by for delivery in deliveries}):
        return State.FINISHED
    passed = all(now > delivery.answer_by + IN_FLIGHT for delivery in deliveries)
    return State.TIMED_OUT if passed and schedule.silent_for(seen_at, now) >= idle else None


LEAST_FILES: Final = 3
"""Minimum items that have to be late for everybody (D 1.7)."""
LEAST_SESSIONS: Final = 2
"""Minimum sessions: with a single participant a failure cannot be told from the participant's own."""


class Standing(StrEnum):
    """Standing of a proposal."""

    OPEN = "open"
    ACCEPTED = "accepted"
    """All its files are annulled for everybody, most likely replaced."""
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class Attendance:
    """One session of a run: the time in which it took part, and the files it missed for a cause that is no decision."""

    session_id: str
    opened_at: Millis
    closed_at: Millis | None
    missed: frozenset[int]

    def saw(self, window: Window) -> bool:
        """Return whether the session was there when a file opened."""
        return self.opened_at <= window.opens_at and (self.closed_at is None or self.closed_at > window.opens_at)


# Clause: D 1.7, TS D-4, platform §3 mass failure
def missed_by_all(
    windows: Sequence[Window], sessions: Sequence[Attendance], annulled: Collection[int], publications: int = 1
) -> tuple[int, ...]:
    """List the files of items that every session there at an opening missed; annulled ones are settled.

    An item of several files (``publications`` in a row) is lost for a session that missed any of those at whose opening
    it was there; which of them it was may differ from team to team. O(files · sessions), and O(files) as a rule: the
    first session there that has an item settles it.
    """

    def lost(numbers: range) -> bool:
        there = 0
        for session in sessions:
            opened = [number for number in numbers if session.saw(windows[number - 1])]
            if opened and session.missed.isdisjoint(opened):
                return False
            there += bool(opened)
        return there >= LEAST_SESSIONS

    items = (range(first, first + publications) for first in range(1, len(windows) + 1, publications))
    return tuple(number for item in items if lost(item) for number in item if number not in annulled)


# Clause: D 1.7, TS D-4, platform §3 mass failure
def propose(
    before: Proposal | None, missed: Collection[int], sessions: int, now: Millis, publications: int = 1
) -> Proposal | None:
    """Return the proposal to be written now; None where the one there is complete, or there is nothing to propose.

    An open proposal grows with every further item; after a dismissal three new items make a new one.
    ``publications`` are an item's files; all of them are named.
    """
    decided = before is not None and before.body["dismissed"] is not None
    named = set(before.body["numbers"]) if before else set()
    settled = set(before.body["settled"]) | (named if decided else set()) if before else set()
    fresh = set(whole_items(missed, publications)) - named - settled
    open_one = before is not None and not decided
    if not fresh or (not open_one and len(fresh) < LEAST_FILES * publications):
        return None
    body: dict[str, Any] = {
        "numbers": sorted(fresh | (named if open_one else set())),
        "sessions": sessions,
        "found_at": before.body["found_at"] if before is not None and open_one else iso(now),
        "settled": sorted(settled),
        "dismissed": None,
    }
    return Proposal(body, before.version + 1 if before else 1)


def dismiss_proposal(before: Proposal, who: str, reason: str, now: Millis) -> Proposal:
    """Return the proposal after the commission found that the platform was not at fault."""
    decision = {"who": who, "at": iso(now), "reason": reason}
    return Proposal({**before.body, "dismissed": decision}, before.version + 1)


def proposal_standing(proposal: Proposal, annulled: Collection[int]) -> Standing:
    """Return the standing of a proposal."""
    if proposal.body["dismissed"] is not None:
        return Standing.DISMISSED
    return Standing.ACCEPTED if set(proposal.body["numbers"]) <= set(annulled) else Standing.OPEN


UNKNOWN: Final = "?"
"""Still open, or not looked at yet."""
ANSWERED: Final = "a"
ANSWERED_LATER: Final = "h"
"""Answered after the platform had owed it: the program may have the files after it later than others, too."""
MISSED: Final = "m"
LACKING: Final = "M"
"""Missed by now, and may still change."""
OWED: Final = "p"
"""Owed by the platform; applies to an open session."""
DECIDED: Final = "d"
"""Void by the decision to stop the run."""
CREDIT: Final[Millis] = 5 * MINUTE
"""Milliseconds after its time when a file not handed out is missed for good: no request counts as in time then, unless
the platform owed an earlier file of the session (see ANSWERED_LATER). Its own work on one file takes a request for the
file, one for its answer and one for the next file, each of which is under way for at most half a minute."""

_UNSURE: Final = re.compile(r"[?Mp]")
_MISSED: Final = re.compile(r"[mMp]")
_OWED: Final = re.compile(OWED)
_HURT: Final = re.compile(r"[ph]")
_HURTS: Final = frozenset({OWED, ANSWERED_LATER})


@dataclass(frozen=True, slots=True)
class Watch:
    """The letters of each session's files, by number from 1; ``version`` counts its writings, 0 before the first."""

    letters: Mapping[str, str] = field(default_factory=dict)
    version: int = 0


def missed_files(letters: str) -> frozenset[int]:
    """Return the numbers of files that were missed, by the platform's fault or not."""
    return frozenset(match.start() + 1 for match in _MISSED.finditer(letters))


def to_look_at(
    letters: Mapping[str, str], sessions: Iterable[Session], schedule: Schedule, now: Millis
) -> dict[str, tuple[int, ...]]:
    """List, by session, the files that may have changed since, without those annulled for everybody.

    Of an open session they are those that may be void by now, of a closed one those that opened before its end.
    """
    annulled: Container[int] = schedule.voided_for_all
    limits = schedule.run.limits
    void_by_now, numbers = schedule.opened(now - min(limits.request, limits.answer, limits.total)), {}
    for session in sessions:
        last = void_by_now
        if session.closed_at is not None:
            last = min(session.files, schedule.opened(session.closed_at - 1))
        unsure = _UNSURE.finditer(letters.get(session.session_id, "").ljust(last, UNKNOWN)[:last])
        numbers[session.session_id] = tuple(number for match in unsure if (number := match.start() + 1) not in annulled)
    return numbers


def letters_after(
    letters: Mapping[str, str],
    sessions: Iterable[Session],
    numbers: Mapping[str, Sequence[int]],
    facts: Mapping[str, tuple[Sequence[Delivery], Circumstances]],
    now: Millis,
) -> dict[str, str]:
    """Return the letters of all sessions, with those of the files that were looked at."""
    after = {session.session_id: letters.get(session.session_id, "") for session in sessions}
    for session in sessions:
        name = session.session_id
        if name in facts:
            after[name] = _letters(after[name], session, numbers[name], *facts[name], now)
    return after


def _letters(
    letters: str,
    session: Session,
    numbers: Sequence[int],
    deliveries: Sequence[Delivery],
    circumstances: Circumstances,
    now: Millis,
) -> str:
    """Return the letters of a session with those of the files that were looked at."""
    handed_out = {delivery.number: delivery for delivery in deliveries}
    circumstances = replace(circumstances, team_id="")  # without the rulings on it
    is_open = session.closed_at is None
    moment = session.closed_at or now
    first_hurt = _HURT.search(letters)
    hurt = first_hurt.start() + 1 if first_hurt else sys.maxsize
    after = list(letters.ljust(numbers[-1], UNKNOWN))
    for number in numbers:
        delivery = handed_out.get(number)
        if delivery is not None:
            sure_after = delivery.answer_by + IN_FLIGHT
        elif hurt < number:
            sure_after = None  # its request may count as in time however late it comes
        else:
            sure_after = lost_after(circumstances, number, None) + CREDIT
        file_fate = fate(circumstances, number, delivery, moment, session_open=is_open)
        is_sure = sure_after is not None and moment > sure_after
        letter = _letter_of(after[number - 1], file_fate, is_sure=is_sure, is_open=is_open)
        if letter in _HURTS:
            hurt = min(hurt, number)
        after[number - 1] = letter
    return "".join(after)


def _letter_of(before: str, file_fate: Fate, *, is_sure: bool, is_open: bool) -> str:
    """Return the letter of a file by its fate, rulings aside. ``is_sure``: nothing that is under way can change it."""
    if file_fate.state is FileState.ANSWERED:
        return ANSWERED_LATER if before == OWED else ANSWERED
    if file_fate.state is not FileState.VOIDED:
        return UNKNOWN
    if file_fate.cause is Cause.ORGANIZER_DECISION:
        return UNKNOWN if is_open else DECIDED
    if not is_open:
        return MISSED
    if file_fate.cause is Cause.PLATFORM:
        return OWED
    return MISSED if is_sure else LACKING


Rulings = Mapping[str, Mapping[int, tuple[Cause, int]]]
"""The commission's causes by team and file, with the amendments."""


def mass_failure(
    schedule: Schedule, sessions: Sequence[Session], letters: Mapping[str, str], ruled: Rulings
) -> tuple[int, ...]:
    """List the files that all sessions missed, by their letters and by the rulings on their teams."""
    attended = [
        Attendance(
            session.session_id,
            session.opened_at,
            session.closed_at,
            missed_files(letters[session.session_id])
            - _ruled(ruled.get(session.team_id, {}), Cause.ORGANIZER_DECISION),
        )
        for session in sessions
    ]
    return missed_by_all(schedule.windows, attended, schedule.voided_for_all, schedule.run.publications)


def count_owed(schedule: Schedule, sessions: Iterable[Session], letters: Mapping[str, str], ruled: Rulings) -> int:
    """Count the files of open sessions that the platform owes, by their facts or by a ruling."""
    files_owed, annulled = 0, schedule.voided_for_all
    for session in sessions:
        if session.closed_at is None:
            files, rulings = letters[session.session_id], ruled.get(session.team_id, {})
            by_letter = (match.start() + 1 for match in _OWED.finditer(files))
            files_owed += sum(number not in annulled and number not in rulings for number in by_letter)
            of_platform = _ruled(rulings, Cause.PLATFORM)
            files_owed += sum(number in annulled or number in missed_files(files) for number in of_platform)
    return files_owed


def _ruled(rulings: Mapping[int, tuple[Cause, int]], cause: Cause) -> frozenset[int]:
    return frozenset(number for number, (ruled, _) in rulings.items() if ruled is cause)


# Clause: R 7.7, platform §3 annulment
NOBODYS: Final = frozenset({Cause.PLATFORM, Cause.ORGANIZER_DECISION})
"""Causes that count on neither side of the share of annulled files (platform §3)."""


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a session at a moment."""

    number: int
    file_id: str | None
    """Opaque name; None until the file is handed out, since it means nothing before and is not shown."""
    state: FileState
    delivery: Delivery | None
    cause: Cause | None
    evidence: Mapping[str, Any]
    window: Window | None = None
    """Time in which it may be requested, in a run."""


def files_at(
    plan: Plan, deliveries: Sequence[Delivery], now: Millis, circumstances: Circumstances, *, session_open: bool
) -> tuple[FileView, ...]:
    """Return every file of the session, by number."""
    handed_out = {delivery.number: delivery for delivery in deliveries}
    return tuple(
        view_of(number, planned.file_id, handed_out.get(number), circumstances, now, session_open=session_open)
        for number, planned in enumerate(plan, start=1)
    )


def count_states(views: Iterable[FileView]) -> Counts:
    """Return counts by state. ``late`` is a part of ``voided``: an accepted answer outweighs a late one."""
    views = tuple(views)
    states = Counter(view.state for view in views)
    return Counts(
        waiting=states[FileState.WAITING],
        open=states[FileState.OPEN],
        answered=states[FileState.ANSWERED],
        late=sum(is_late(view) for view in views),
        voided=states[FileState.VOIDED],
    )


# Clause: R 7.7, platform §3 annulment
def voided_share(views: Iterable[FileView]) -> float | None:
    """Return the share of files that the team missed (R 7.7), of those that count; None where none counts.

    Files lost to the platform or by an organizer's decision count on neither side; ``network`` counts against the team.
    """
    views = tuple(views)
    causes = Counter(view.cause for view in views if view.cause is not None)
    nobodys = sum(causes[cause] for cause in NOBODYS)
    counting = len(views) - nobodys
    return (causes.total() - nobodys) / counting if counting else None


# Clause: R 7.7, R 10.2
def solution_voided(share: float | None, greatest: float) -> bool:
    """Return whether a solution is annulled: more than the allowed share was missed (R 7.7), not exactly the share."""
    return share is not None and share > greatest


def is_late(view: FileView) -> bool:
    """Return whether a file has a late answer and no other that counts."""
    late = view.delivery is not None and view.delivery.late_at is not None
    return late and view.state is FileState.VOIDED


def view_of(
    number: int,
    file_id: str,
    delivery: Delivery | None,
    circumstances: Circumstances,
    now: Millis,
    *,
    session_open: bool,
) -> FileView:
    """Return one file of the session."""
    verdict = fate(circumstances, number, delivery, now, session_open=session_open)
    window = circumstances.windows[number - 1] if circumstances.windows else None
    named = file_id if delivery else None
    return FileView(number, named, verdict.state, delivery, verdict.cause, verdict.evidence, window)
