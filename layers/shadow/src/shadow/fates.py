"""The state of every file of a closed session, and the cause if it is void (R 7.6, 8.3.1; platform §3)."""

from __future__ import annotations

from typing import Final

from markup_core.lazy import dataclass
from shadow.calendar import Calendar
from shadow.evidence import Evidence, Trace
from shadow.source import Millis

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
