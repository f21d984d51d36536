"""A run's schedule after every decision: openings, deadlines, the next file.

The schedule folds all decisions about a run: it says when every file opens and until when it counts (platform §3). The
release record of a file has its planned and actual opening and its content (platform §3, D 1.7). A session whose files
open by a rhythm of its own uses the same code for one team, without a run (TS T7).

The next file of a session is the lowest one that can still be handed out (R 6.4, 7.5). Of a long session only a few
files can be the next one. A process remembers the files that are gone for good: those handed out, and those of a run
that nobody requested, once no request can be under way any more.

The platform's own processing time is credited to a program (platform §3). A program that works on one file after the
other requests the next one when it has its receipt. The time in which the platform handed the last file out and took
its answer is subtracted when the next request is timed; the time in which a body arrived is the program's own. The
credited time of the request is stored: the answer's deadline, the file's cause and the next request follow from it. A
credit is carried on for as long as the program has not caught up, and no longer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum, StrEnum, auto
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from contest.cycle.rules.cycle import Mode, Parameters
from contest.run.rules.run import AFTER_LAST, ALL_PAUSES, Amendment, Kind, Limits, Run, RunFile
from contest.session.rules.delivery import Cause, Delivery
from contest.session.rules.session import IN_FLIGHT, Latest, Session
from contest.values import SECOND, Millis
from markup_core.lazy import dataclass


class RunState(StrEnum):
    """State of a run at a moment."""

    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing opens from ``start`` until just before ``until``."""

    start: Millis
    until: Millis

    @property
    def length(self) -> Millis:
        """Return the duration in milliseconds."""
        return self.until - self.start


@dataclass(frozen=True, slots=True)
class Window:
    """The moments between which a file may be requested and answered; all bounds are still in time."""

    opens_at: Millis
    request_by: Millis
    answer_by: Millis
    """The latest deadline there can be, the platform's own delays aside."""


