"""A contest's sessions, boards, hidden sets and notice periods, as data (tracks-sessions T6, T9, T10, T17).

Notice periods say how long ahead a contest announces its steps, and how soon it meets its obligations (T17). A track
lists its own; the effect of a period on a calendar is the platform's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from enum import Enum, StrEnum
from typing import Final, Protocol

from markup_core.lazy import dataclass
from markup_core.rounding import PERCENT_PLACES, SHARE_PLACES, places_apart
from markup_core.texts import Text as Text


class Occasion(Enum):
    """Subject of a notice period. The values are stable."""

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
    """A track's notice periods and set sizes by its regulation; a part of the Track Protocol."""

    def notice_periods(self) -> tuple[NoticePeriod, ...]:
        """Return the notice periods of changes and runs in the contest's regulation; none if it names none."""

    def least_sets(self) -> Mapping[str, int]:
        """Return the least sizes of a real cycle's sets, by their kind (``training``, ``test``, ``final`` …), or by
        their kind and the step with which their items begin (``final:v3``)."""


def periods_for(periods: Sequence[NoticePeriod], occasion: Occasion, mode: str = "") -> tuple[NoticePeriod, ...]:
    """Return an occasion's periods; for a run those of its mode."""
    return tuple(
        period for period in periods if period.occasion is occasion and (not period.modes or mode in period.modes)
    )


LEAST_TOLD: Final = 10
"""So many items a group has at least whose result is told where only totals are (tracks-sessions T10, Decision)."""


# Clause: TS T10
def told_groups(sizes: Mapping[str, int]) -> frozenset[str]:
    """Return the parts of a whole that may be told beside it: of ten items and more, and so that those left out are
    together ten and more, or none: their total follows from the rest. **Decision**: the smallest told ones go with
    them."""
    large = sorted((name for name in sizes if sizes[name] >= LEAST_TOLD), key=lambda name: (sizes[name], name))
    left_out = sum(size for name, size in sizes.items() if size < LEAST_TOLD)
    while large and 0 < left_out < LEAST_TOLD:
        left_out += sizes[large.pop(0)]
    return frozenset(large)


# Clause: TS T10
def told_labels(
    references: Mapping[str | None, AbstractSet[int]], *sides: Mapping[str | None, AbstractSet[int]]
) -> frozenset[str]:
    """Return the labels that may be told beside a whole, by the items in which references and sides have them.

    Of ten items and more the references have it, and of none or of ten and more each of ``sides`` has: what answers
    name, and both within a language, whose totals are told, too. So it is with all labels together that are left out,
    what has no label (None) among them, since their total follows from the rest. An item may have several.
    **Decision**: a label of no reference is left out as one of nine is: else its absence would tell them apart. The
    least frequent told ones go with those that are left out.
    """
    every = (references, *sides)
    large = [name for name in references if name is not None and len(references[name]) >= LEAST_TOLD]
    labels = sorted(
        (name for name in large if not any(_few(side.get(name, ())) for side in sides)),
        key=lambda name: (len(references[name]), name),
    )
    while labels and any(
        _few(frozenset().union(*(items for name, items in side.items() if name not in labels))) for side in every
    ):
        labels.pop(0)
    return frozenset(labels)


def _few(items: Collection[int]) -> bool:
    return 0 < len(items) < LEAST_TOLD


@dataclass(frozen=True, slots=True)
class Called:
    """A contest's words for an item and for items, for headings and lists: in the nominative, without a capital.

    **Decision**: sentences that need another case, or a number with its form, are worded without the noun: no list of
    forms would do for every language.
    """

    one: Text
    many: Text


class Told(Enum):
    """Time at which a closed session's results are told (tracks-sessions T6)."""

    AT_THE_END = "at_the_end"
    AT_NOON_AND_MIDNIGHT = "at_noon_and_midnight"
    """At the next 00:00 or 12:00 of the cycle's time zone."""
    NEVER = "never"
    """There are none: nothing is scored."""


