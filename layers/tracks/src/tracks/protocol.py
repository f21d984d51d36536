"""The Track Protocol: a contest's description of itself by which it runs on the platform (tracks.md).

A track knows the hand-out, the form of an answer, its validation and scoring, how scores
aggregate, rank and are reported, and which policies hold. The platform knows sessions, times, receipts and
storage, and nothing of essays, diagnoses or images. Everything here is pure: JSON values in, JSON values out,
no clock, no storage.

``Json`` values are what :func:`json.loads` yields; a track never keeps or changes what it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, Final, Protocol, runtime_checkable

from markup_core.lazy import dataclass
from markup_core.rounding import SHARE_PLACES, places_apart
from tracks.rules import USUAL_RUN, BoardRules, Called, Details, ModeRules, Regulated, RunTimes, Signatory
from tracks.rules import Text as Text

Json = Any


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason of a refusal or a remark; ``code`` is stable, ``where`` the place in the input."""

    code: str
    message: Text
    where: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of validating an answer; ``canonical`` is what is stored, hashed and scored if valid."""

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    canonical: Json = None
    kind: str = "answer"
    """Kind of the answer at its step, a key of :attr:`Step.answers`."""

    @property
    def valid(self) -> bool:
        """Return whether the answer is valid."""
        return not self.reasons


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as a text for people; None with the reasons where it could not be written."""

    text: str | None
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """Facts of an item by which the platform chooses and groups it; nothing of its content."""

    item_id: str
    language: str
    group: str


class Missed(Enum):
    """Effect of a missed item on a participant's result.

    With ``WRONG`` it is scored like an answered item, without an answer (:meth:`Track.score`); an outcome without a
    score was then voided, and counts for nobody.
    """

    EXCLUDED = "excluded"
    WRONG = "wrong"


class Quota(Enum):
    """Sessions that a day's quota counts."""

    OPENED = "opened"
    SCORED = "scored"


class Need(Enum):
    """Requirement of a contest's sessions beyond one separately scored answer to each item.

    A platform lists the needs that it can meet; a contest with any other need must not run on it. The values are
    stable.
    """

    MISSED_WRONG = "missed_wrong"
    QUOTA_SCORED = "quota_scored"
    SEVERAL_STEPS = "several_steps"
    STEP_LIMITS = "step_limits"
    """A step has a limit of its own."""
    OWN_SESSIONS = "own_sessions"
    """Sessions of the contest's own kinds: how many items, in which rhythm, when scored."""
    SUBMISSIONS = "submissions"
    """A whole set is answered by one submission."""


@dataclass(frozen=True, slots=True)
class Policies:
    """Rules in which contests differ, as data (platform.md §1). Times in seconds."""

    missed: Missed = Missed.EXCLUDED
    sessions_per_day: int = 20
    sessions_per_day_on: Mapping[str, int] = field(default_factory=dict)
    """Sessions a day over a kind of set that has its own number; they are counted apart from the others."""
    quota: Quota = Quota.OPENED
    submissions_per_day: int = 3
    """Scored submissions a day, in contests with submissions (F-5; tracks-sessions, table of modes)."""
    unscored_per_day: int = 10
    """Submissions a day that were refused or failed by their own fault (F-5, Decision)."""
    sends_per_file: int = 10
    answer_limit_s: tuple[int, int, int] = (10, 60, 60)
    """Shortest, longest and usual time for an answer in a session with the participant's own parameters."""
    run: RunTimes = USUAL_RUN
    """Run times of a final whose cycle sets no others."""
    max_voided_share: float = 0.05
    preliminary: bool = False
    """True if each team sees its own results of a run once they are made, before the board is published (D 6.11)."""
    protocols: Mapping[Signatory, str] = field(default_factory=dict)
    """Signatories of a protocol on a run's results before their publication, each with the clause that asks for it; a
    missing protocol is reported (R 8.3, D 11)."""
    demanded: frozenset[Signatory] = frozenset()
    """Signatories without whose protocol no results are published, unless the cycle says otherwise (D 6.10, 8.14)."""
    ends_at_barrier: bool = False
    """True if a final that overcomes the barrier ends the contest, unless the cycle says otherwise (R 4.8)."""
    restarted_by: str = ""
    """Clause that bases a restart on both sides' protocols of a mass failure; empty: no such clause (R 7.16.1)."""
    readiness: bool = True
    """True if a session's report has a conclusion on the program's readiness (R 6.5.4, 6.7.4)."""
    further: frozenset[Need] = frozenset()
    """Needs that follow neither from the other policies nor from the steps."""


