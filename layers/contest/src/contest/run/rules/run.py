"""A run with its files, the calendar of technical runs, protocols, and executions kept running around finals.

A run is the scheduled release of a set to everybody at the same instants (R 6.6, 7.4–7.7, 7.16; platform §3). A file's
opening is a function of the run alone: its start, its interval, and the pauses in between. Nothing here uses a timer; a
question at any moment gets the same answer. Changes by the organizers are a list of amendments that only grows; the
current state is folded from it. An amendment takes effect at least :data:`AMENDMENT_NOTICE` after it is written, and no
process trusts a copy of a run for longer than :data:`BELIEVED`: so every copy in use has all that is in effect.

The technical qualification has a run every few hours, of random size and interval (R 6.6). The slot of a moment, and
the run of a slot, are functions of the cycle's name and the moment: however often a tick comes, early, late or doubled,
it finds the same run.

In a protocol the judges or the technical commission state their finding about a run's results, or about a mass failure.
A protocol on results is about one edition of them: a later decision, ruling or markup makes other results, and the
protocol is then outdated. No protocol is ever removed; a change of mind is another protocol.

Lambda keeps executions of functions running by provisioned concurrency, which Application Auto Scaling changes at given
moments.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, field, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from contest.cycle.rules.cycle import Mode, RunRules, SetKind, TechnicalTimes
from contest.routes import kept_for
from contest.values import DAY, HOUR, MINUTE, SECOND, Millis
from markup_core.lazy import dataclass
from markup_core.texts import filled
from tracks.protocol import Text
from tracks.rules import USUAL_RUN, LateJoin
from tracks.rules import Signatory as Signatory


class Drawn(NamedTuple):
    """The drawn size and interval of a slot's run."""

    run_id: str
    files: int
    interval: Millis


# Clause: R 6.6
def slot_of(times: TechnicalTimes, now: Millis) -> Millis:
    """Return the beginning of the slot in which a moment lies; slots are counted from the epoch."""
    length = times.every_hours * HOUR
    return now // length * length


def start_of(times: TechnicalTimes, slot: Millis) -> Millis:
    """Return the start of a slot's run."""
    return slot + times.lead_s * SECOND


def next_start(times: TechnicalTimes, now: Millis) -> Millis:
    """Return the first start of a slot's run that is still to come."""
    slot = slot_of(times, now)
    start = start_of(times, slot)
    return start if start > now else start_of(times, slot + times.every_hours * HOUR)


def run_name(cycle: str, slot: Millis) -> str:
    """Return the name of a slot's run, the same for everybody: 20 of a–z, 2–7, from SHA-256 of cycle and slot."""
    digest = hashlib.sha256(f"technical\n{cycle}\n{slot}".encode()).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:20]


# Clause: R 6.6, R-App2 §2 technical
def draw_size(cycle: str, slot: Millis, rules: RunRules, available: int, salt: str) -> Drawn:
    """Draw a run's size and interval within the rules' bounds; of a set that is smaller, all of it.

    The draw depends on ``salt``, so that nobody knows before the run is published; the intervals are whole seconds.
    """
    least, greatest = rules.files
    shortest, longest = rules.interval_s
    files = _between(f"{salt}\nfiles", least, greatest)
    interval = _between(f"{salt}\ninterval", shortest, longest)
    return Drawn(run_name(cycle, slot), min(files, available), interval * SECOND)


def _between(seed: str, least: int, greatest: int) -> int:
    """Draw a number from ``least`` to ``greatest``; 256 bits, so that the bounds' difference leaves no mark."""
    return least + int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big") % (greatest - least + 1)


MOST: Final = 20
"""Maximum protocols of one run: with reasons of the greatest length they stay far below the limit of a stored item."""


class Matter(StrEnum):
    """Matter of a protocol."""

    RESULTS = "results"
    MASS_FAILURE = "mass_failure"


