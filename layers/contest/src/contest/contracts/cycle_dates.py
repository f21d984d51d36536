"""The days that ``cycle.json`` names: stages, which days are worked on, and how many make a notice period."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field

from contest.contracts.file_parts import FilePart, undecided
from contest.domain.cycle.stages import ORDER, Stage, wrong_stages
from contest.domain.cycle.working_days import WEEKDAYS, WorkingDays
from tracks.protocol import Reason, Text
from tracks.rules import Occasion

_MOST_DAYS: Final = 1000
"""Days that a calendar names at most: three decades of holidays."""


def _real_day(text: str) -> str:
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError(text)
    return text


def _once(days: list[str]) -> list[str]:
    if len(set(days)) < len(days):
        raise ValueError(days)
    return days


Day = Annotated[
    str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="A day, 2027-03-01"), AfterValidator(_real_day)
]
Days = Annotated[list[Day], Field(max_length=_MOST_DAYS), AfterValidator(_once)]


class StagePart(FilePart):
    """A stage's days in the cycle's time zone, both included, and what becomes of what is sent outside them."""

    first: Day
    last: Day
    outside: Literal["refuse", "off_board", "take"] = Field(
        default="refuse",
        description="Outside the days: refused, in the qualification kept off the board as well, or taken",
    )


def _stage(description: str) -> Any:
    return Field(default=None, description=description, json_schema_extra=undecided)


class StagesPart(FilePart):
    """When the cycle's stages are (R 2.28, 4.1), in this order and apart."""

    selection: StagePart = _stage("Applications and admission of teams")
    qualification: StagePart = _stage("Algorithmic and technical qualification")
    final: StagePart = _stage("Final trials")
    results: StagePart = _stage("Experts' markups, results")

    def made(self) -> tuple[Stage, ...]:
        """The stages there are, in their order."""
        named = ((name, getattr(self, name.value)) for name in ORDER if name.value in self.model_fields_set)
        return tuple(Stage(name, part.first, part.last, part.outside) for name, part in named)


Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class WorkingDaysPart(FilePart):
    """Which days are working days, by which notice periods are counted."""

    weekend: Annotated[list[Weekday], Field(max_length=6), AfterValidator(_once)] = Field(
        default=["saturday", "sunday"], description="Free every week"
    )
    holidays: Days = Field(default=[], description="Free whatever their weekday")
    working_weekends: Days = Field(default=[], description="Days of a weekend that are worked on all the same")

    def made(self) -> WorkingDays:
        """The calendar's days."""
        weekend = tuple(sorted(WEEKDAYS.index(each) for each in self.weekend))
        return WorkingDays(weekend, tuple(sorted(self.holidays)), tuple(sorted(self.working_weekends)))


Notices = dict[Annotated[Occasion, Field(strict=False)], Annotated[int, Field(ge=0, le=_MOST_DAYS)]]
"""Days of notice periods by what they are about."""


def wrong_days(stages: StagesPart, days: WorkingDaysPart) -> Iterator[Reason]:
    """Everything that is wrong with the days together that each of them does not show."""
    yield from wrong_stages(stages.made())
    free = {WEEKDAYS.index(each) for each in days.weekend}
    for each in days.working_weekends:
        if each in days.holidays:
            said = Text(f"{each} is a holiday and a working day", f"{each} — и праздник, и рабочий день")
            yield Reason("free_and_working", said, {"field": "working_days.working_weekends"})
        elif date.fromisoformat(each).weekday() not in free:
            said = Text(f"{each} is on no weekend: it is worked on anyway", f"{each} — не выходной, день и так рабочий")
            yield Reason("not_on_a_weekend", said, {"field": "working_days.working_weekends"})
