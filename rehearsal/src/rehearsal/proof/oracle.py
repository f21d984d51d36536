"""Rules of a run, written from the specification for the checker (platform §3; R-App2, 7.6, 7.7)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, takewhile
from types import MappingProxyType
from typing import Any, Final

from rehearsal.history import MINUTE, SECOND, Call, Facts, Millis, Story, from_text
from shadow.final import BESIDE, Calendar, delayed, pauses_of

Json = Any
NOTICE: Final[Millis] = 5 * SECOND
_RESUMED_AFTER: Final[Millis] = 30 * SECOND
_APPENDED_AHEAD: Final[Millis] = MINUTE
"""Least time from a decision to the opening of a file that it appends."""
_NO_LIMITS: Final = {"request": 0, "answer": 0, "total": 0}
SEALED: Final = "sealed"
"""Kind under which a ruling, or the withdrawal of one, is published to everybody: it concerns one team."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: its number in the run, its kind, its time, its content."""

    number: int
    kind: str
    at: Millis
    wish: Mapping[str, Json]

    @property
    def effective_at(self) -> Millis:
        """Return the moment from which it holds."""
        return self.at + (_RESUMED_AFTER if self.kind == "resume" else NOTICE)

    def amendment(self) -> Mapping[str, Json]:
        """Return the decision in the form that :mod:`shadow` reads."""
        return {"number": self.number, "kind": self.kind, "effective_at": self.effective_at, "details": self.wish}


@dataclass(frozen=True, slots=True)
class Decided:
    """All decisions of a run and their effects.

    ``pauses`` begin and end; one without an end lasts as long as pauses may. ``slots`` are the places in the plan of
    appended files, one after the other. ``voided`` are files void for everybody, ``ruled`` causes by team and file.
    """

    decisions: tuple[Decision, ...] = ()
    pauses: tuple[tuple[Millis, Millis], ...] = ()
    slots: tuple[int, ...] = ()
    voided: frozenset[int] = frozenset()
    ruled: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def told_as(self, decision: Decision) -> str:
        """Return the kind under which a decision is published."""
        rulings = {one.number for one in self.decisions if one.kind == "rule"}
        return SEALED if rulings & {decision.number, decision.wish.get("amendment")} else decision.kind


def decisions(lines: Sequence[Mapping[str, Json]]) -> tuple[Decision, ...]:
    """Return the decisions that the platform took, from the history's lines, numbered from 1."""
    accepted = [line for line in lines if line["status"] == 200]
    return tuple(
        Decision(number, line["wished"], line["at"], line["wish"]) for number, line in enumerate(accepted, start=1)
    )


def folded(decided: Sequence[Decision], starts_at: Millis, interval: Millis, files: int) -> Decided:
    """Fold the decisions on a run with this plan; ``shadow`` computes their effects. O(decisions²)."""
    undone = {decision.wish["amendment"] for decision in decided if decision.kind == "undo"}
    holds = [decision for decision in decided if decision.number not in undone and decision.kind != "undo"]
    slots: list[int] = []
    amendments = []
    for decision in decided:
        details = dict(decision.wish)
        if decision.kind == "replace":
            pauses_then = list(pauses_of([one.amendment() for one in holds if one.number < decision.number]))
            details["slot"] = files + len(slots)
            # Appended files come after the last one, a minute ahead, by what was known then.
            while delayed(starts_at + details["slot"] * interval, pauses_then) < decision.at + _APPENDED_AHEAD:
                details["slot"] += 1
            slots += range(details["slot"], details["slot"] + len(details["numbers"]))
        amendments.append({**decision.amendment(), "details": details})
    run = {"starts_at": starts_at, "interval": interval, "files": files, "limits": _NO_LIMITS}
    calendar = Calendar.of(run, amendments)
    pauses = tuple(pauses_of([decision.amendment() for decision in holds]))
    return Decided(tuple(decided), pauses, tuple(slots), calendar.taken_away, calendar.rulings)


