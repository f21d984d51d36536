"""Stages of a cycle (R 4.1), and its calendar of working days (T17).

A term begins with the day after the event that starts it. "At least n working days before" asks for n whole working
days between the two days; "within n working days" ends with the n-th. Calendar days are days of 24 hours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from contest.texts import tr
from contest.values import DAY, SECOND, Millis
from markup_core.lazy import dataclass
from tracks.protocol import Reason, Text

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ONE: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class WorkingDays:
    """The working days. ``weekend``: weekdays, 0 is Monday; the others are days as ``2027-01-01``.

    ``holidays`` are free on any weekday; ``working`` are days of a weekend that are working days all the same.
    """

    weekend: tuple[int, ...] = (5, 6)
    holidays: tuple[str, ...] = ()
    working: tuple[str, ...] = ()

    def is_working(self, day: date) -> bool:
        """Say whether a day is a working day."""
        named = day.isoformat()
        return named in self.working or (day.weekday() not in self.weekend and named not in self.holidays)


@dataclass(frozen=True, slots=True)
class Calendar:
    """Working days in a time zone."""

    zone: str
    days: WorkingDays = field(default_factory=WorkingDays)

    def earliest(self, told_at: Millis, days: int, *, working: bool) -> Millis:
        """Return the first moment of an event that was announced at a moment at least ``days`` before it. O(days)."""
        if not working:
            return told_at + days * DAY
        return self._begins(self._counted(self._day_of(told_at), days, _ONE) + _ONE)

    def latest(self, event_at: Millis, days: int, *, working: bool) -> Millis:
        """Return the last moment to announce an event at least ``days`` before it. O(days).

        ``told_at <= latest(event_at)`` exactly if ``event_at >= earliest(told_at)``.
        """
        if not working:
            return event_at - days * DAY
        return self._begins(self._counted(self._day_of(event_at), days, -_ONE)) - 1

    def due(self, since: Millis, days: int, *, working: bool) -> Millis:
        """Return the end of a term of ``days`` that began with an event: the first moment that is too late. O(days)."""
        if not working:
            return since + days * DAY + 1
        return self._begins(self._counted(self._day_of(since), days, _ONE) + _ONE)

    def begins(self, day: str) -> Millis:
        """Return the moment at which a day begins in the zone."""
        return self._begins(date.fromisoformat(day))

    def ends(self, day: str) -> Millis:
        """Return the moment at which a day is over in the zone: the beginning of the next."""
        return self._begins(date.fromisoformat(day) + _ONE)

    def _counted(self, first: date, days: int, step: timedelta) -> date:
        """Return the ``days``-th working day after (before) a day."""
        day = first
        for _ in range(max(1, days)):
            day += step
            while not self.days.is_working(day):
                day += step
        return day

    def _day_of(self, moment: Millis) -> date:
        return datetime.fromtimestamp(moment / SECOND, ZoneInfo(self.zone)).date()

    def _begins(self, day: date) -> Millis:
        return round(datetime.combine(day, time.min, ZoneInfo(self.zone)).timestamp() * SECOND)


class StageName(StrEnum):
    """Stages in their order."""

    SELECTION = "selection"
    QUALIFICATION = "qualification"
    FINAL = "final"
    RESULTS = "results"


ORDER: Final = tuple(StageName)


class Outside(StrEnum):
    """Rule for applications, sessions, finals and assignments outside their stage's days."""

    REFUSE = "refuse"
    OFF_BOARD = "off_board"
    TAKE = "take"


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: its first and last day in the cycle's time zone, as ``2027-03-01``."""

    name: StageName
    first: str
    last: str
    outside: str = Outside.REFUSE.value
    """The rule for other days, an :class:`Outside`."""
    decided: bool = False
    """True for a selection that each team passes by a decision, not by its approval alone."""

    def starts_at(self, calendar: Calendar) -> Millis:
        """Return the moment at which it begins."""
        return calendar.begins(self.first)

    def ends_at(self, calendar: Calendar) -> Millis:
        """Return the moment at which it is over."""
        return calendar.ends(self.last)


# Clause: R 2.28, platform §2 stages, R 4.1
def wrong_stages(stages: Sequence[Stage]) -> Iterator[Reason]:
    """List all faults of stages: an end before its beginning, order, overlaps, no board to keep off."""
    for stage in stages:
        if (stage.name, Outside(stage.outside)) not in _RULES:
            en = tr(
                "{outside} has no meaning here: {why}; write refuse or take",
                outside=stage.outside,
                why=_NO_BOARD[stage.name],
            )
            yield Reason("no_board_to_keep_off", en, {"field": f"stages.{stage.name.value}.outside"})
    for stage in stages:
        if stage.last < stage.first:
            en = tr(
                "the stage {value} ends on {last}, before it begins on {first}",
                value=stage.name.value,
                last=stage.last,
                first=stage.first,
            )
            yield Reason("stage_ends_before_it_begins", en, {"field": f"stages.{stage.name.value}.last"})
    for before, after in pairwise(sorted(stages, key=lambda stage: ORDER.index(stage.name))):
        where = {"field": f"stages.{after.name.value}.first"}
        if after.first < before.first:
            en = tr(
                "the stage {value} begins on {first}, before {value_2} ({first_2})",
                value=after.name.value,
                first=after.first,
                value_2=before.name.value,
                first_2=before.first,
            )
            yield Reason("stages_out_of_order", en, where)
        elif after.first <= before.last:
            en = tr(
                "the stage {value} begins on {first}; {value_2} lasts to {last}",
                value=after.name.value,
                first=after.first,
                value_2=before.name.value,
                last=before.last,
            )
            yield Reason("stages_overlap", en, where)


