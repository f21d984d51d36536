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
    """From the announcement of a trial run until its start."""
    RESTART = "restart"
    """From the announcement of a run that replaces another until its start."""
    NEW_DATE = "new_date"
    """From the end of a run that was stopped until the start of the one in its place, at most."""
    MARKUPS = "markups"
    """From the end of a final until the experts' markups are complete, at most."""
    OWN_REPORTS = "own_reports"
    """From the end of a run until every team has its own report, at most."""
    RESULTS = "results"
    """From the last markup of a final until its results are published, at most."""


@dataclass(frozen=True, slots=True)
class NoticePeriod:
    """One period in days, working days where ``working``, and the regulation's clause that asks for it.

    ``modes``: of runs of these modes alone; empty: of all. ``before_event``: a change of parameters is announced so
    long before the run or stage that it affects, and not only before it takes effect.
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
"""Least number of items in a group whose result is shown where only totals are (tracks-sessions T10, Decision)."""


# Clause: TS T10
def told_groups(sizes: Mapping[str, int]) -> frozenset[str]:
    """Return the groups whose results may be shown beside the total: each of ten items or more. All omitted groups
    have together ten items or more, or none, since their total follows from the rest. **Decision**: otherwise the
    smallest of the large groups are omitted, too."""
    large = sorted((name for name in sizes if sizes[name] >= LEAST_TOLD), key=lambda name: (sizes[name], name))
    left_out = sum(size for name, size in sizes.items() if size < LEAST_TOLD)
    while large and 0 < left_out < LEAST_TOLD:
        left_out += sizes[large.pop(0)]
    return frozenset(large)


# Clause: TS T10
def told_labels(
    references: Mapping[str | None, AbstractSet[int]], *sides: Mapping[str | None, AbstractSet[int]]
) -> frozenset[str]:
    """Return the labels whose results may be shown beside the total, by their items in references and sides.

    Ten items or more of the references have such a label, and none, or ten or more, of each of ``sides``: of the
    answers, and of both within a language, whose totals are shown, too. The same holds for all omitted labels together,
    with the items without a label (None), since their total follows from the rest. An item may have several labels.
    **Decision**: a label of no reference is omitted like one of nine: else its absence would tell the two apart. If
    the omitted labels are too few, the least frequent of the others are omitted, too.
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
    """Time at which a closed session's results are shown (tracks-sessions T6)."""

    AT_THE_END = "at_the_end"
    AT_NOON_AND_MIDNIGHT = "at_noon_and_midnight"
    """At the next 00:00 or 12:00 of the cycle's time zone."""
    NEVER = "never"
    """No results: nothing is scored."""


@dataclass(frozen=True, slots=True)
class ModeRules:
    """One kind of a contest's sessions, as data (tracks-sessions T6): a program's choices and its items.

    ``counts`` names the choice by which a program sets the size of a session: the number of items (``files``), or else
    of the set's groups of items, under the contest's own name for groups. A session has at most ``most`` of them;
    without that choice it has ``usual``, or as many as it may have if ``usual`` is None.
    """

    name: str
    counts: str = "files"
    most: int = 1000
    usual: int | None = None
    most_from: tuple[tuple[str, int], ...] = ()
    """Limits in place of ``most``, by the first step of a set's items; ``usual`` is then the whole limit."""
    per_group: int | None = None
    """Number of items drawn from each drawn group; None: all of them."""
    submitted: str = ""
    """Kind of file, ``answers`` or ``program``, that answers a whole set (T13); empty: the mode has sessions."""
    sets: tuple[str, ...] = ()
    """Kinds of set (``training``, ``test``) that its sessions may draw from; empty: every set open to participants."""
    in_run: bool = False
    """True if the mode's sessions take part in a run, which fixes every choice."""
    told_at: Told = Told.AT_THE_END
    told_of_steps: Told | None = None
    """Value of ``told_at`` for sessions whose files open on a schedule of their own; None: the same."""

    @property
    def draws_groups(self) -> bool:
        """Return whether a session draws groups of items, not single items."""
        return self.counts != "files"

    def over(self, step: str) -> ModeRules:
        """Return the rules of sessions over a set whose items begin with this step."""
        most = dict(self.most_from).get(step)
        return self if most is None else replace(self, most=most, usual=None)


@dataclass(frozen=True, slots=True)
class ReplayRules:
    """Rules of the review of a run's programs by people, item by item (tracks-sessions D-10).

    In a round all reviewers see the same item, each with one program's work on it. ``questions``: keys and yes-or-no
    questions. ``limit_s``: time to answer them from the round's opening, in seconds.
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
    """Every team may join as long as a file can still be requested."""
    BY_DECISION = "by_decision"
    """A team may join if the organizers admit it."""
    REFUSED = "refused"


class Signatory(StrEnum):
    """Signatory of a protocol about a run (R 8.3, D 11)."""

    JUDGES = "judges"
    COMMISSION = "commission"


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Usual times of a run, in seconds (tracks-sessions T8): interval between two openings; time to request a file from
    its opening, to answer from the hand-out and from the opening, and to join from the start. ``late_join``: admission
    afterwards. ``most_replaced``: most items of the run that reserve items may replace (D 8.12)."""

    interval_s: int = 60
    request_s: int = 10
    answer_s: int = 50
    total_s: int = 60
    join_s: int = 120
    late_join: LateJoin = LateJoin.REFUSED
    most_replaced: int = 100


USUAL_RUN: Final = RunTimes()
"""Run times of a contest that sets no others (R 7.5, R-App2)."""


class Details(Enum):
    """Detail in which a session's results over a kind of set are shown (tracks-sessions T10)."""

    FILES = "files"
    MEASURES = "measures"
    """Each file's measures in whole per cent, totals of ten files or more, and nothing else."""
    TOTALS = "totals"
    """Totals, with no result of a single item."""


class Unit(Enum):
    """Unit of a board's value as people see it."""

    PERCENT = "percent"
    """Per cent: 100 is the whole."""
    SHARE = "share"
    """Fraction from 0 to 1."""
    POINTS = "points"

    @property
    def places(self) -> int:
        """Return the least number of decimals shown to people."""
        return PERCENT_PLACES if self is Unit.PERCENT else SHARE_PLACES


@dataclass(frozen=True, slots=True)
class BoardRules:
    """One of a contest's boards, as data (tracks-sessions T9): its value, and the sessions left out.

    A session that answered less than ``least_share`` of the set's items is not on it. ``levels`` are rows with
    people's values, beside the rows of programs.
    """

    key: str
    title: Text
    measure: Text
    unit: Unit = Unit.PERCENT
    least_share: float = 0.0
    whole_set: bool = False
    """True if a session must have drawn the whole set, or all of the set in the board's language."""
    barrier: float | None = None
    """Value at which, or above which, the barrier is overcome; None if no single value decides."""
    levels: tuple[tuple[Text, float], ...] = ()
    compared_places: int | None = None
    """Decimals to which values are rounded before comparison, and then shown; None: values are not rounded."""
    joins_runs: bool = False
    """True if the board counts a run together with the run that it continues
    (:class:`tracks.capabilities.JoinsRuns`); a run that continues none is not on the board."""

    def places(self, values: Iterable[float | None] = ()) -> int:
        """Return the decimals of the board's values: as many as decide places among them, and on
        which side of the barrier and of people's levels each lies."""
        if self.compared_places is not None:
            return self.compared_places
        limits = (self.barrier, *(level for _, level in self.levels))
        return places_apart(values, limits, self.unit.places)
