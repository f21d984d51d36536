"""An exchange session, its items, and the file names for earlier clients.

A session opens, ends and shows its counts by the rules of R 6.4 and platform §3. An item with several publications has
as many files, all under one name (TS T2). Earlier clients fetch files by themselves and get one task for each file of a
session. Such a client stores a file under the names of item, version and task; files of one item share a name, so their
tasks have different names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Final, NamedTuple

from contest.cycle.rules.cycle import SetKind
from contest.values import SECOND, Millis
from markup_core.lazy import dataclass

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
    """What else the contest lets a program choose: how many groups of items, by the contest's name of them."""
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
    """Which groups of items are meant where ``choices`` say how many; None: any."""


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
    """The accepted rescoring by which it is scored; empty without one."""
    counts: Counts | None = None
    """Noted after closing, when the deliveries can no longer change; computed from them until then."""
    version: int = 0

    @property
    def is_open(self) -> bool:
        """Whether files and answers still move."""
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
    """Say whether a file and the next one are of one item."""
    one, other = plan[number - 1], plan[number]
    return bool(one.step) and one.file_id == other.file_id


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


def newest(opened: Sequence[Opened], limit: int, before: Millis | None) -> list[str]:
    """Return at most ``limit`` names of sessions, newest first as they are given, opened before a moment."""
    return [session.session_id for session in opened if before is None or session.at < before][:limit]