# Clause: R 3.1, R 4.4, R 6.2, R 6.3, R 7.3, D 7.12
def outside_stage(stages: Sequence[Stage], name: StageName, calendar: Calendar, moment: Millis) -> Stage | None:
    """Return the stage of a name where a moment lies outside its days; None within them, or where it has none.

    To the selection belong applications, to the qualification sessions and submissions over a test set, to the final
    its runs, to the results experts' assignments of a final. Training has no stage. Experts begin when a final is over
    (R 7.10), so the results bound them at the end alone (Decision 0031).
    """
    stage = stage_named(stages, name)
    if stage is None or moment >= stage.ends_at(calendar):
        return stage
    is_early = name is not StageName.RESULTS and moment < stage.starts_at(calendar)
    return stage if is_early else None


_CALLED: Final = {
    StageName.SELECTION: tr("The selection is"),
    StageName.QUALIFICATION: tr("The qualification is"),
    StageName.FINAL: tr("The finals are"),
    StageName.RESULTS: tr("The stage of results is"),
}
_RULES: Final = {
    (StageName.SELECTION, Outside.REFUSE): tr("On other days applications are refused."),
    (StageName.SELECTION, Outside.TAKE): tr("On other days applications are taken as well."),
    (StageName.QUALIFICATION, Outside.REFUSE): tr(
        "On other days test sets are closed: sessions and submissions over them are refused."
    ),
    (StageName.QUALIFICATION, Outside.OFF_BOARD): tr(
        "On other days sessions and submissions over a test set are taken and stay off the board."
    ),
    (StageName.QUALIFICATION, Outside.TAKE): tr(
        "On other days sessions and submissions over a test set are taken and count."
    ),
    (StageName.FINAL, Outside.REFUSE): tr("No final can be planned for another day."),
    (StageName.FINAL, Outside.TAKE): tr("A final may be planned for another day as well."),
    (StageName.RESULTS, Outside.REFUSE): tr(
        "After the last day experts can open no assignment of a final that they have not opened before."
    ),
    (StageName.RESULTS, Outside.TAKE): tr("After the last day experts may open assignments of a final as well."),
}
"""Sentence for each stage's rule for other days; a stage accepts only the rules listed here."""
_NO_BOARD: Final = {
    StageName.SELECTION: tr("an application stands on no board"),
    StageName.FINAL: tr("a final without a board is a trial: plan it as one"),
    StageName.RESULTS: tr("experts' markups stand on no board"),
}


def stage_named(stages: Sequence[Stage], name: StageName) -> Stage | None:
    """Return the stage of a name; None where the cycle names no days of it."""
    return next((stage for stage in stages if stage.name is name), None)


# Clause: R 6.3
def rule_outside(stage: Stage) -> Text:
    """Describe the stage's rule for other days."""
    rule = _RULES[stage.name, Outside(stage.outside)]
    if not stage.decided:
        return rule
    return tr("{rule} Teams pass it by the organizers' decision; before it they open no session.", rule=rule)


# Clause: R 6.3
def rule_of_stage(stage: Stage, first: str = "", last: str = "") -> Text:
    """Describe a stage's days, or the moments in their place, and its rule for other days."""
    name, rule = _CALLED[stage.name], rule_outside(stage)
    if first:
        return tr("{name} from {first} until {last}. {rule}", name=name, first=first, last=last, rule=rule)
    return tr("{name} from {first} to {last}. {rule}", name=name, first=stage.first, last=stage.last, rule=rule)


# Clause: R 6.3
def kept_off_by(stages: Sequence[Stage], calendar: Calendar, moment: Millis) -> Stage | None:
    """Return the stage that keeps a session begun at a moment off the board; a refused session never reaches it."""
    stage = outside_stage(stages, StageName.QUALIFICATION, calendar, moment)
    return stage if stage is not None and stage.outside == Outside.OFF_BOARD else None


# Clause: R 6.3
def described_off_board(stage: Stage) -> dict[str, str]:
    """Describe in a report the rule by which a session or submission is on no board."""
    return {
        "first": stage.first,
        "last": stage.last,
        **tr(
            "Off the board: begun outside the qualification, {first} to {last}. The cycle takes such "
            "results and keeps them off the board.",
            first=stage.first,
            last=stage.last,
        ).as_fields(),
    }


def stage_at(stages: Sequence[Stage], calendar: Calendar, moment: Millis) -> Stage | None:
    """Return the stage in which a moment lies."""
    return next((stage for stage in stages if stage.starts_at(calendar) <= moment < stage.ends_at(calendar)), None)
