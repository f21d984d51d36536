"""An exchange session, its items, its limits, and the file names for earlier clients.

A session opens, ends and shows its counts by the rules of R 6.4 and platform §3: by itself, by time or by a request.
Sessions are limited per day (R 6.4), requests per second (D 12.8). Of a team's requests the counts of the latest
seconds are kept, and the time of the latest request about each of its sessions.

An item with several publications has as many files, all under one name (TS T2). Earlier clients fetch files by
themselves and get one task for each file of a session. Such a client stores a file under the names of item, version and
task; files of one item share a name, so their tasks have different names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from contest.cycle.rules.cycle import SetKind
from contest.values import SECOND, Millis, local_day, next_local_day
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.cycle.rules.cycle import Parameters
    from contest.session.rules.delivery import Bodies, Delivery

SESSION_ID: Final = re.compile(r"[1-9][0-9]{14}")
IN_FLIGHT: Final[Millis] = 30 * SECOND
"""The longest a request can be under way behind the gateway. A missed deadline ends a session only after it, so
that an answer that arrived in time is decided before the door is shut."""


class State(StrEnum):
    """Life of a session; every state but OPEN is final."""

    OPEN = "open"
    FINISHED = "finished"
    TIMED_OUT = "timed_out"
    ABORTED = "aborted"
    STOPPED = "stopped"
    """The organizers stopped its run (R 7.16)."""


@dataclass(frozen=True, slots=True)
class Client:
    """The common modules that a team's program reports (R 4.3, 11.4)."""

    name: str
    version: str
    sha256: str | None = None
    markup_core: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """A program's order for a session."""

    mode: str
    set_name: str
    files: int
    language: str
    time_limit_s: int
    client: Client | None
    choices: Mapping[str, int] = field(default_factory=dict)
    """Other choices that the contest offers: the number of groups of items, by the contest's name of them."""
    interval_s: int | None = None
    """Seconds from one opening to the next where files open by a schedule of the session's own (tracks-sessions T7)."""


@dataclass(frozen=True, slots=True)
class OpeningWish:
    """A program's wish to open a session; its permitted fields depend on the mode."""

    mode: str
    run_id: str | None = None
    set_name: str | None = None
    files: int | None = None
    language: str | None = None
    time_limit_s: int | None = None
    client: Client | None = None
    choices: Mapping[str, int] | None = None
    groups: Sequence[str] | None = None
    """Groups of items that are meant where ``choices`` say how many; None: any."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file of a session under the opaque name the participant sees."""

    file_id: str
    item_id: str
    language: str
    group: str
    manifest: str | None = None
    """SHA-256 of the manifest its item is in; None: the session's."""
    step: str = ""
    """The step of the item's dialogue with which it begins; empty: the first one.

    An item may have several files, one for each of its publications; they share ``file_id``.
    """


Plan = tuple[PlannedFile, ...]
"""A session's files; number n is ``plan[n - 1]``."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Files of a session by state. ``late`` counts those of ``voided`` for which an answer came too late."""

    waiting: int
    open: int
    answered: int
    late: int
    voided: int


@dataclass(frozen=True, slots=True)
class Session:
    """One session of one team; changed only by the functions of this module."""

    session_id: str
    team_id: str
    cycle: str
    track: str
    order: Order
    set_kind: SetKind
    manifest: str
    files: int
    available: int
    parameters_version: int
    opened_at: Millis
    quota_day: str
    run_id: str | None = None
    """The scheduled run it takes part in; None in the algorithmic mode."""
    state: State = State.OPEN
    closed_at: Millis | None = None
    rescored: str = ""
    """Accepted rescoring by which it is scored; empty without one."""
    counts: Counts | None = None
    """Noted after closing, when the deliveries can no longer change; computed from them until then."""
    version: int = 0

    @property
    def is_open(self) -> bool:
        """Return whether files and answers still move."""
        return self.state is State.OPEN


@dataclass(frozen=True, slots=True)
class ItemFiles:
    """The numbers of an item's files in a session, in their order."""

    numbers: tuple[int, ...]

    @property
    def number(self) -> int:
        """Number of the item's last file; the item's score is stored under it."""
        return self.numbers[-1]


def items_of(plan: Plan) -> tuple[ItemFiles, ...]:
    """List the items of a session in the order of their files. O(files)."""
    items, first = [], 1
    for number in range(1, len(plan) + 1):
        if number == len(plan) or not _go_together(plan, number):
            items.append(ItemFiles(tuple(range(first, number + 1))))
            first = number + 1
    return tuple(items)