HELD: Final[Millis] = 2 * SECOND
"""Longest time before an opening at which a request counts as one made at the opening."""
SENDS: Final = 10
SILENCE: Final[Millis] = 15 * MINUTE
"""Time without a request, while files open, that ends a session."""
VOIDED_SHARE: Final = 0.05
"""Largest share of missed files with which a solution is not annulled (R 7.7)."""
AGAINST_TEAM: Final = frozenset({"team_late", "team_invalid", "network"})
ENDS: Final = frozenset({"diagnosis", "refusal"})
"""Kinds of turns that end a dialogue (D 9.10.1.4)."""
HARMLESS: Final = frozenset(
    {"losses", "crowd", "prying", "decisions", "practice", "qualifying", "leaving", "reading", "people", "twins"}
)
"""Faults that must cost nobody a file, except by a decision or by a team's own lateness."""


@dataclass(frozen=True, slots=True)
class ExpectedTimes:
    """Openings of files and the deadlines to ask for them and to answer them."""

    run_id: str
    starts_at: Millis
    interval: Millis
    files: int
    request: Millis
    answer: Millis
    total: Millis
    join: Millis = 120 * SECOND
    sends: int = SENDS
    decided: Decided = field(default_factory=Decided)

    @classmethod
    def of(cls, header: Mapping[str, Json], decided: Sequence[Decision] = ()) -> ExpectedTimes:
        """Return the times by the rehearsal's own orders, announcements and decisions, whatever the platform says of
        them since."""
        limits = {name: header["limits"][f"{name}_ms"] for name in ("request", "answer", "total", "join")}
        plan = from_text(header["starts_at"]), header["interval_ms"], header["files"]
        sends = header.get("sends", SENDS)
        return cls(header["run"], *plan, **limits, sends=sends, decided=folded(decided, *plan))

    def known_at(self, moment: Millis) -> ExpectedTimes:
        """Return the schedule by the decisions until a moment."""
        decisions_then = tuple(decision for decision in self.decided.decisions if decision.at <= moment)
        if len(decisions_then) == len(self.decided.decisions):
            return self
        return replace(self, decided=folded(decisions_then, self.starts_at, self.interval, self.files))

    @property
    def join_until(self) -> Millis:
        """Return the last moment at which a team may join: the end of the time to join, or of a shorter run."""
        return min(self.starts_at + self.join, self.opens_at(self.files) + self.total)

    @property
    def numbers(self) -> range:
        """Return the numbers of all files, the appended ones as well."""
        return range(1, self.files + len(self.decided.slots) + 1)

    def planned_at(self, number: int) -> Millis:
        """Return when a file was to open, any pause aside."""
        slot = number - 1 if number <= self.files else self.decided.slots[number - self.files - 1]
        return self.starts_at + slot * self.interval

    def opens_at(self, number: int) -> Millis:
        """Return when a file opens: a pause moves everything that has not opened before it."""
        return delayed(self.planned_at(number), self.decided.pauses)

    def request_by(self, number: int) -> Millis:
        """Return the last moment at which a file may be asked for."""
        return self.opens_at(number) + self.request

    def answer_by(self, number: int, asked_at: Millis, handed_out_at: Millis) -> Millis:
        """Return the last moment for an answer; the platform's own time for the hand-out is given back to the team."""
        opening = self.opens_at(number)
        own = max(0, handed_out_at - max(asked_at, opening))
        return min(handed_out_at + self.answer, opening + self.total + own)


