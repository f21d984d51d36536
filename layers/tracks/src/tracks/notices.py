"""How long ahead a contest tells of what it does, and how soon it does what it owes: notice periods as data (T17).

A track lists its own; what a period means for a calendar is the platform's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Occasion(Enum):
    """What a notice period is about. The values are stable."""

    PARAMETERS = "parameters"
    """From the announcement of a change of parameters until it takes effect."""
    SETS = "sets"
    """From a change of a training or test set until the next final."""
    MODULES = "modules"
    """From a change of the common modules until the next final."""
    SCHEDULE = "schedule"
    """From the announcement of a run until its start."""
    TRIAL = "trial"
    """The same of a trial run."""
    RESTART = "restart"
    """The same of a run that replaces another."""
    NEW_DATE = "new_date"
    """From the end of a run that was stopped until the start of the one in its place, at most."""
    MARKUPS = "markups"
    """From the end of a final until the experts' markups are complete, at most."""
    OWN_REPORTS = "own_reports"
    """From the end of a run until every team has its own report, at most."""
    RESULTS = "results"
    """From the last markup of a final until its results are published, at most."""


WITHIN = frozenset({Occasion.NEW_DATE, Occasion.MARKUPS, Occasion.OWN_REPORTS, Occasion.RESULTS})
"""Occasions whose period is the longest one; that of the others is the shortest."""


@dataclass(frozen=True, slots=True)
class NoticePeriod:
    """One period in days, working days where ``working``, and the regulation's clause that asks for it.

    ``modes``: of runs of these modes alone; empty: of all. ``before_event``: a change of parameters is told of so long
    before the run or stage that it affects, and not only before it takes effect.
    """

    occasion: Occasion
    days: int
    clause: str
    working: bool = False
    modes: frozenset[str] = frozenset()
    before_event: bool = False


class Regulated(Protocol):
    """What a track says of its regulation's terms and sizes; a part of the Track Protocol."""

    def notice_periods(self) -> tuple[NoticePeriod, ...]:
        """How long ahead the contest's regulation tells of changes and runs; none where it says nothing of it."""

    def least_sets(self) -> Mapping[str, int]:
        """How many items a real cycle's sets have at least, by their kind (``training``, ``test``, ``final`` …), or by
        their kind and the step with which their items begin (``final:v3``)."""


def periods_for(periods: Sequence[NoticePeriod], occasion: Occasion, mode: str = "") -> tuple[NoticePeriod, ...]:
    """The periods of an occasion, in a run those of its mode."""
    return tuple(each for each in periods if each.occasion is occasion and (not each.modes or mode in each.modes))
