"""A run: the scheduled release of a set to everybody at the same instants (R 6.6, 7.4–7.7, 7.16; platform §3).

A file's opening is a function of the run alone: its start, its interval, and the pauses in between. Nothing here
knows a timer; whoever asks at whatever moment gets the same answer. What the organizers change is a list of
amendments that only grows; what holds is folded from it.

An amendment takes effect at least :data:`AMENDMENT_NOTICE` after it is written, and nobody believes a copy of a run
for longer than :data:`BELIEVED`: so every copy in use knows all that is in effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from contest.domain.cycle import Mode, RunRules, SetKind
from contest.domain.delivery import Cause
from contest.domain.moments import HOUR, MINUTE, SECOND, Millis

AMENDMENT_NOTICE: Final[Millis] = 5 * SECOND
BELIEVED: Final[Millis] = 2 * SECOND
RESUME_NOTICE: Final[Millis] = 30 * SECOND
"""From the decision to go on until the run goes on; at most a minute (D 6.16)."""
ALL_PAUSES: Final[Millis] = 2 * HOUR
"""All pauses of a run together (D 6.16). A forgotten pause ends by itself when they are used up."""
HOLD: Final[Millis] = 2 * SECOND
"""A request that comes so shortly before an opening is held until then and counts as asked (platform §3)."""
AFTER_LAST: Final[Millis] = 5 * MINUTE
"""Sessions end at the latest so long after the last opening."""
ARMED_AHEAD: Final[Millis] = 3 * MINUTE
"""How far ahead the timer writes release records."""
MAX_REPLACED: Final = 100
"""Files of a run that may be replaced by reserve ones (D 8.12)."""


class RunState(StrEnum):
    """Where a run is at a moment."""

    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"


class Kind(StrEnum):
    """What an amendment does."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    """End the run; its results do not count (R 7.16)."""
    VOID = "void"
    """Annul files for everybody. Details: ``numbers``."""
    REPLACE = "replace"
    """Annul files for everybody and append as many of the reserve set. Details: ``numbers``, ``slot``, ``root``."""
    RULE = "rule"
    """Give a team's missed file another cause. Details: ``team_id``, ``number``, ``cause``."""
    UNDO = "undo"
    """Take another amendment back. Details: ``amendment``."""


SCHEDULING: Final = frozenset({Kind.PAUSE, Kind.RESUME, Kind.STOP, Kind.VOID, Kind.REPLACE, Kind.UNDO})
"""Amendments that everybody sees at once; rulings concern one team."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long things may take: the request after the opening, the answer after the hand-out and after the opening,
    joining after the start."""

    request: Millis = 10 * SECOND
    answer: Millis = 50 * SECOND
    total: Millis = 60 * SECOND
    join: Millis = 120 * SECOND

    @classmethod
    def of(cls, rules: RunRules) -> Limits:
        """Those of a cycle's rules."""
        return cls(*(SECOND * each for each in (rules.request_s, rules.answer_s, rules.total_s, rules.join_s)))


@dataclass(frozen=True, slots=True)
class RunFile:
    """One file of a run: its opaque name, the same for all teams, the item behind it, and the SHA-256 of the canonical
    JSON that is handed out. ``salt`` keeps the published commitment from telling anything about it."""

    file_id: str
    item_id: str
    language: str
    group: str
    content_sha256: str
    salt: str
    manifest: str
    """SHA-256 of the manifest in which the item is: the run's own, or the reserve set's for a replacement."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """One decision of the organizers or of the commission about a run."""

    number: int
    kind: Kind
    at: Millis
    effective_at: Millis
    who: str
    reason: str
    details: Mapping[str, Any] = field(default_factory=dict)
    signed: str = ""
    """Canonical JSON ``{"amendment": …, "signature": …}`` of one that everybody may see, written with it at once."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing opens from ``start`` until just before ``until``."""

    start: Millis
    until: Millis

    @property
    def length(self) -> Millis:
        """Its duration."""
        return self.until - self.start