class ProtocolStanding(StrEnum):
    """State of a side's latest protocol about a run as it is now."""

    NONE = "none"
    POSITIVE = "positive"
    NEGATIVE = "negative"
    OUTDATED = "outdated"
    """It is about results that have changed since."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """One protocol; ``number`` counts those of a run from 1.

    ``positive``: the results are right, or there was a mass failure. ``edition`` names the results it is about, and is
    empty on any other matter.
    """

    number: int
    matter: Matter
    by: Signatory
    positive: bool
    reason: str
    who: str
    at: Millis
    edition: str = ""


def latest_protocol(protocols: Iterable[Protocol], matter: Matter, by: Signatory) -> Protocol | None:
    """Return the latest protocol of one side on a matter; None before any. O(protocols)."""
    return next(
        (protocol for protocol in reversed(tuple(protocols)) if (protocol.matter, protocol.by) == (matter, by)), None
    )


# Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.4
def protocol_finding(
    protocols: Iterable[Protocol], matter: Matter, by: Signatory, edition: str = ""
) -> ProtocolStanding:
    """Return the protocol's finding about the results of this ``edition``; on another matter, about the run."""
    protocol = latest_protocol(protocols, matter, by)
    if protocol is None:
        return ProtocolStanding.NONE
    if protocol.edition != edition:
        return ProtocolStanding.OUTDATED
    return ProtocolStanding.POSITIVE if protocol.positive else ProtocolStanding.NEGATIVE


def missing_sides(protocols: Sequence[Protocol], sides: Iterable[Signatory], edition: str) -> tuple[Signatory, ...]:
    """List the wanted sides that have no positive protocol on the results of this edition."""
    return tuple(
        side
        for side in sides
        if protocol_finding(protocols, Matter.RESULTS, side, edition) is not ProtocolStanding.POSITIVE
    )


AMENDMENT_NOTICE: Final[Millis] = 5 * SECOND
BELIEVED: Final[Millis] = 2 * SECOND
RESUME_NOTICE: Final[Millis] = 30 * SECOND
"""Milliseconds from the decision to go on until the run goes on; at most a minute (D 6.16)."""


# Clause: D 6.16
ALL_PAUSES: Final[Millis] = 2 * HOUR
"""Maximum milliseconds of a run's pauses together (D 6.16). A forgotten pause ends by itself when they are used up."""
HOLD: Final[Millis] = 2 * SECOND
"""Milliseconds before an opening in which a request is held until then and counts as asked (platform §3)."""
AFTER_LAST: Final[Millis] = 5 * MINUTE
"""Milliseconds after the last opening at which sessions end at the latest."""
ARMED_AHEAD: Final[Millis] = 3 * MINUTE
"""Milliseconds before an opening from which the timer writes its release record."""


class Kind(StrEnum):
    """Kind of an amendment."""

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
    ADMIT = "admit"
    """Let a team take part from then on, though the time for it is over (D 13.2). Details: ``team_id``."""
    UNDO = "undo"
    """Take another amendment back. Details: ``amendment``."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in milliseconds: for the request after the opening, the answer after the hand-out and after the opening,
    joining after the start.
    """

    request: Millis
    answer: Millis
    total: Millis
    join: Millis

    # Clause: TS D-3
    @classmethod
    def of(cls, rules: RunRules, chosen: SaidLimits | None = None) -> Limits:
        """Return the limits of a cycle's rules with the organizer's in their place.

        A run that takes everybody in may be joined for a day, and so to its end: the commitment then says so, and
        a verifier of the run knows nothing else.
        """
        usual = cls(*(SECOND * limit_s for limit_s in (rules.request_s, rules.answer_s, rules.total_s, rules.join_s)))
        named = asdict(chosen).items() if chosen is not None else ()
        if rules.late_join is LateJoin.UNTIL_END:
            usual = replace(usual, join=DAY)
        return replace(usual, **{name: limit for name, limit in named if limit is not None})


@dataclass(frozen=True, slots=True)
class SaidLimits:
    """An organizer's values of a run's :class:`Limits`; None: the cycle's."""

    request: Millis | None = None
    answer: Millis | None = None
    total: Millis | None = None
    join: Millis | None = None


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
    step: str = ""
    """The step of the item's dialogue with which the file begins; empty: the first one."""


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
    """Canonical JSON ``{"amendment": …, "signature": …}`` of its published part, written together with it."""
    salt: str = ""
    """64 hexadecimal digits that keep a ruling's seal from being guessed, a secret until the record; else empty."""


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
    """Teams named for this run alone; None: no team was named."""
    restarts: str | None = None
    """The run that this one replaces (R 7.16)."""
    amendments: tuple[Amendment, ...] = ()
    markups: tuple[tuple[str, str], ...] = ()
    """Pairs of a manifest that files were drawn from and the later one with the experts' annotations (R 7.10)."""
    ratings: str = ""
    """SHA-256 of the ratings of explanations that were taken in with the markups; empty without any."""
    published_at: Millis | None = None
    rescored: str = ""
    """Accepted rescoring that its results follow; empty for results under the parameters of its start."""
    publications: int = 1
    """Number of files in a row that belong to one item."""
    started_with: int | None = None
    """Version of the parameters at its start, for a run whose results follow a rescoring."""
    closed_at: Millis | None = None
    """Moment at which the record was made; nothing about the run's course changes afterwards, rulings may."""
    version: int = 0
    continues: str | None = None
    """The run whose results count with this one's on the contest's boards of two runs."""
    protocols: tuple[Protocol, ...] = ()
    """Statements of judges and commission about it, in the order of their numbers."""
    late_join: LateJoin = LateJoin.REFUSED
    """Rule on opening a session when the time for it is over."""
    most_replaced: int = USUAL_RUN.most_replaced
    """Maximum items that reserve ones may replace."""

    # Clause: R 7.2, R 8.2.3
    @property
    def takes_admitted(self) -> bool:
        """Return whether the run takes the teams admitted to finals: a final that names none does, a trial does not."""
        return self.mode is Mode.FINAL and not self.trial and self.admitted is None