# Clause: TS T19
@dataclass(frozen=True, slots=True)
class Schedule:
    """A run with everything that was decided about it, folded once; see :meth:`of`.

    Nothing of it is stored: it is a function of the run alone, and the same run always folds to the same schedule.
    """

    run: Run
    in_effect: tuple[Amendment, ...] = field(compare=False, repr=False)
    """Amendments that were not undone, without the undoing itself."""
    pauses: tuple[Pause, ...] = field(compare=False, repr=False)
    """Pauses in their order; one that nobody has ended lasts until :data:`ALL_PAUSES` are used up."""
    replacements: tuple[tuple[Amendment, int], ...] = field(compare=False, repr=False)
    """All replacements, each with the number of its first appended file.

    One that was taken back keeps its numbers, so that no file's number ever changes; see :attr:`voided_for_all`.
    """
    total_files: int = field(compare=False, repr=False)
    """Files of the run with the appended ones."""
    planned: tuple[Millis, ...] = field(compare=False, repr=False)
    """Planned openings of the files, before any pause, by number: on the run's grid, strictly increasing."""
    openings: tuple[Millis, ...] = field(compare=False, repr=False)
    """Openings of the files, by number, for everybody; strictly increasing, too."""
    windows: tuple[Window, ...] = field(compare=False, repr=False)
    """The windows of all files, by number."""
    stop: Amendment | None = field(compare=False, repr=False)
    """The decision by which the organizers stop or have stopped the run; the earliest one counts."""
    stopped_at: Millis | None = field(compare=False, repr=False)
    """Moment at which the organizers stop or have stopped the run."""
    ends_at: Millis = field(compare=False, repr=False)
    """The latest deadline of the last file."""
    join_until: Millis = field(compare=False, repr=False)
    """Moment until which an eligible team may open a session."""
    voided_for_all: Mapping[int, int] = field(compare=False, repr=False)
    """Files annulled for everybody, each with the number of the amendment that did it.

    Files that a replacement appended are annulled when the replacement is taken back.
    """

    @classmethod
    def of(cls, run: Run) -> Schedule:
        """Fold a run's amendments. O(files · (1 + pauses) + amendments)."""
        undone = {
            amendment.details["amendment"]: amendment.number
            for amendment in run.amendments
            if amendment.kind is Kind.UNDO
        }
        in_effect = tuple(
            amendment
            for amendment in run.amendments
            if amendment.kind is not Kind.UNDO and amendment.number not in undone
        )
        pauses = _pauses(in_effect)
        replacements = tuple(_replacements(run))
        planned = tuple(_planned(run, replacements))
        openings = tuple(_shifted(moment, pauses) for moment in planned)
        windows = tuple(
            Window(opening, opening + run.limits.request, opening + run.limits.total) for opening in openings
        )
        stops = (amendment for amendment in in_effect if amendment.kind is Kind.STOP)
        stop = min(stops, key=lambda amendment: (amendment.effective_at, amendment.number), default=None)
        ends_at = windows[-1].answer_by
        return cls(
            run=run,
            in_effect=in_effect,
            pauses=pauses,
            replacements=replacements,
            total_files=len(planned),
            planned=planned,
            openings=openings,
            windows=windows,
            stop=stop,
            stopped_at=stop.effective_at if stop else None,
            ends_at=ends_at,
            join_until=_joined_until(openings[0], run.limits.join, ends_at),
            voided_for_all=MappingProxyType(_voided(in_effect, replacements, undone)),
        )

    # Clause: TS D-3, D 13.2
    def join_until_of(self, team_id: str, now: Millis) -> Millis:
        """Return the moment until which a team may open a session: the end where the organizers have let it in by a
        moment."""
        admissions = (amendment for amendment in self.in_effect if amendment.kind is Kind.ADMIT)
        is_let_in = any(
            amendment.details["team_id"] == team_id and amendment.effective_at <= now for amendment in admissions
        )
        return self.ends_at if is_let_in else self.join_until

    def planned_at(self, number: int) -> Millis:
        """Return a file's planned opening, before any pause. ValueError for a number the run does not have."""
        self._require(number)
        return self.planned[number - 1]

    # Clause: R 7.5, platform §3 release, D 4.2
    def opens_at(self, number: int) -> Millis:
        """Return a file's opening, for everybody. ValueError for a number the run does not have."""
        self._require(number)
        return self.openings[number - 1]

    def window(self, number: int) -> Window:
        """Return a file's window."""
        self._require(number)
        return self.windows[number - 1]

    def pause_at(self, now: Millis) -> Pause | None:
        """Return the pause in which a moment lies."""
        return next((pause for pause in self.pauses if pause.start <= now < pause.until), None)

    def next_slot(self, not_before: Millis) -> int:
        """Return the first free place in the schedule's grid that opens not before a moment, for appended files."""
        start, interval = self.run.starts_at, self.run.interval
        slot = (self.planned[-1] - start) // interval + 1
        while _shifted(start + slot * interval, self.pauses) < not_before:
            slot += 1
        return slot

    # Clause: R 7.6, R-App2 §2 final, D 6.8, platform §3 times
    def answer_by(self, number: int, arrival: Millis, handed_out_at: Millis) -> Millis:
        """Return the deadline of an answer: from the hand-out and from the opening, whichever is first (R 7.6, R-App2).

        The platform's own time from the request, or from the opening if that was later, to the hand-out is added
        to the deadline that counts from the opening (platform §3: own latency extends what follows).
        """
        opening, limits = self.opens_at(number), self.run.limits
        own = max(0, handed_out_at - max(arrival, opening))
        return min(handed_out_at + limits.answer, opening + limits.total + own)

    def state_at(self, now: Millis) -> RunState:
        """Return the state of the run at a moment."""
        if self._is_stopped(now):
            return RunState.STOPPED
        if self.pause_at(now) is not None:
            return RunState.PAUSED
        if now < self.opens_at(1):
            return RunState.PLANNED
        return RunState.RUNNING if now <= self.ends_at else RunState.FINISHED

    def standing_at(self, now: Millis) -> tuple[RunState, Millis | None]:
        """Return the state of the run at a moment, and until when it is paused; None where it is not."""
        pause = self.pause_at(now)
        return self.state_at(now), pause.until if pause else None

    # Clause: R 7.4, D 6.7, D 13.2, TS D-3, platform §3 admission
    def may_join(self, team_id: str, now: Millis) -> bool:
        """Return whether a team may open a session of the run at a moment."""
        return now <= self.join_until_of(team_id, now) and not self._is_stopped(now)

    # Clause: R 7.5, platform §3 release
    def is_open(self, number: int, now: Millis) -> bool:
        """Return whether a file's opening has come and the run was not stopped before it."""
        opening, end = self.opens_at(number), self.stopped_at
        return opening <= now and (end is None or opening < end)

    def all_opened(self, now: Millis) -> bool:
        """Return whether no file is still to open: the last one has, or the run was stopped."""
        return now >= self.opens_at(self.total_files) or self._is_stopped(now)

    def opened(self, now: Millis) -> int:
        """Count the files that have opened; they open in the order of their numbers."""
        last = now if self.stopped_at is None else min(now, self.stopped_at - 1)
        return bisect_right(self.openings, last)

    def next_opening(self, now: Millis) -> tuple[int, Millis] | None:
        """Return the next file to open, with its moment as known now; None where nothing opens any more."""
        if self._is_stopped(now):
            return None
        coming = ((number, at) for number, at in enumerate(self.openings, start=1) if at > now)
        return next(coming, None)

    # Clause: R 8.3.1
    def rulings(self, team_id: str) -> dict[int, tuple[Cause, int]]:
        """Return the causes that the commission gave a team's files, each with its amendment; the latest one counts."""
        return {
            int(amendment.details["number"]): (Cause(amendment.details["cause"]), amendment.number)
            for amendment in self.in_effect
            if amendment.kind is Kind.RULE and amendment.details["team_id"] == team_id
        }

    def rulings_by_team(self) -> dict[str, dict[int, tuple[Cause, int]]]:
        """Return the same of all teams some of whose files got another cause."""
        rules = (amendment for amendment in self.in_effect if amendment.kind is Kind.RULE)
        return {team_id: self.rulings(team_id) for team_id in {rule.details["team_id"] for rule in rules}}

    # Clause: D 6.16
    def silent_for(self, seen_at: Millis, now: Millis) -> Millis:
        """Return the duration of a participant's silence as far as it counts: while files are opening, pauses aside."""
        start, end = max(seen_at, self.opens_at(1)), min(now, self.opens_at(self.total_files))
        rest = sum(max(0, min(end, pause.until) - max(start, pause.start)) for pause in self.pauses)
        return max(0, end - start - rest)

    def closes_at(self, own: Mapping[int, Millis]) -> Millis:
        """Return the latest end of a session of the run by time. ``own``: deadlines of files handed out.

        Where the platform's own delays have moved the last of them, the last file's deadline is moved as far.

        After the last possible deadline, and no later than :data:`AFTER_LAST` after the last opening, unless the run's
        own limits for an answer are longer than that.
        """
        last = self.windows[-1]  # openings, and so deadlines, are in the order of the numbers
        latest = max(last.opens_at + AFTER_LAST, last.answer_by + IN_FLIGHT + 1)
        lag = max(0, own[max(own)] - self.window(max(own)).answer_by) if own else 0
        return min(max([last.answer_by + lag, *own.values()]) + IN_FLIGHT + 1, latest)

    def may_be_over(self, seen_at: Millis, idle: Millis, now: Millis) -> bool:
        """Return whether a session of the run can have ended by time; the decision itself costs reading its files."""
        return self._is_stopped(now) or now > self.ends_at or self.silent_for(seen_at, now) >= idle

    def _is_stopped(self, now: Millis) -> bool:
        return self.stop is not None and now >= self.stop.effective_at

    def _require(self, number: int) -> None:
        if not 1 <= number <= len(self.planned):
            raise ValueError(f"run {self.run.run_id} has no file {number}")