@dataclass(frozen=True, slots=True)
class ModeRules:
    """One kind of a contest's sessions, as data (tracks-sessions T6): a program's choices and its items.

    ``counts`` is the choice by which a program says how much it wants: so many items, or, where it is not ``files``,
    so many groups of items, of the set's groups by whatever name the contest gives them. A session has at most
    ``most`` of them; ``usual`` without a word, all that it may have where that is None.
    """

    name: str
    counts: str = "files"
    most: int = 1000
    usual: int | None = None
    most_from: tuple[tuple[str, int], ...] = ()
    """By the step with which a set's items begin, where it is another number than ``most``: then all of it is usual."""
    per_group: int | None = None
    """Of a group drawn so many items; None: all of them."""
    submitted: str = ""
    """``answers`` or ``program``: it is no session, a whole set is answered by one file of this kind (T13)."""
    sets: tuple[str, ...] = ()
    """Kinds of set (``training``, ``test``) that its sessions may draw from; empty: whatever participants may have."""
    in_run: bool = False
    """Whether its sessions take part in a run, which has chosen everything."""
    told_at: Told = Told.AT_THE_END
    told_of_steps: Told | None = None
    """The same of sessions whose files open by a schedule of their own, where it differs."""

    @property
    def draws_groups(self) -> bool:
        """Whether a session draws whole groups of items."""
        return self.counts != "files"

    def over(self, step: str) -> ModeRules:
        """Return the rules of sessions over a set whose items begin with this step."""
        most = dict(self.most_from).get(step)
        return self if most is None else replace(self, most=most, usual=None)


@dataclass(frozen=True, slots=True)
class ReplayRules:
    """Rules of the review of a run's programs by people, item by item (tracks-sessions D-10).

    In a round everybody is shown the same item, each with one program's work on it. ``questions`` are answered by yes
    or no, by their keys; the time for it counts from the round's opening.
    """

    fewest_programs: int
    most_programs: int
    people: int
    fewest_rounds: int
    most_rounds: int
    limit_s: int
    questions: tuple[tuple[str, Text], ...]


class LateJoin(StrEnum):
    """Admission to a run after its joining time (tracks-sessions D-3)."""

    UNTIL_END = "until_end"
    """Everybody, as long as anything can still be asked for."""
    BY_DECISION = "by_decision"
    """Whom the organizers admit, team by team."""
    REFUSED = "refused"


class Signatory(StrEnum):
    """Signatory of a protocol about a run (R 8.3, D 11)."""

    JUDGES = "judges"
    COMMISSION = "commission"


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Usual times of a run, in seconds (tracks-sessions T8): between two openings; to ask for a file from its opening;
    to answer from the hand-out, and from the opening; to join from the start, and who may afterwards.
    ``most_replaced``: so many of its items reserve ones may replace (D 8.12)."""

    interval_s: int = 60
    request_s: int = 10
    answer_s: int = 50
    total_s: int = 60
    join_s: int = 120
    late_join: LateJoin = LateJoin.REFUSED
    most_replaced: int = 100


USUAL_RUN: Final = RunTimes()
"""Of a contest that says nothing else (R 7.5, R-App2)."""


class Details(Enum):
    """Detail in which a session's results over a kind of set are told (tracks-sessions T10)."""

    FILES = "files"
    MEASURES = "measures"
    """Of each file its measures in whole per cent, of ten files and more their totals, and nothing else."""
    TOTALS = "totals"
    """Totals, and nothing of a single item."""


class Unit(Enum):
    """Unit of a board's value as people see it."""

    PERCENT = "percent"
    """Of a hundred."""
    SHARE = "share"
    """From 0 to 1."""
    POINTS = "points"

    @property
    def places(self) -> int:
        """Decimals that people are shown at least."""
        return PERCENT_PLACES if self is Unit.PERCENT else SHARE_PLACES


@dataclass(frozen=True, slots=True)
class BoardRules:
    """One of a contest's boards, as data (tracks-sessions T9): its value, and the sessions left out.

    A session that answered less than ``least_share`` of the set's items is not on it. ``levels`` are rows
    beside the programs', with their values: people's.
    """

    key: str
    title: Text
    measure: Text
    unit: Unit = Unit.PERCENT
    least_share: float = 0.0
    whole_set: bool = False
    """Whether a session must have drawn all of the set, or of its part in the board's language."""
    barrier: float | None = None
    """The value from which, or above which, the barrier is overcome; None where no single value says it."""
    levels: tuple[tuple[Text, float], ...] = ()
    compared_places: int | None = None
    """To how many decimals values are rounded before they are compared, and so shown; None: they are not rounded."""
    joins_runs: bool = False
    """Whether it is of two runs, one of which continues the other, counted together
    (:class:`tracks.capabilities.JoinsRuns`); a run that continues none is not on it."""

    def places(self, values: Iterable[float | None] = ()) -> int:
        """Return the decimals of the board's values: as many as decide places among them, and on
        which side of the barrier and of people's levels each lies."""
        if self.compared_places is not None:
            return self.compared_places
        limits = (self.barrier, *(level for _, level in self.levels))
        return places_apart(values, limits, self.unit.places)