def whole_items(numbers: Iterable[int], publications: int) -> list[int]:
    """Return the numbers of all files of the items that have one of these; ``publications`` in a row are an item's."""
    firsts = {number - (number - 1) % publications for number in numbers}
    return sorted(first + at for first in firsts for at in range(publications))


KEPT_LEAD: Final[Millis] = 15 * MINUTE
"""Time before a final at which executions are requested: Lambda starts them within minutes."""
KEPT_TAIL: Final[Millis] = 5 * MINUTE
KEPT_NEXT: Final[Millis] = 2 * MINUTE
"""Delay of an action that is due already: a moment that has passed is refused."""


@dataclass(frozen=True, slots=True)
class KeptWindow:
    """Executions for so many teams, from ``since`` to before ``until``."""

    since: Millis
    until: Millis
    teams: int


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """Number of a function's executions that are kept running from the moment ``at``, a full minute, on."""

    at: Millis
    function: str
    executions: int

    @property
    def name(self) -> str:
        """Return the name under which it is scheduled; another action at the same moment has the same one."""
        return f"hurdle-{self.at // MINUTE}"


def kept_window(starts_at: Millis, ends_at: Millis, teams: int) -> KeptWindow:
    """Return the window around a final, in full minutes."""
    since, until = starts_at - KEPT_LEAD, ends_at + KEPT_TAIL
    return KeptWindow(since // MINUTE * MINUTE, -(-until // MINUTE) * MINUTE, teams)


def kept_teams_at(windows: Iterable[KeptWindow], moment: Millis) -> int:
    """Return the number of teams that executions are kept for at a moment: of windows that overlap, the greatest."""
    return max((window.teams for window in windows if window.since <= moment < window.until), default=0)


def kept_at(function: str, running: Mapping[str, int], planned: Iterable[Action], moment: Millis) -> int:
    """Return how many executions of a function are to be kept running at a moment, by the scheduled actions."""
    coming = sorted(action for action in planned if action.function == function and action.at <= moment)
    return coming[-1].executions if coming else running.get(function, 0)


def kept_changes(
    windows: Sequence[KeptWindow], running: Mapping[str, int], planned: Sequence[Action], now: Millis
) -> tuple[list[Action], list[Action]]:
    """Return the actions to schedule and those to take back, so that the windows are kept.

    ``running``: executions that are kept running by now; ``planned``: the actions that are scheduled, those of the past
    among them. Calling it again after the changes returns nothing until something else is wanted or a moment has come.
    """
    moments = {moment for window in windows for moment in (window.since, window.until) if moment > now}
    needed = {
        Action(moment, function, executions)
        for moment in moments
        for function, executions in kept_for(kept_teams_at(windows, moment)).items()
    }
    for function, executions in kept_for(kept_teams_at(windows, now)).items():
        if running.get(function, 0) == executions:
            continue
        coming = [action for action in planned if action.function == function and now < action.at <= now + KEPT_NEXT]
        right = [action for action in coming if action.executions == executions and action.at not in moments]
        at = right[0].at if right else (now + KEPT_NEXT) // MINUTE * MINUTE
        if at not in moments:
            needed.add(Action(at, function, executions))
    return sorted(needed - set(planned)), sorted(set(planned) - needed)


class CheckGrade(StrEnum):
    """Grade of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Nothing is known of it here."""


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check."""

    name: str
    grade: CheckGrade
    message: Text
    where: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def with_facts(cls, name: str, grade: CheckGrade, sentence: Text, **where: Any) -> Check:
        """Return a check whose sentence has the facts ``where`` in its braces."""
        return cls(name, grade, filled(sentence, **where), where)