# Clause: R 7.4, R-App2 §2 final, D 6.7, TS D-3
def _joined_until(starts_at: Millis, join: Millis, ends_at: Millis) -> Millis:
    """Return the moment until which an eligible team may open a session (R-App2: two minutes after the start of a
    final), the end at most."""
    return min(starts_at + join, ends_at)


# Clause: D 6.16, platform §3 pause
def _pauses(in_effect: Sequence[Amendment]) -> tuple[Pause, ...]:
    """List the pauses; a pause within another, and a resumption outside of any, change nothing."""
    pauses: list[Pause] = []
    remaining = ALL_PAUSES
    for amendment in sorted(in_effect, key=lambda amendment: (amendment.effective_at, amendment.number)):
        last = pauses[-1] if pauses else None
        if amendment.kind is Kind.PAUSE and (last is None or amendment.effective_at >= last.until):
            pauses.append(Pause(amendment.effective_at, amendment.effective_at + remaining))
            remaining = 0
        elif amendment.kind is Kind.RESUME and last is not None and amendment.effective_at < last.until:
            pauses[-1] = Pause(last.start, amendment.effective_at)
            remaining += last.length - pauses[-1].length
    return tuple(pauses)


def _replacements(run: Run) -> Iterator[tuple[Amendment, int]]:
    first = run.files + 1
    for amendment in run.amendments:
        if amendment.kind is Kind.REPLACE:
            yield amendment, first
            first += len(amendment.details["numbers"])


# Clause: R 7.5, platform §3 release, D 8.8
def _planned(run: Run, replacements: Sequence[tuple[Amendment, int]]) -> Iterator[Millis]:
    for place in range(run.files):
        yield run.starts_at + place * run.interval
    for amendment, _ in replacements:
        slot = int(amendment.details["slot"])
        for at in range(len(amendment.details["numbers"])):
            yield run.starts_at + (slot + at) * run.interval


