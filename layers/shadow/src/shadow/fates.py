"""What became of every file of a closed session, and why where it is void (R 7.6, 8.3.1; platform §3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
        """Its word in reports and records."""
        return "voided" if self.cause else "answered"

    @property
    def counts(self) -> bool:
        """Whether it is a file of this team at all."""
        return self.cause not in BESIDE


def fates(found: Evidence, calendar: Calendar) -> list[Fate]:
    """Fates of all files of a session, by number."""
    return [_fate(found, calendar, number) for number in range(1, int(found.session["files"]) + 1)]


def voided_share(of: list[Fate]) -> float | None:
    """Share of missed files that counts against the team (R 7.7); None where no file counts."""
    counting = [each for each in of if each.counts]
    return sum(each.cause is not None for each in counting) / len(counting) if counting else None


def _fate(found: Evidence, calendar: Calendar, number: int) -> Fate:
    trace = found.trace(number)
    if number in calendar.taken_away:
        cause = "organizer_decision"
    elif trace.accepted is not None:
        return Fate(number)
    else:
        cause = _missed(found, trace, calendar, number)
    ruled = calendar.rulings.get((found.session["team_id"], number))
    return Fate(number, ruled or cause, trace.is_late)


def _missed(found: Evidence, trace: Trace, calendar: Calendar, number: int) -> str:
    in_time = trace.asked_at is not None and trace.asked_at <= calendar.request_by(number)
    if trace.delivery is not None:
        end = int(trace.delivery["answer_by"])
    else:
        end = calendar.last_moment(number) if in_time else calendar.request_by(number)
    if calendar.stopped_at is not None and end > calendar.stopped_at:
        return "organizer_decision"
    if trace.delivery is not None:
        return _unanswered(found, trace, end)
    if in_time:
        return "team_late" if _taken_back(found, trace.asked_at or 0) else "platform"
    return _never_asked(found, calendar, number) if trace.asked_at is None else "team_late"


def _unanswered(found: Evidence, trace: Trace, answer_by: Millis) -> str:
    """A file that was handed out: what arrived in time and was not decided on is the platform's fault."""
    if any(each <= answer_by and not _taken_back(found, each) for each in trace.undecided):
        return "platform"
    return "team_invalid" if trace.refused and not trace.is_late else "team_late"


def _taken_back(found: Evidence, moment: Millis) -> bool:
    return found.aborted_at is not None and found.aborted_at - moment < UNDER_WAY


def _never_asked(found: Evidence, calendar: Calendar, number: int) -> str:
    """Of a client of the event channel: whether it was away when the file was pushed, or was not pushed to."""
    opening, last = calendar.opens[number - 1], calendar.request_by(number)
    if int(found.session["opened_at"]) > last:
        return "team_late"
    if any(since <= opening and (until is None or until > opening) for since, until in found.absences):
        return "network"
    since_first = found.present_since
    if since_first is None or since_first > opening:
        return "team_late"
    gone = any(since <= last and (until is None or until > opening) for since, until in found.absences)
    return "team_late" if gone else "platform"