def item_at(plan: Plan, number: int) -> ItemFiles:
    """Return the item of a file. O(files of the item)."""
    first = last = number
    while first > 1 and _go_together(plan, first - 1):
        first -= 1
    while last < len(plan) and _go_together(plan, last):
        last += 1
    return ItemFiles(tuple(range(first, last + 1)))


def _go_together(plan: Plan, number: int) -> bool:
    """Return whether a file and the next one are of one item."""
    return plan[number - 1].file_id == plan[number].file_id


def name_of(plan: Plan, number: int) -> str:
    """Return the task name of a file: the digits of its file name and its place among the files of its item, from 1."""
    place = item_at(plan, number).numbers.index(number) + 1
    return f"{plan[number - 1].file_id}{place}"


def number_of(plan: Plan, task: str) -> int:
    """Return the file of a task; 0 for a name that no task of the session has. O(files)."""
    named = (number for number, planned in enumerate(plan, start=1) if task.startswith(planned.file_id))
    return next((number for number in named if name_of(plan, number) == task), 0)


class Opened(NamedTuple):
    """A session of a team, by its opening."""

    at: Millis
    session_id: str


def newest_names(opened: Sequence[Opened], limit: int, before: Millis | None) -> list[str]:
    """Return the ``limit`` newest names of sessions opened before a moment, newest first as they are given.

    All sessions opened in the last one's millisecond come with it: the next page begins before that moment.
    """
    earlier = [session for session in opened if before is None or session.at < before]
    last = earlier[:limit][-1].at if earlier else 0
    return [session.session_id for session in earlier if session.at >= last]


# Clause: R 6.4, D 7.13
def quota_day(now: Millis, zone: str) -> str:
    """Return the day for which a session opened now counts: the cycle's calendar day."""
    return local_day(now, zone)


@dataclass(frozen=True, slots=True)
class DayQuota:
    """A team's number of sessions a day, and the name under which they are counted."""

    name: str
    most: int


# Clause: R 6.4, TS T6
def quota_of(mode: str, kind: SetKind, parameters: Parameters) -> DayQuota:
    """Return the quota of sessions over a kind of set; one with a number of its own is counted by itself."""
    own = parameters.sessions_per_day_on.get(kind)
    return DayQuota(mode, parameters.sessions_per_day) if own is None else DayQuota(f"{mode}:{kind.value}", own)


def quota_resets_at(now: Millis, zone: str) -> Millis:
    """Return the moment from which a session may be opened after the day's last one."""
    return next_local_day(now, zone)


def rate_window(arrival: Millis, before: TeamRequests | None = None) -> int:
    """Return the second in which a request counts: that of its arrival, but none older than those still counted."""
    return arrival // SECOND if before is None else max(arrival // SECOND, before.second - 1)


# Clause: D 12.8, platform §3 rate
def free_second(arrival: Millis, before: TeamRequests | None, per_second: int) -> int | None:
    """Return the second in which a request counts; None where one more in it would be one too many, as far as its
    requests are stored."""
    second, earlier = rate_window(arrival, before), before or TeamRequests()
    count = {earlier.second: earlier.count, earlier.second - 1: earlier.count_before}.get(second, 0)
    return second if count < per_second else None


SLOW_BODY: Final[Millis] = SECOND
"""Milliseconds from headers to work that any answer is allowed, whatever its length; longer times are shown."""
START: Final[Millis] = 10 * SECOND
"""Maximum milliseconds of a function's start, for which its first request has waited besides its body."""