@dataclass(frozen=True, slots=True)
class Run:
    """One run. ``files`` counts the first plan; ``version`` every write, each conditional on the one before."""

    run_id: str
    mode: Mode
    cycle: str
    track: str
    set_name: str
    set_kind: SetKind
    manifest: str
    language: str
    parameters_version: int
    created_at: Millis
    starts_at: Millis
    interval: Millis
    files: int
    limits: Limits
    trial: bool = False
    admitted: tuple[str, ...] | None = None
    """Teams that may take part; None: every active one."""
    restarts: str | None = None
    """The run that this one replaces (R 7.16)."""
    amendments: tuple[Amendment, ...] = ()
    markups: tuple[tuple[str, str], ...] = ()
    """For every manifest that files were drawn from, the later one with the experts' markups (R 7.10)."""
    published_at: Millis | None = None
    closed_at: Millis | None = None
    """When the record was made; nothing about the run's course changes afterwards, rulings may."""
    version: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """When a file may be asked for and answered; all bounds are still in time."""

    opens_at: Millis
    request_by: Millis
    answer_by: Millis
    """The latest deadline there can be, the platform's own delays aside."""

    def asks_in_time(self, arrival: Millis) -> bool:
        """Whether a request that arrives at this moment gets the file, held until its opening if need be."""
        return self.opens_at - HOLD <= arrival <= self.request_by


def in_effect(run: Run) -> tuple[Amendment, ...]:
    """Amendments that were not undone, without the undoing itself."""
    undone = {each.details["amendment"] for each in run.amendments if each.kind is Kind.UNDO}
    return tuple(each for each in run.amendments if each.kind is not Kind.UNDO and each.number not in undone)


def pauses(run: Run) -> tuple[Pause, ...]:
    """The run's pauses in order; one that nobody has ended lasts until :data:`ALL_PAUSES` are used up.

    A pause within another, and a resumption outside of any, change nothing.
    """
    found: list[Pause] = []
    for each in sorted(in_effect(run), key=lambda each: (each.effective_at, each.number)):
        last = found[-1] if found else None
        if each.kind is Kind.PAUSE and (last is None or each.effective_at >= last.until):
            left = ALL_PAUSES - sum(pause.length for pause in found)
            found.append(Pause(each.effective_at, each.effective_at + left))
        elif each.kind is Kind.RESUME and last is not None and each.effective_at < last.until:
            found[-1] = Pause(last.start, each.effective_at)
    return tuple(found)


def pause_at(run: Run, now: Millis) -> Pause | None:
    """The pause in which a moment lies."""
    return next((pause for pause in pauses(run) if pause.start <= now < pause.until), None)


def shifted(planned: Millis, breaks: tuple[Pause, ...]) -> Millis:
    """When something planned takes place: every pause that begins before it, or with it, moves it by its length."""
    moment = planned
    for pause in breaks:
        if moment >= pause.start:
            moment += pause.length
    return moment


def replacements(run: Run) -> Iterator[tuple[Amendment, int]]:
    """All replacements, each with the number of its first appended file.

    One that was taken back keeps its numbers, so that no file's number ever changes; see :func:`voided_for_all`.
    """
    first = run.files + 1
    for each in run.amendments:
        if each.kind is Kind.REPLACE:
            yield each, first
            first += len(each.details["numbers"])


def total_files(run: Run) -> int:
    """Files of the run with the appended ones."""
    return run.files + sum(len(each.details["numbers"]) for each, _ in replacements(run))


def planned_at(run: Run, number: int) -> Millis:
    """When a file was to open by the schedule, before any pause. ValueError for a number the run does not have."""
    if 1 <= number <= run.files:
        return run.starts_at + (number - 1) * run.interval
    for each, first in replacements(run):
        if first <= number < first + len(each.details["numbers"]):
            slot = int(each.details["slot"]) + number - first
            return run.starts_at + slot * run.interval
    raise ValueError(f"run {run.run_id} has no file {number}")


def next_slot(run: Run, not_before: Millis) -> int:
    """The first free place in the schedule's grid whose opening is not before a moment, for appended files."""
    last = total_files(run)
    slot = (planned_at(run, last) - run.starts_at) // run.interval + 1
    breaks = pauses(run)
    while shifted(run.starts_at + slot * run.interval, breaks) < not_before:
        slot += 1
    return slot


def opens_at(run: Run, number: int) -> Millis:
    """When a file opens, for everybody."""
    return shifted(planned_at(run, number), pauses(run))


def window(run: Run, number: int) -> Window:
    """A file's window."""
    return _window(run, opens_at(run, number))