# Clause: D 6.16, platform §3 pause
def _shifted(planned: Millis, breaks: Sequence[Pause]) -> Millis:
    """Return the moment of a planned event: every pause that begins before it, or with it, moves it by its length."""
    moment = planned
    for pause in breaks:
        if moment >= pause.start:
            moment += pause.length
    return moment


# Clause: D 8.12
def _voided(
    in_effect: Sequence[Amendment], replacements: Sequence[tuple[Amendment, int]], undone: Mapping[int, int]
) -> dict[int, int]:
    voided: dict[int, int] = {}
    for amendment, first in replacements:
        if amendment.number in undone:
            appended = range(first, first + len(amendment.details["numbers"]))
            voided.update(dict.fromkeys(appended, undone[amendment.number]))
    for amendment in in_effect:
        if amendment.kind in {Kind.VOID, Kind.REPLACE}:
            for number in amendment.details["numbers"]:
                voided.setdefault(int(number), amendment.number)
    return voided


class ArmedBy(StrEnum):
    """Writer of a release record; neither decides when the file opens."""

    TIMER = "timer"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Release:
    """The release record of one file. ``version`` counts its writings: it is written anew when a pause moves it."""

    number: int
    planned_at: Millis
    opens_at: Millis
    armed_at: Millis
    armed_by: ArmedBy
    file_id: str
    content_sha256: str
    version: int = 1


@dataclass(frozen=True, slots=True)
class Proposal:
    """The platform's proposal to the technical commission about a run; ``version`` counts its writings."""

    body: Mapping[str, Any]
    version: int


# Clause: platform §3 arming
def record_agrees(schedule: Schedule, number: int, record: Release | None) -> bool:
    """Return whether a file's release record is there and agrees with the schedule.

    A record is never changed after its file has opened: the schedule cannot move it any more either.
    """
    return record is not None and record.opens_at == schedule.opens_at(number)


def outdated_records(schedule: Schedule, numbers: Iterable[int], records: Mapping[int, Release]) -> list[int]:
    """List the files whose release record is not there or does not agree with the schedule."""
    return [number for number in numbers if not record_agrees(schedule, number, records.get(number))]


def due_record(
    schedule: Schedule, number: int, file: RunFile, before: Release | None, now: Millis, by: ArmedBy
) -> Release:
    """Return the record that is to be written now in the place of one that does not agree with the schedule."""
    return Release(
        number=number,
        planned_at=schedule.planned_at(number),
        opens_at=schedule.opens_at(number),
        armed_at=now,
        armed_by=by,
        file_id=file.file_id,
        content_sha256=file.content_sha256,
        version=before.version + 1 if before else 1,
    )


def may_be_over(schedule: Schedule | None, rules: Parameters, seen_at: Millis, now: Millis) -> bool:
    """Return whether an open session's time may be over, so that reading its facts is worth it."""
    idle = rules.idle_timeout_s * SECOND
    return now >= seen_at + idle if schedule is None else schedule.may_be_over(seen_at, idle, now)


FIRST_AFTER: Final[Millis] = 10 * SECOND
"""Milliseconds from the opening of the session to that of its first file (tracks-sessions T7, Decision)."""


# Clause: TS T7
def own_schedule(session: Session) -> Schedule | None:
    """Return the schedule of a session's files that open by a rhythm of its own; None of any other. O(files).

    A file may be asked for and answered until the next one opens: nothing is committed to, and nothing pauses it.
    """
    if session.order.interval_s is None:
        return None
    interval = session.order.interval_s * SECOND
    return Schedule.of(
        Run(
            run_id="",
            mode=Mode.ALGORITHMIC,
            cycle=session.cycle,
            track=session.track,
            set_name=session.order.set_name,
            set_kind=session.set_kind,
            manifest=session.manifest,
            language=session.order.language,
            parameters_version=session.parameters_version,
            created_at=session.opened_at,
            starts_at=session.opened_at + FIRST_AFTER,
            interval=interval,
            files=session.files,
            limits=Limits(request=interval, answer=interval, total=interval, join=0),
        )
    )


class Chance(Enum):
    """Chance of a file of a run to be handed out: there is one, there is none, or only for a request under way."""

    OPEN = auto()
    LOST = auto()
    UNSURE = auto()


Gone = dict[int, Millis | None]
"""Files that are gone for good, with the deadline of those that were handed out."""
LOOKED_AT: Final = 3
"""Number of possible files that are looked at where it is not certain which one comes next."""


