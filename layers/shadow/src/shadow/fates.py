"""The calendar of a run; the state of every file of a closed session, and its cause if void (R 7.6, 8.3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markup_core.lazy import dataclass
from shadow.evidence import Evidence, Trace
from shadow.source import Item, Json, Millis

PAUSES_TOGETHER: Final[Millis] = 2 * 60 * 60 * 1000
"""Bounds the sum of a run's pauses (D 6.16)."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """A run's times after everything that was decided; file n is at n - 1."""

    opens: tuple[Millis, ...]
    request: Millis
    answer: Millis
    total: Millis
    stopped_at: Millis | None
    taken_away: frozenset[int]
    """Files that the organizers annulled for everybody."""
    rulings: Mapping[tuple[str, int], str]
    """Causes that the commission gave, by team and file."""

    @classmethod
    def of(cls, run: Item, amendments: Sequence[Item]) -> Calendar:
        """Compute the times of a stored run under the given amendments. O(files · pauses + amendments)."""
        taken_back = {amendment["details"]["amendment"] for amendment in amendments if amendment["kind"] == "undo"}
        standing = [
            amendment
            for amendment in amendments
            if amendment["kind"] != "undo" and amendment["number"] not in taken_back
        ]
        pauses = list(pauses_of(standing))
        stops = [amendment["effective_at"] for amendment in standing if amendment["kind"] == "stop"]
        annulled = {
            int(number)
            for amendment in standing
            if amendment["kind"] in ("void", "replace")
            for number in amendment["details"]["numbers"]
        }
        limits = run["limits"]
        return cls(
            opens=tuple(delayed(planned, pauses) for planned in _grid(run, amendments)),
            request=limits["request"],
            answer=limits["answer"],
            total=limits["total"],
            stopped_at=min(stops, default=None),
            taken_away=frozenset(annulled.union(_withdrawn(run, amendments, taken_back))),
            rulings={
                (ruling["details"]["team_id"], int(ruling["details"]["number"])): str(ruling["details"]["cause"])
                for ruling in standing
                if ruling["kind"] == "rule"
            },
        )

    def request_by(self, number: int) -> Millis:
        """Return the last moment at which a file may be asked for."""
        return self.opens[number - 1] + self.request

    def answer_by(self, number: int, asked_at: Millis, handed_out_at: Millis) -> Millis:
        """Compute a delivered file's answer deadline; the platform's own delay in delivering is added for the team."""
        opening = self.opens[number - 1]
        waited = handed_out_at - max(opening, asked_at)
        return min(handed_out_at + self.answer, opening + self.total + max(waited, 0))

    def last_moment(self, number: int) -> Millis:
        """Return the last moment at which a file that was never handed out may be answered."""
        return self.opens[number - 1] + self.total


def pauses_of(standing: Sequence[Item]) -> Iterator[tuple[Millis, Millis]]:
    """Yield begin and end of every pause; one without an end takes the rest of the two hours."""
    remaining, begun = PAUSES_TOGETHER, None
    decided = sorted((amendment["effective_at"], amendment["number"], amendment["kind"]) for amendment in standing)
    for moment, _, kind in decided:
        if begun is not None and moment >= begun + remaining:
            yield begun, begun + remaining
            remaining, begun = 0, None
        if kind == "pause" and begun is None and remaining > 0:
            begun = moment
        elif kind == "resume" and begun is not None:
            yield begun, moment
            remaining, begun = remaining - (moment - begun), None
    if begun is not None:
        yield begun, begun + remaining


def _grid(run: Item, amendments: Sequence[Item]) -> Iterator[Millis]:
    """Return the planned openings: one every interval; replacements at the places that their decisions name."""
    places: list[int] = list(range(run["files"]))
    for amendment in amendments:
        if amendment["kind"] == "replace":
            first = int(amendment["details"]["slot"])
            places += range(first, first + len(amendment["details"]["numbers"]))
    return (run["starts_at"] + place * run["interval"] for place in places)


def delayed(planned: Millis, pauses: Sequence[tuple[Millis, Millis]]) -> Millis:
    """Shift a planned moment by every pause that begins before it (before the moment as shifted so far)."""
    moment = planned
    for begin, end in pauses:
        moment += end - begin if begin <= moment else 0
    return moment


def _withdrawn(run: Item, amendments: Sequence[Item], taken_back: set[Json]) -> Iterator[int]:
    """Yield the files that were appended by replacements which were undone later."""
    first = run["files"] + 1
    for amendment in amendments:
        if amendment["kind"] == "replace":
            following = first + len(amendment["details"]["numbers"])
            if amendment["number"] in taken_back:
                yield from range(first, following)
            first = following


UNDER_WAY: Final[Millis] = 30_000
"""The longest that a request is under way: so long before its end an aborted session takes back what it sent."""
BESIDE: Final = frozenset({"platform", "organizer_decision"})
"""Causes that count on neither side of the five per cent (platform §3)."""


@dataclass(frozen=True, slots=True)
class Fate:
    """``cause`` is None for an answered file. ``late``: an answer came too late, and no other is accepted."""

    number: int
    cause: str | None = None
    late: bool = False

    @property
    def state(self) -> str:
        """The file's state as reports and records name it."""
        return "voided" if self.cause else "answered"

    @property
    def counts(self) -> bool:
        """Say whether the file counts for this team."""
        return self.cause not in BESIDE