def windows(run: Run) -> tuple[Window, ...]:
    """The windows of all files, by number. O(files + amendments)."""
    breaks = pauses(run)
    return tuple(_window(run, shifted(planned_at(run, n), breaks)) for n in range(1, total_files(run) + 1))


def _window(run: Run, opening: Millis) -> Window:
    return Window(opening, opening + run.limits.request, opening + run.limits.total)


def answer_by(run: Run, number: int, arrival: Millis, handed_out_at: Millis) -> Millis:
    """Deadline of an answer: from the hand-out and from the opening, whichever is first (R 7.6, R-App2).

    What the platform itself took from the request, or from the opening if that was later, to the hand-out is added to
    the deadline that counts from the opening (platform §3: own latency extends what follows).
    """
    opening = opens_at(run, number)
    own = max(0, handed_out_at - max(arrival, opening))
    return min(handed_out_at + run.limits.answer, opening + run.limits.total + own)


def ends_at(run: Run) -> Millis:
    """The latest deadline of the last file."""
    return window(run, total_files(run)).answer_by


def stop(run: Run) -> Amendment | None:
    """The decision by which the organizers stop or have stopped the run; the earliest one counts."""
    found = [each for each in in_effect(run) if each.kind is Kind.STOP]
    return min(found, key=lambda each: (each.effective_at, each.number), default=None)


def stopped_at(run: Run) -> Millis | None:
    """When the organizers stop or have stopped the run."""
    decided = stop(run)
    return decided.effective_at if decided else None


def state_at(run: Run, now: Millis) -> RunState:
    """Where the run is at a moment."""
    end = stopped_at(run)
    if end is not None and now >= end:
        return RunState.STOPPED
    if pause_at(run, now) is not None:
        return RunState.PAUSED
    if now < opens_at(run, 1):
        return RunState.PLANNED
    return RunState.RUNNING if now <= ends_at(run) else RunState.FINISHED


def join_until(run: Run) -> Millis:
    """Until when a session may be opened (R-App2: two minutes after the start of a final)."""
    return opens_at(run, 1) + run.limits.join


def may_join(run: Run, now: Millis) -> bool:
    """Whether a session of the run may be opened at a moment."""
    end = stopped_at(run)
    return now <= join_until(run) and (end is None or now < end)


def is_open(run: Run, number: int, now: Millis) -> bool:
    """Whether a file's opening has come and the run was not stopped before it."""
    opening, end = opens_at(run, number), stopped_at(run)
    return opening <= now and (end is None or opening < end)


def all_opened(run: Run, now: Millis) -> bool:
    """Whether no file is still to open: the last one has, or the run was stopped."""
    end = stopped_at(run)
    return now >= opens_at(run, total_files(run)) or (end is not None and now >= end)


def opened(run: Run, now: Millis) -> int:
    """How many files have opened; they open in the order of their numbers."""
    return sum(is_open(run, number, now) for number in range(1, total_files(run) + 1))


def voided_for_all(run: Run) -> dict[int, int]:
    """Files annulled for everybody, each with the number of the amendment that did it.

    Files that a replacement appended are annulled when the replacement is taken back.
    """
    found: dict[int, int] = {}
    undone = {each.details["amendment"]: each.number for each in run.amendments if each.kind is Kind.UNDO}
    for each, first in replacements(run):
        if each.number in undone:
            appended = range(first, first + len(each.details["numbers"]))
            found.update(dict.fromkeys(appended, undone[each.number]))
    for each in in_effect(run):
        if each.kind in {Kind.VOID, Kind.REPLACE}:
            for number in each.details["numbers"]:
                found.setdefault(int(number), each.number)
    return found


def rulings(run: Run, team_id: str) -> dict[int, tuple[Cause, int]]:
    """Causes that the commission gave a team's files, each with its amendment; the latest one counts."""
    return {
        int(each.details["number"]): (Cause(each.details["cause"]), each.number)
        for each in in_effect(run)
        if each.kind is Kind.RULE and each.details["team_id"] == team_id
    }


def silent_for(run: Run, seen_at: Millis, now: Millis) -> Millis:
    """How long a participant has been silent as far as it counts: while files are opening, pauses aside."""
    start, end = max(seen_at, opens_at(run, 1)), min(now, opens_at(run, total_files(run)))
    rest = sum(max(0, min(end, pause.until) - max(start, pause.start)) for pause in pauses(run))
    return max(0, end - start - rest)