@dataclass(frozen=True, slots=True)
class Step:
    """One state of an item's dialogue: ``answers`` maps the kind of a valid answer to the next state, None: the end.

    An essay has a single step; a diagnosis goes v3 → v2, or preliminary → studies → final. ``limit_s`` bounds the
    step from its beginning, where the step has a limit of its own.

    A ``scheduled`` step is a publication of its own: it opens at its time whether or not the one before was answered,
    it has the session's whole time for an answer, and until that is over a later valid answer replaces an earlier
    one. Any other step but the first begins with the answer that leads to it and runs on in the time of the
    publication before it. ``unanswered`` is the step that follows when that time is over, None: the end.
    """

    name: str
    answers: Mapping[str, str | None]
    limit_s: int | None = None
    scheduled: bool = False
    unanswered: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One valid answer in an item's dialogue, in canonical form, and its time after the publication in milliseconds."""

    step: str
    kind: str
    answer: Json
    after_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """An item's fate in a session, for aggregation; ``score`` is None if unscored, unanswered or voided."""

    item: ItemFacts
    answered: bool
    score: Json | None


@dataclass(frozen=True, slots=True)
class Standing:
    """A participant's aggregate on a board."""

    team: str
    aggregate: Json


@dataclass(frozen=True, slots=True)
class Place:
    """A rank on a board; equal results share it."""

    team: str
    place: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A column whose values are compared with others of their row; all fields are column indices, from 0.

    ``barrier``: the value to reach. ``bound``: the lower end of the value's confidence interval, which decides if there
    is one.
    """

    value: int
    barrier: int
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """One table of a report: a title, column titles and rows of JSON scalars (None = undefined).

    The other fields are column indices, from 0, of the values that charts draw. ``shares``: values from 0 to 1.
    ``judged``: values with their barriers. ``matrix``: true positives, false negatives, false positives,
    true negatives, in this order. ``least_places`` is no index: the least number of decimals shown of a fraction.
    """

    key: str
    title: Text
    columns: tuple[Text, ...]
    rows: tuple[tuple[Json, ...], ...]
    shares: tuple[int, ...] = ()
    judged: tuple[Judged, ...] = ()
    matrix: tuple[int, int, int, int] | None = None
    least_places: int = SHARE_PLACES

    def places(self) -> tuple[int, ...]:
        """Return each column's decimals: more than the least if a judged value needs them to show its barrier's side.

        O(columns · rows).
        """
        decimals = [self.least_places] * len(self.columns)
        for judged in self.judged:
            for column in (judged.value, judged.value if judged.bound is None else judged.bound):
                for row in self.rows:
                    if isinstance(row[column], float):
                        decimals[column] = places_apart([row[column]], [row[judged.barrier]], decimals[column])
        return tuple(decimals)


@dataclass(frozen=True, slots=True)
class LongSection:
    """A table for people whose rows are computed at each reading and not held in memory."""

    title: Text
    columns: tuple[Text, ...]
    make: Callable[[], Iterator[tuple[Json, ...]]]
    least_places: int = SHARE_PLACES

    @property
    def rows(self) -> Iterator[tuple[Json, ...]]:
        """Return the rows, computed anew."""
        return self.make()

    def places(self) -> tuple[int, ...]:
        """Return each column's decimals."""
        return (self.least_places,) * len(self.columns)


_IN_BOTH: Final = re.compile(r"(?P<en>[^·]*[A-Za-z][^·]*) · (?P<ru>[^·]*[А-Яа-яЁё][^·]*)")


def in_language(cell: Json, language: str) -> Json:
    """Return a section's cell in one language; ``STAR · СТАР`` names one thing in both."""
    both = _IN_BOTH.fullmatch(cell) if isinstance(cell, str) and " · " in cell else None
    return cell if both is None else both[language]


def in_both(en: str, ru: str) -> str:
    """Return a cell that names one thing in both languages, as :func:`in_language` reads it."""
    return en if en == ru else f"{en} · {ru}"