def fates(evidence: Evidence, calendar: Calendar) -> list[Fate]:
    """Compute the fates of all files of a session, ordered by number."""
    return [_fate(evidence, calendar, number) for number in range(1, int(evidence.session["files"]) + 1)]


def voided_share(session_fates: list[Fate]) -> float | None:
    """Compute the share of missed files that counts against the team (R 7.7); None if no file counts."""
    counting = [fate for fate in session_fates if fate.counts]
    return sum(fate.cause is not None for fate in counting) / len(counting) if counting else None


def _fate(evidence: Evidence, calendar: Calendar, number: int) -> Fate:
    trace = evidence.trace(number)
    if number in calendar.taken_away:
        cause = "organizer_decision"
    elif trace.accepted is not None:
        return Fate(number)
    else:
        cause = _missed(evidence, trace, calendar, number)
    ruled = calendar.rulings.get((evidence.session["team_id"], number))
    return Fate(number, ruled or cause, trace.is_late)


def _missed(evidence: Evidence, trace: Trace, calendar: Calendar, number: int) -> str:
    in_time = trace.asked_at is not None and trace.asked_at <= calendar.request_by(number)
    if trace.delivery is not None:
        end = int(trace.delivery["answer_by"])
    else:
        end = calendar.last_moment(number) if in_time else calendar.request_by(number)
    if calendar.stopped_at is not None and end > calendar.stopped_at:
        return "organizer_decision"
    if trace.delivery is not None:
        # Answers that arrived in time and were not decided on are the platform's fault.
        if any(arrival <= end and not _is_recalled(evidence, arrival) for arrival in trace.undecided):
            return "platform"
        return "team_invalid" if trace.refused and not trace.is_late else "team_late"
    if in_time:
        return "team_late" if _is_recalled(evidence, trace.asked_at or 0) else "platform"
    return _cause_unless_requested(evidence, calendar, number) if trace.asked_at is None else "team_late"


def _is_recalled(evidence: Evidence, moment: Millis) -> bool:
    return evidence.aborted_at is not None and evidence.aborted_at - moment < UNDER_WAY


def _cause_unless_requested(evidence: Evidence, calendar: Calendar, number: int) -> str:
    """Return the cause of a file never asked for, by when the team's client of the event channel was connected."""
    opening, last = calendar.opens[number - 1], calendar.request_by(number)
    if int(evidence.session["opened_at"]) > last:
        return "team_late"
    if any(since <= opening and (until is None or until > opening) for since, until in evidence.absences):
        return "network"
    since_first = evidence.present_since
    if since_first is None or since_first > opening:
        return "team_late"
    gone = any(since <= last and (until is None or until > opening) for since, until in evidence.absences)
    return "team_late" if gone else "platform"