# Clause: platform §3 body
def body_allowance(size: int, parameters: Parameters, *, starts: bool) -> Millis:
    """Compute how long a body of ``size`` bytes may be under way without counting as later than its headers.

    It follows the bytes: a program that delays a small body gains :data:`SLOW_BODY` and no more. ``starts``: the
    process has worked on nothing before.
    """
    line = SLOW_BODY - (-size * SECOND // parameters.body_bytes_per_s)
    return min(min(line, parameters.body_s * SECOND) + (START if starts else 0), IN_FLIGHT)


# Clause: platform §3 body
def counted_arrival(arrival: Millis, begun: Millis, size: int, parameters: Parameters, *, starts: bool) -> Millis:
    """Compute when a request with a body counts as arrived: with its headers at the gateway, but no earlier than its
    allowance before the platform had it whole and began to work on it."""
    return max(arrival, begun - body_allowance(size, parameters, starts=starts))


# Clause: platform §3 body
def body_took(times: tuple[Millis, Millis] | None) -> Millis | None:
    """Return how long a body came after its headers where that is longer than :data:`SLOW_BODY`, else None."""
    took = times[1] - times[0] if times is not None else 0
    return took if took > SLOW_BODY else None


# Clause: platform §3 rate
def may_exceed_rate(delivery: Delivery | None, bodies: Bodies, arrival: Millis, *, sends: int, refusals: int) -> bool:
    """Return whether an answer to a file is taken at any rate of its team: the file is open, and at most ``sends`` of
    its bodies were valid and ``refusals`` were not."""
    if delivery is None or arrival > delivery.answer_by:
        return False
    return delivery.sends + bodies.repeated <= sends and bodies.refused <= refusals


@dataclass(frozen=True, slots=True)
class Activity:
    """Activity in a session so far: its deliveries and the time of its last request."""

    deliveries: Sequence[Delivery]
    seen_at: Millis
    """Moment of the latest request; the opening where there was none."""


def closed_session(session: Session, state: State, now: Millis) -> Session:
    """Return the session in a final state."""
    return replace(session, state=state, closed_at=now, version=session.version + 1)


# Clause: platform §3 end
def is_settled(session: Session, deliveries: Sequence[Delivery], now: Millis) -> bool:
    """Return whether every file is handed out, and answered or past its time."""
    return len(deliveries) == session.files and all(delivery.answer or _past(delivery, now) for delivery in deliveries)


# Clause: platform §3 end, platform §3 silence, R-App2 §2 algorithmic
def ends_by_time(
    session: Session, activity: Activity, parameters: Parameters, now: Millis, unseen: Millis = 0
) -> State | None:
    """Return how a session without a schedule ends by time; the last answer, the timer and any later request get the
    same.

    Finished at once when every file is settled: a better answer replaces an earlier one while another file is without
    one (in a run, where R 11.5 gives ten sends, while its time lasts). Timed out when the program was silent for the
    idle time and no answer can be under way. ``unseen`` is how long a request may have been under way without a trace:
    :data:`IN_FLIGHT` for a timer.
    """
    if is_settled(session, activity.deliveries, now):
        return State.FINISHED
    silent = now >= activity.seen_at + parameters.idle_timeout_s * SECOND + unseen
    passed = all(_past(delivery, now) for delivery in activity.deliveries)
    return State.TIMED_OUT if silent and passed else None


def closes_at(deadlines: Iterable[Millis]) -> Millis:
    """Return the latest end of a session with nothing left to hand out, by its files' deadlines."""
    return max(deadlines) + IN_FLIGHT + 1


def _past(delivery: Delivery, now: Millis) -> bool:
    return now > delivery.answer_by + IN_FLIGHT


@dataclass(frozen=True, slots=True)
class Key:
    """An ``Idempotency-Key`` with the hash of its request: route, path and body."""

    key_sha256: str
    asked_sha256: str


@dataclass(frozen=True, slots=True)
class Used:
    """The use of a team's key and its result: a session, or the receipt of an answer in one."""

    asked_sha256: str
    session_id: str
    receipt: str | None = None
    """The receipt's name in the session's store."""


@dataclass(frozen=True, slots=True)
class Latest:
    """The latest request about a session. A team has one open session of a mode, so one is kept for each mode."""

    session_id: str
    at: Millis
    until: Millis
    """``at``, and as much longer as the platform was seen to work on it: from when its body was there to an answer's
    receipt, or to the noting of anything else."""


@dataclass(frozen=True, slots=True)
class TeamRequests:
    """Stored facts of a team's requests: counts of the latest second and of the one before, nothing older."""

    second: int = 0
    """The latest second with a request that counted, since the epoch; 0 before any."""
    count: int = 0
    count_before: int = 0
    """Count of the second before, for requests that were overtaken by later ones."""
    latest: Mapping[str, Latest] = field(default_factory=dict)
    """Latest request about a session, by mode."""

    def is_later(self, session: Session, at: Millis) -> bool:
        """Return whether a request about a session is later than the latest one before."""
        seen_at = self.seen_at(session)
        return seen_at is None or seen_at < at

    def seen_at(self, session: Session) -> Millis | None:
        """Return the time of the latest request about a session; None before the first."""
        latest = self.latest_of(session)
        return latest.at if latest is not None else None

    def latest_of(self, session: Session) -> Latest | None:
        """Return the latest request about a session; None before the first."""
        latest = self.latest.get(session.order.mode)
        return latest if latest is not None and latest.session_id == session.session_id else None


def count_request(before: TeamRequests | None, second: int) -> TeamRequests:
    """Return the requests with one more in a second. One older than those stored changes nothing."""
    earlier = before or TeamRequests()
    if second > earlier.second:
        return TeamRequests(second, 1, earlier.count if second == earlier.second + 1 else 0, earlier.latest)
    if second == earlier.second:
        return TeamRequests(second, earlier.count + 1, earlier.count_before, earlier.latest)
    if second == earlier.second - 1:
        return TeamRequests(earlier.second, earlier.count, earlier.count_before + 1, earlier.latest)
    return earlier