@dataclass
class Life:
    """All events of one file of one team's session. ``joined_at`` is when the session was surely open."""

    team: str
    session_id: str
    number: int
    joined_at: Millis
    asks: list[Call] = field(default_factory=list)
    sends: list[Call] = field(default_factory=list)
    held_up: Millis = 0
    """Most time that the platform may have taken of the program's with the file before; taken off the request's."""

    @property
    def where(self) -> str:
        """Return the name under which counter-examples cite it."""
        return f"{self.team}, file {self.number}"

    def handed_out(self) -> Call | None:
        """Return the first answer with the file in it."""
        return next((call for call in self.asks if call.status == 200), None)

    def asked_between(self, opening: Millis) -> tuple[Millis, Millis] | None:
        """Return the earliest and the latest moment at which the first request can have come; None without one.

        A request that failed may or may not have left a trace. One that came too early counts as none, and so does one
        that was told that the file is not open yet: its program asks again.
        """
        times = _first([call for call in self.asks if call.done_at >= opening - HELD and call.status != 425])
        return None if times is None else (max(min(times[0], opening), times[0] - self.held_up), times[1])

    def took(self, opening: Millis) -> Millis:
        """Return the most that the platform has taken of the program's time with this file: from the request to the
        hand-out, from the answer's first arrival to its receipt.

        It writes down when it will be done before it is, by how long it read for the same request: that is no longer
        than the whole request lasted, so each moment may be told that much later than it was.
        """
        handed, request_times = self.handed_out(), self.asked_between(opening)
        if handed is None or request_times is None:
            return 0
        last = self.receipted()
        waited = _told_done(last) - from_text(last.said["receipt"]["received_at"]) if last is not None else 0
        return max(0, _told_done(handed) - max(request_times[0], opening)) + max(0, waited)

    @property
    def taken(self) -> list[Call]:
        """Return the sends that got a receipt, also those whose receipt was lost on its way."""
        return [call for call in self.sends if call.status == 200]

    def receipted(self) -> Call | None:
        """Return the last send that was accepted."""
        accepted = [call for call in self.taken if _status(call) == "accepted"]
        return max(accepted, key=lambda call: int(call.said["receipt"]["send"]), default=None)

    def arrived_between(self, body_sha256: str) -> tuple[Millis, Millis] | None:
        """Return the same bounds for an answer's bytes: a repetition counts with its first arrival."""
        return _first([call for call in self.sends if call.body_sha256 == body_sha256])


def _told_done(call: Call) -> Millis:
    """Return the latest moment at which the platform may say that it was done with a request."""
    return call.done_at + (call.done_at - call.sent_at)


def _first(calls: Sequence[Call]) -> tuple[Millis, Millis] | None:
    reached = [call for call in calls if call.reached]
    if not reached:
        return None
    sure = [call.done_at for call in reached if not call.failed]
    return min(call.sent_at for call in reached), min(sure, default=max(call.done_at for call in reached))


def lives_of(story: Story) -> dict[tuple[str, int], Life]:
    """Return the lives of all files that a session was there for, by team and number."""
    schedule = ExpectedTimes.of(story.header, decisions(story.decided))
    calls: dict[str, list[Call]] = defaultdict(list)
    for call in sorted(story.calls, key=lambda call: (call.sent_at, call.n)):
        calls[call.team].append(call)
    lives = {}
    for team, session_id, joined_at in sessions_of(story):
        mine: dict[int | None, list[Call]] = defaultdict(list)
        for call in calls[team]:
            mine[call.number].append(call)
        before, held_up = None, 0
        for number in schedule.numbers:
            asks = [call for call in mine[number] if call.what == "file"]
            sends = [call for call in mine[number] if call.what == "answer"]
            life = Life(team, session_id, number, joined_at, asks, sends)
            life.held_up = held_up + (_took_since(before, life, calls[team]) if before is not None else 0)
            lives[team, number] = life
            if life.handed_out() is not None:
                before, held_up = life, life.took(schedule.opens_at(number))
    return lives


def _took_since(before: Life, life: Life, calls: Iterable[Call]) -> Millis:
    """Return the time that the platform may have taken with one more request between two files: of several, the latest
    counts."""
    done = before.receipted() or before.handed_out()
    first = next((call for call in life.asks if call.status != 425), None)
    if done is None or first is None:
        return 0
    between = [call for call in calls if call.sent_at >= done.done_at and call.done_at <= first.sent_at]
    return max((_told_done(call) - call.sent_at for call in between), default=0)


def sessions_of(story: Story) -> Iterator[tuple[str, str, Millis]]:
    """Yield team, session and opening moment for every team that opened one, by the platform's answers."""
    teams = set()
    for call in story.calls:
        if call.what == "open" and call.status == 201 and call.team not in teams:
            teams.add(call.team)
            yield call.team, str(call.said["session_id"]), call.done_at