ANYTHING: Final = True
"""Schema of a value that the contest does not describe."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """JSON Schemas (2020-12) of a track's values, for the API's documentation.

    ``named`` are its models by name, to which the others refer by ``#/$defs/NAME``. A value without a schema
    may be anything.
    """

    named: Mapping[str, Json] = field(default_factory=dict)
    content: Json = ANYTHING
    """An item's content as handed out (:meth:`Track.hand_out`)."""
    answer: Json = ANYTHING
    """An answer as a participant may send it."""
    canonical: Json = ANYTHING
    """An answer in its canonical form."""
    reference: Json = ANYTHING
    score: Json = ANYTHING
    aggregate: Json = ANYTHING
    parameters: Json = ANYTHING
    """Completed parameters of a cycle (:meth:`Track.read_parameters`)."""
    classifier: Json = ANYTHING
    comparison: Json = ANYTHING
    response: Json = ANYTHING
    """Response to a turn (:meth:`Track.respond`)."""
    measures: Json = None
    """Measures shown of a hidden file (:class:`tracks.capabilities.MeasuresFiles`); None: nothing is shown."""

    @property
    def file_score(self) -> Json:
        """Return the schema of a file's result for a team: the score record, or the measures of a hidden file."""
        return self.score if self.measures is None else {"anyOf": [self.score, self.measures]}


