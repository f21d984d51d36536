"""Stages of a cycle (R 4.1): selection, qualification, final, results, each from a day to a day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from contest.domain.cycle.working_days import Calendar
from contest.domain.moments import Millis
from tracks.protocol import Reason, Text


class StageName(StrEnum):
    """Stages in their order."""

    SELECTION = "selection"
    QUALIFICATION = "qualification"
    FINAL = "final"
    RESULTS = "results"


ORDER: Final = tuple(StageName)


class Outside(StrEnum):
    """Say how sessions and submissions outside a stage's days are treated."""

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
    """How sessions and submissions over test sets on other days are treated; only the qualification has it."""

    def starts_at(self, calendar: Calendar) -> Millis:
        """When it begins."""
        return calendar.begins(self.first)

    def ends_at(self, calendar: Calendar) -> Millis:
        """When it is over."""
        return calendar.ends(self.last)


def read_stage(stored: Mapping[str, str]) -> Stage:
    """Return a stage as it was stored, by its fields' names."""
    return Stage(StageName(stored["name"]), stored["first"], stored["last"], stored["outside"])


def wrong_stages(stages: Sequence[Stage]) -> Iterator[Reason]:
    """Everything that is wrong with the stages' days: an end before its beginning, order, overlaps.

    Clause: R 2.28, platform §2 stages, R 4.1
    """
    for each in stages:
        if each.last < each.first:
            en = f"the stage {each.name.value} ends on {each.last}, before it begins on {each.first}"
            ru = f"этап {each.name.value} заканчивается {each.last}, раньше своего начала {each.first}"
            yield Reason("stage_ends_before_it_begins", Text(en, ru), {"field": f"stages.{each.name.value}.last"})
    for before, after in pairwise(sorted(stages, key=lambda stage: ORDER.index(stage.name))):
        where = {"field": f"stages.{after.name.value}.first"}
        if after.first < before.first:
            en = f"the stage {after.name.value} begins on {after.first}, before {before.name.value} ({before.first})"
            ru = f"этап {after.name.value} начинается {after.first}, раньше этапа {before.name.value} ({before.first})"
            yield Reason("stages_out_of_order", Text(en, ru), where)
        elif after.first <= before.last:
            en = f"the stage {after.name.value} begins on {after.first}; {before.name.value} lasts to {before.last}"
            ru = f"этап {after.name.value} начинается {after.first}, а этап {before.name.value} длится до {before.last}"
            yield Reason("stages_overlap", Text(en, ru), where)


def outside_qualification(stages: Sequence[Stage], calendar: Calendar, moment: Millis) -> Stage | None:
    """Return the stage of the qualification where a moment lies outside its days; None within it, or without one.

    Sessions and submissions over a test set belong to it; training has no stage (Decision).

    Clause: R 4.4, R 6.2, R 6.3, D 7.12
    """
    stage = qualification(stages)
    if stage is None or stage.starts_at(calendar) <= moment < stage.ends_at(calendar):
        return None
    return stage


_OUTSIDE: Final = {
    Outside.REFUSE: ("are refused", "не принимаются"),
    Outside.OFF_BOARD: ("are taken and stay off the board", "принимаются, но на лидерборд не попадают"),
    Outside.TAKE: ("are taken and count", "принимаются и засчитываются"),
}


def qualification(stages: Sequence[Stage]) -> Stage | None:
    """Return the stage of the qualification; None where the cycle names no days of it."""
    return next((stage for stage in stages if stage.name is StageName.QUALIFICATION), None)


def rule_of_qualification(stage: Stage) -> Text:
    """Tell the qualification's days, and what becomes of sessions and submissions on other days.

    Clause: R 6.3
    """
    en, ru = _OUTSIDE[Outside(stage.outside)]
    return Text(
        f"The qualification is from {stage.first} to {stage.last}; "
        f"sessions and submissions over a test set on other days {en}.",
        f"Квалификация идёт с {stage.first} по {stage.last}; сессии и посылки по тестовой выборке в другие дни {ru}.",
    )


def kept_off_by(stages: Sequence[Stage], calendar: Calendar, moment: Millis) -> Stage | None:
    """Return the stage that keeps what was begun at a moment off the board; what is refused never gets there.

    Clause: R 6.3
    """
    stage = outside_qualification(stages, calendar, moment)
    return stage if stage is not None and stage.outside == Outside.OFF_BOARD else None


def described_off_board(stage: Stage) -> dict[str, str]:
    """Describe in a report the rule by which a session or submission is on no board.

    Clause: R 6.3
    """
    return {
        "first": stage.first,
        "last": stage.last,
        "message": f"Off the board: begun outside the qualification, {stage.first} to {stage.last}. "
        "The cycle takes such results and keeps them off the board.",
        "message_ru": f"Вне лидерборда: начато вне квалификации, которая идёт с {stage.first} по {stage.last}. "
        "По правилу цикла такие результаты принимаются, но на лидерборд не попадают.",
    }


def stage_at(stages: Sequence[Stage], calendar: Calendar, moment: Millis) -> Stage | None:
    """The stage that a moment lies in."""
    return next((each for each in stages if each.starts_at(calendar) <= moment < each.ends_at(calendar)), None)