# Clause: platform §6 rehearsal
def causes(life: Life, schedule: ExpectedTimes, facts: Facts) -> frozenset[str]:
    """Return the fates that the rules allow a file: ``answered``, or causes of its annulment; usually exactly one.

    Where the platform failed in time it must have answered the file, or take the fault upon itself. What was annulled
    for everybody is, answered or not; a ruling names the cause of what is missed.
    """
    decided = schedule.decided
    fates = frozenset({"organizer_decision"}) if life.number in decided.voided else _by_itself(life, schedule, facts)
    ruled = decided.ruled.get((life.team, life.number))
    return fates if ruled is None else frozenset("answered" if fate == "answered" else ruled for fate in fates)


def _by_itself(life: Life, schedule: ExpectedTimes, facts: Facts) -> frozenset[str]:
    if schedule.request_by(life.number) < life.joined_at:
        return frozenset({"team_late"})
    handed = life.handed_out()
    if handed is None:
        return _never_handed_out(life, schedule, facts)
    due = from_text(handed.said["answer_by"])
    talks = any("turn" in call.means for call in life.sends)
    return _talked_over(life, due) if talks else _answered_at_once(life, due)


def _answered_at_once(life: Life, due: Millis) -> frozenset[str]:
    if any(call.status == 200 and _status(call) == "accepted" for call in life.sends):
        return frozenset({"answered"})
    valid = {call.body_sha256 for call in life.sends if call.content_sha256 is not None and call.reached}
    moments = [moment for digest in valid if digest and (moment := life.arrived_between(digest)) is not None]
    if any(latest <= due for _, latest in moments):
        return frozenset({"answered", "platform"})
    if any(earliest <= due for earliest, _ in moments):
        return frozenset({"answered", "platform", "team_late"})
    refused = any(call.status in {400, 422} for call in life.sends)
    return frozenset({"team_invalid" if refused and not moments else "team_late"})


def _talked_over(life: Life, due: Millis) -> frozenset[str]:
    """Return the fates of a file that is answered in turns: it is answered with the turn that ends the dialogue; where
    the platform has lost a turn before, that is the platform's fault (tracks-sessions T2, T4)."""
    valid = [call for call in life.sends if call.content_sha256 is not None and call.reached]
    ended = [call for call in valid if call.means.get("turn") in ENDS]
    if any(call.status == 200 and _status(call) == "accepted" for call in ended):
        return frozenset({"answered"})
    receipted = {call.body_sha256 for call in valid if call.status is not None and not call.failed}
    lost = [call for call in valid if call.body_sha256 not in receipted and call.sent_at <= due]
    of_team = frozenset({"team_late", "team_invalid"})
    if not lost:
        return of_team
    return of_team | {"platform"} | ({"answered"} if any(call in ended for call in lost) else frozenset())


def _never_handed_out(life: Life, schedule: ExpectedTimes, facts: Facts) -> frozenset[str]:
    request_times = life.asked_between(schedule.opens_at(life.number))
    if request_times is None or request_times[0] > schedule.request_by(life.number):
        return frozenset({"team_late"})
    noted = facts.items.get("exchange", {}).get(f"SESSION#{life.session_id}", {}).get(f"FILE#{life.number:04d}", {})
    traced = "asked_at" in noted and int(noted["asked_at"]) <= schedule.request_by(life.number)
    in_time = traced or request_times[1] <= schedule.request_by(life.number)
    return frozenset({"platform"} if in_time else {"platform", "team_late"})


def _status(call: Call) -> Json:
    return call.said.get("receipt", {}).get("status")


def share(causes_of_files: Iterable[str | None]) -> float | None:
    """Return the share of missed files that counts against a team, of its files' causes (None: answered); None without
    files."""
    fates = [cause for cause in causes_of_files if cause not in BESIDE]
    return sum(fate in AGAINST_TEAM for fate in fates) / len(fates) if fates else None


ESSAY, EXAM, GEC, SEMIFINAL = "essay", "exam", "gec", "diagnosis-semifinal"
DIALOGUES, PROGRAMS, CUSTOM = "diagnosis-final", "fusion", "custom"