@runtime_checkable
class Track(Regulated, Protocol):
    """One kind of contest. Implementations are stateless and safe to share."""

    @property
    def name(self) -> str:
        """Identifier in cycle files, receipts and records."""

    @property
    def version(self) -> str:
        """Version of the scoring code; part of every score's key."""

    @property
    def items_called(self) -> Called:
        """People's words for the contest's items."""

    @property
    def whole_texts(self) -> bool:
        """Return whether an item is a whole text, which nobody writes twice: the same text in two sets is a leak."""

    @property
    def open_tests(self) -> bool:
        """Return whether participants may have a whole test set, without its references (tracks-sessions T12)."""

    def policies(self, mode: str) -> Policies:
        """Return the policies of sessions of this mode (``algorithmic``, ``technical``, ``final`` …)."""

    def modes(self) -> tuple[ModeRules, ...]:
        """Return the contest's kinds of sessions."""

    def details(self, set_kind: str) -> Details:
        """Return how detailed results over a set of this kind (``training``, ``test``, ``final``) may be."""

    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        """Reduce the aggregate of these outcomes to totals for a hidden set: no item, no group of fewer than
        :data:`~tracks.rules.LEAST_TOLD` items."""

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        """Return the states of an item's dialogue under these parameters; every item starts at the first one."""

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """Complete and check a cycle's scoring parameters; reasons if they are unusable."""

    def classifier(self, parameters: Json) -> Json:
        """Return the classifier of answers under these parameters: codes, each in both languages.

        A JSON object; lists that a contest does not fix beforehand are null.
        """

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an item of a data set at import; None exactly when there are reasons."""

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check a reference (an expert's markup, a gold answer) of an item at import."""

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the texts by which the item is recognised in another set: one, or one for each of its versions."""

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return the item as a participant gets it under its opaque name: nothing else of it may leak."""

    def schemas(self) -> Schemas:
        """Return JSON Schemas of answers and of the other methods' results, for the API's documentation."""

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge an answer as received. Never raises on bad input; lists every fault."""

    def read_text(self, body: bytes, parameters: Json) -> Verdict:
        """Read an answer from a text in the contest's notation for people, for any item. Never raises on bad input.

        ``canonical`` is there whenever the text could be read, even with reasons against it; reasons of a text that
        could not be read say line and column.
        """

    def write_text(self, body: bytes, parameters: Json) -> Written:
        """Write an answer, as it would be sent, as a text in the notation. Never raises on bad input."""

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        """Return the response to an item's last turn besides its receipt (a study's files); None if there is none."""

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Compute the score record of one item: numbers, parts and the fingerprint by which anybody recomputes it.

        ``answer`` is the canonical answer that counts; of an item with more than one step all turns, as a list of
        ``{"step", "kind", "answer"}``, with ``after_ms`` where it is known, in their order. Without any answer it is
        None, or no turns; only a track whose policy counts a missed item as wrong is asked then.
        """

    def compare(self, item: Json, x: Json, y: Json, parameters: Json, *, x_is_reference: bool) -> Json:
        """Compare two of an item's answers and references for people: common parts, and terms of X's score against Y.

        None where the contest has nothing to say of it beyond the score.
        """

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Aggregate a session's outcomes; must not depend on their order."""

    def boards(self) -> tuple[BoardRules, ...]:
        """Return the contest's boards, its main one first."""

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Return the value on a board of an aggregate or its totals; None if it is undefined."""

    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Check whether a result overcomes a board's barrier; None if it is undefined or the board has none."""

    def rank(self, standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
        """Rank results on a board (no name: the main one), best first; ties share a place; undefined ones come last."""

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Build the tables of a session's report."""


def mode_named(track: Track, name: str) -> ModeRules | None:
    """Return the track's kind of session of this name; None if it has none."""
    return next((rules for rules in track.modes() if rules.name == name and not rules.submitted), None)


def needs(policies: Policies, steps: Sequence[Step]) -> frozenset[Need]:
    """Return the needs of sessions under these policies, with items of these steps, that the platform must meet."""
    needed = {
        Need.MISSED_WRONG: policies.missed is Missed.WRONG,
        Need.QUOTA_SCORED: policies.quota is Quota.SCORED,
        Need.SEVERAL_STEPS: len(steps) > 1,
        Need.STEP_LIMITS: any(step.limit_s is not None for step in steps),
    }
    return policies.further | {need for need, is_needed in needed.items() if is_needed}


def step_after(steps: Sequence[Step], step: str, kind: str) -> str | None:
    """Return the step after ``step`` for a valid answer of this kind; None at the dialogue's end.

    Raises LookupError for a step that is not there and for a kind that the step does not take.
    """
    for state in steps:
        if state.name == step:
            if kind not in state.answers:
                raise LookupError(f"the step {step!r} takes {', '.join(sorted(state.answers))}, not {kind!r}")
            return state.answers[kind]
    raise LookupError(f"there is no step {step!r}")


# Clause: TS T2
def publications(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the steps at which content of an item is handed out: the first one, and every other scheduled one."""
    return tuple(step.name for place, step in enumerate(steps) if place == 0 or step.scheduled)


# Clause: TS T2
def is_dialogue(steps: Sequence[Step], publication: str) -> bool:
    """Check whether an answer at this publication may lead to another one before the next publication.

    Then every valid answer is a turn, and final. Where it is one answer, a later one replaces it while there is time.
    """
    by_name = {step.name: step for step in steps}
    after = (by_name[name] for name in by_name[publication].answers.values() if name is not None)
    return any(not step.scheduled for step in after)


def dialogue_steps(steps: Sequence[Step], publication: str) -> tuple[str, ...]:
    """Return the steps that answers at this publication may lead to before the next one, itself first."""
    by_name, later = {step.name: step for step in steps}, publications(steps)
    reached: dict[str, None] = {}
    ahead = [publication]
    while ahead:
        step = ahead.pop(0)
        reached[step] = None
        ahead += [name for name in by_name[step].answers.values() if name and name not in reached and name not in later]
    return tuple(reached)


def step_now(steps: Sequence[Step], publication: str, kinds: Iterable[str]) -> str | None:
    """Return the current step of a publication's dialogue after valid answers of these kinds; None at its end.

    Raises LookupError for kinds that the steps do not take.
    """
    scheduled = {state.name for state in steps if state.scheduled}
    step: str | None = publication
    for kind in kinds:
        if step is None:
            raise LookupError(f"the dialogue was over before an answer of the kind {kind!r}")
        step = step_after(steps, step, kind)
        if step in scheduled:
            step = None
    return step


def taken_at(steps: Sequence[Step], step: str | None) -> tuple[str, ...]:
    """Return the kinds of answers that a step takes; none at a dialogue's end."""
    return next((tuple(sorted(state.answers)) for state in steps if state.name == step), ())


def limit_of(steps: Sequence[Step], step: str | None) -> int | None:
    """Return the seconds that a step lasts from its beginning; None if it has no limit of its own."""
    return next((state.limit_s for state in steps if state.name == step), None)