def possible_files(files: int, schedule: Schedule | None, gone: Container[int]) -> Iterator[int]:
    """List files that may come next, in their order: neither gone nor annulled for everybody.

    With a ``schedule`` they are those that it has; ``files`` counts a session's where they are there from the start.
    """
    annulled: Container[int] = schedule.voided_for_all if schedule else ()
    numbers = range(1, (schedule.total_files if schedule else files) + 1)
    return (number for number in numbers if number not in gone and number not in annulled)


def file_chance(
    arrival: Millis,
    number: int,
    schedule: Schedule,
    deliveries: Mapping[int, Delivery],
    first_requests: Mapping[int, Millis],
    latest: Latest | None,
) -> Chance:
    """Return whether a file of a run can be requested at a moment or was requested in time, or is missed for good.

    It is missed for good when not even a request under way can have been in time.
    """
    request_by, first_request = schedule.window(number).request_by, first_requests.get(number)
    counts_at = credited_moment(arrival, number, schedule, deliveries, first_requests, latest)
    if counts_at <= request_by or (first_request is not None and first_request <= request_by):
        return Chance.OPEN
    return Chance.LOST if counts_at > request_by + IN_FLIGHT else Chance.UNSURE


LOOKED_BACK: Final = 3
"""Number of files before a file that are looked at for the one that its program had last."""


# Clause: platform §3 own latency
def platform_time(
    number: int,
    schedule: Schedule,
    deliveries: Mapping[int, Delivery],
    first_requests: Mapping[int, Millis],
    latest: Latest | None,
) -> Millis:
    """Compute the credited time of the platform's work since the opening of the last file the program had before
    ``number``.

    From the request for that file to its hand-out, from its answer to the receipt, and the known time of the latest
    request since.
    """
    before = next((deliveries[earlier] for earlier in looked_back(number, {}) if earlier in deliveries), None)
    if before is None:
        return 0
    since = max(first_requests.get(before.number, before.handed_out_at), schedule.opens_at(before.number))
    delay = max(0, before.handed_out_at - since)
    answer = before.answer
    if answer is not None:
        to_receipt = latest.until - latest.at if latest is not None and latest.at == answer.received_at else 0
        delay += max(0, answer.decided_at - answer.begun_at, to_receipt)
    if latest is not None and (answer is None or latest.at > answer.received_at):
        delay += max(0, latest.until - latest.at)
    return delay


def counted_moment(arrival: Millis, opens_at: Millis, delay: Millis) -> Millis:
    """Compute the moment as of which a request counts: the platform's time is subtracted, though never to before the
    opening.
    """
    return arrival if arrival <= opens_at else max(opens_at, arrival - delay)


def credited_moment(
    arrival: Millis,
    number: int,
    schedule: Schedule,
    deliveries: Mapping[int, Delivery],
    first_requests: Mapping[int, Millis],
    latest: Latest | None,
) -> Millis:
    """Compute the moment as of which a request for a file counts, with the platform's time subtracted."""
    delay = platform_time(number, schedule, deliveries, first_requests, latest)
    return counted_moment(arrival, schedule.opens_at(number), delay)


def looked_back(number: int, gone: Mapping[int, Millis | None]) -> list[int]:
    """List files before a file, the last one first; of those that are ``gone``, the last one that was handed out, and
    none before it or missed.
    """
    numbers = []
    for earlier in range(number - 1, max(0, number - 1 - LOOKED_BACK), -1):
        deadline = gone.get(earlier)
        if earlier not in gone or deadline is not None:
            numbers.append(earlier)
        if deadline is not None:
            break
    return numbers


class RememberedSession(NamedTuple):
    """Facts of a session that a process remembers."""

    session: Session
    """Session as it was read first: its run and its rhythm never change."""
    gone: Gone


def looked_at(
    number: int, remembered: RememberedSession | None, schedule: Schedule | None, *, in_run: bool, answers: bool
) -> list[int]:
    """List the files that a request about file ``number`` (0: about none) reads: it, and those that decide the next.

    ``answers``: whether it is an answer to the file.
    """
    numbers = [number] if number else []
    if remembered is not None and (answers or not number):
        # These may come next as far as this process knows; its readings are judged by the facts of that time.
        numbers += islice(possible_files(remembered.session.files, schedule, remembered.gone), LOOKED_AT)
    # A session that this process has not seen may be of a run, which owes its own time; its debt after an answer
    # follows from the answered file.
    is_owed = remembered is None or in_run or remembered.session.order.interval_s is not None
    if numbers and is_owed and (not answers or min(numbers) < number):
        numbers += looked_back(min(numbers), remembered.gone if remembered else {})
    return numbers