@dataclass(frozen=True, slots=True)
class Kind:
    """A contest's stage: its boards that are held against a replay, the steps of an item that is scored by all its
    answers, and whether each step is a publication of its own, or all are a dialogue over one (tracks-sessions T2, T3,
    T9). ``ends``: kinds of answers with which such a dialogue is over."""

    track: str
    boards: tuple[str, ...]
    steps: tuple[str, ...] = ()
    publications: int = 1
    ends: frozenset[str] = frozenset()

    @property
    def is_dialogue(self) -> bool:
        """Return whether each file is answered in turns."""
        return bool(self.ends)

    @property
    def is_kept_back(self) -> bool:
        """Return whether its archive waits for a final that continues it, which no rehearsal plays (D 14.5)."""
        return self.publications > 1


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        EXAM: Kind("exam", ("grade_norm",)),
        GEC: Kind("gec", ("all", "concentrated")),
        SEMIFINAL: Kind("diagnosis", ("criterion",), ("v3", "v2"), publications=2),
        CUSTOM: Kind("custom", ("measure",)),
        DIALOGUES: Kind("diagnosis", ("criterion",), ("preliminary", "studies"), ends=ENDS),
    }
)
"""Kinds of stages by their names in a history's header, without the essays' final, which has checks of its own."""


ARMED_AHEAD: Final[Millis] = 3 * MINUTE
"""Longest time before a file's opening at which the minute timer arms it."""
TIMER: Final = "dispatch.minute_timer"
HITS: Final = frozenset({"killed", "throttled"})
"""Injections that hit a process."""
LEAST_TOLD: Final = 10
"""Least number of hidden items for a total, or for a difference of totals, to be shown (decision 0028)."""


class Visits:
    """The timers' visits of a history; none is known of one in real time, without a driven clock."""

    def __init__(self, story: Story) -> None:
        self._from: Millis | None = story.header.get("timer_from")
        kept_away = [injection for injection in story.injected if injection["what"] in {"tick_missed", "tick_late"}]
        self._late = {from_text(one["at"]): from_text(one["comes"]) for one in kept_away if one["what"] == "tick_late"}
        self._away = frozenset(from_text(injection["at"]) for injection in kept_away)
        self._failed = frozenset(from_text(one["at"]) for one in story.injected if one["what"] == "tick_failed")
        moments = sorted(call.sent_at for call in story.calls)
        self._spoilt = [
            (moments[place - 1] if (place := bisect_left(moments, injection["now"])) else 0, injection["now"])
            for injection in story.injected
            if injection["what"] in HITS and injection["handler"] == TIMER
        ]
        """Intervals in which the timer's process was hit: from a moment with requests to the next, which notes it."""

    @property
    def known(self) -> bool:
        """Return whether the times of the timers' visits are known."""
        return self._from is not None

    def on_time(self, since: Millis, until: Millis) -> Iterator[Millis]:
        """Yield all timers' visits in an interval, both ends included: a late one is the minute timer's alone."""
        return (due for due in self._due(since, until) if due not in self._away)

    def sure(self, since: Millis, until: Millis) -> Iterator[Millis]:
        """Yield the minute timer's visits in an interval, both ends included, at which surely no fault was injected."""
        visits = {due: self._late.get(due, due) for due in self._due(since - MINUTE, until)}
        missed = self._away - self._late.keys()
        for due, came in sorted(visits.items(), key=lambda visit: visit[1]):
            if (
                since <= came <= until
                and due not in missed | self._failed
                and not any(before <= came <= now for before, now in self._spoilt)
            ):
                yield came

    def arming(self, since: Millis, opens_at: Millis) -> Millis | None:
        """Return the minute timer's first sure visit that has to arm the next opening, which is known since a moment;
        None where there is none. A decision at the moment of a visit comes after it."""
        return next(self.sure(max(since + 1, opens_at - ARMED_AHEAD), opens_at - 1), None)

    def _due(self, since: Millis, until: Millis) -> Iterator[Millis]:
        """Yield when the timers are to come: a minute after the first moment for the first time."""
        if self._from is None:
            return iter(())
        first = max(1, -(-(since - self._from) // MINUTE))
        return takewhile(lambda due: due <= until, count(self._from + first * MINUTE, MINUTE))
