"""Annotation projects and assignments (R 7.10, platform §5); the replay of stage 2 (D 9.10.7, 9.10.8).

Facts are stored and conclusions drawn: an opened assignment whose time is over has expired for every reader, whether
or not the timer has recorded it.

Suggestions (pre-annotation) draw an expert towards a program. Where a barrier rests on the experts' annotations, on the
files of a final and on a test set, nobody gets any: the barrier would measure the program against itself (0052).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from math import fsum
from statistics import median
from typing import Any, Final

from contest.cycle.rules.cycle import SetKind
from contest.experts.rules.sharing_out import (
    INDEPENDENT,
    AssignmentEndedError,
    AssignmentNotOpenedError,
    MarkupNotValidError,
    RevisionConflictError,
    SavedTooOftenError,
    Want,
)
from contest.refusals import RefusedError
from contest.texts import tr
from contest.values import SECOND, Millis, seconds_until
from markup_core.bootstrap import Interval, bounded_mean_interval
from markup_core.lazy import dataclass


class AssignmentState(StrEnum):
    """State of an assignment; all but the first two end it, and only an extension undoes that."""

    ASSIGNED = "assigned"
    OPENED = "opened"
    """The expert sees the text and the time runs."""
    HANDED_IN = "handed_in"
    EXPIRED = "expired"
    """The time was over first; the last valid draft, if there is one, is the markup."""
    HANDED_BACK = "handed_back"
    """The expert does not want to, or must not, mark it up."""
    REASSIGNED = "reassigned"
    """The coordinator gave the essay to somebody else."""
    RELEASED = "released"
    """The coordinator took it away and gave it to nobody yet."""


UNDER_WAY: Final = frozenset({AssignmentState.ASSIGNED, AssignmentState.OPENED})
_NOTED: Final = frozenset({AssignmentState.OPENED, AssignmentState.HANDED_IN, AssignmentState.EXPIRED})


@dataclass(frozen=True, slots=True)
class Draft:
    """One saved version; none is ever changed or forgotten. ``content_sha256`` is of the bytes as they were sent."""

    revision: int
    content_sha256: str
    saved_at: Millis
    is_valid: bool


@dataclass(frozen=True, slots=True)
class Suggested:
    """Suggestions that an expert sees while annotating: their source, and the stored markup that has them.

    ``kept``: how many of the ``fragments`` the expert's annotation has at the same place under the same code; None
    while there is none.
    """

    source: str
    content_sha256: str
    fragments: int
    kept: int | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """One essay given to one expert. ``limit``: the time from the opening, extensions included.

    ``latest`` is the last draft, ``latest_valid`` the last one that is a valid markup. ``is_third``: the expert sees
    the two earlier markups. ``is_calibration``: a training essay by which an expert sees how far it agrees with others.
    ``is_rating``: explanations of an answer are rated, and the markup is the ratings.
    """

    assignment_id: str
    marking_id: str
    item_id: str
    expert_id: str
    language: str
    subject: str
    is_third: bool
    limit: Millis
    assigned_at: Millis
    is_calibration: bool = False
    is_rating: bool = False
    state: AssignmentState = AssignmentState.ASSIGNED
    opened_at: Millis | None = None
    closes_at: Millis | None = None
    ended_at: Millis | None = None
    latest: Draft | None = None
    latest_valid: Draft | None = None
    reason: str = ""
    """Reason for handing it back, reassigning or releasing it."""
    version: int = 0
    words: int = 0
    """Words of its text; 0 where they were not counted."""
    note: str = ""
    """The expert's note for coordinators; no part of the annotation."""
    suggested: Suggested | None = None
    """Suggestions from the opening on; None without any."""

    @property
    def revision(self) -> int:
        """Return the number of the latest draft; 0 without one."""
        return self.latest.revision if self.latest else 0

    @property
    def saved_at(self) -> Millis | None:
        """Return when the latest draft was saved; None without one."""
        return self.latest.saved_at if self.latest else None

    @property
    def limit_s(self) -> float:
        """Return the time from the opening in seconds."""
        return self.limit / SECOND

    @property
    def markup(self) -> Draft | None:
        """Return the draft that is the expert's annotation; None while there is none, or where it ended without one."""
        return self.latest_valid if self.state in {AssignmentState.HANDED_IN, AssignmentState.EXPIRED} else None

    @property
    def takes_suggestions(self) -> bool:
        """Return whether suggestions may be switched on or off: an independent annotation that is not opened yet.

        So an annotation is made with suggestions or without them, from its first word to its last.
        """
        is_independent = not (self.is_third or self.is_calibration or self.is_rating)
        return is_independent and self.state is AssignmentState.ASSIGNED

    @property
    def counts(self) -> bool:
        """Return whether the assignment counts as one of the essay's: it has an annotation, or is under way."""
        return self.state in UNDER_WAY or self.markup is not None


# Clause: R 7.10, platform §5 time
def assignment_at(assignment: Assignment, now: Millis) -> Assignment:
    """Return an assignment as of a moment: past its time it has expired, written down or not. Its version stays."""
    if assignment.state is AssignmentState.OPENED and assignment.closes_at is not None and now > assignment.closes_at:
        return replace(assignment, state=AssignmentState.EXPIRED, ended_at=assignment.closes_at)
    return assignment


def expired_assignment(assignment: Assignment, now: Millis) -> Assignment | None:
    """Return the expired assignment as it is to be stored; None before its time is over."""
    ended = assignment_at(assignment, now)
    return None if ended is assignment else replace(ended, version=assignment.version + 1)


# Clause: R 7.10, platform §5 time
def open_now(assignment: Assignment, now: Millis) -> Assignment:
    """Start the clock; an opened assignment stays as it is."""
    _refuse_ended(assignment)
    if assignment.state is AssignmentState.OPENED:
        return assignment
    return replace(
        assignment,
        state=AssignmentState.OPENED,
        opened_at=now,
        closes_at=now + assignment.limit,
        version=assignment.version + 1,
    )


# Clause: platform §5 time
def next_revision(
    assignment: Assignment, based_on: int, content_sha256: str, now: Millis, *, pause: Millis
) -> int | None:
    """Return the revision of a new draft; None where it is saved already, as for a repeated request.

    ``pause``: the least time between two drafts. A draft that is not based on the latest one is refused with
    the numbers of both, so that nobody overwrites drafts of another tab or device.
    """
    _refuse_not_open(assignment)
    latest = assignment.latest
    is_saved = latest is not None and latest.content_sha256 == content_sha256
    if is_saved and based_on in {assignment.revision - 1, assignment.revision}:
        return None
    if based_on != assignment.revision:
        raise RevisionConflictError.between(based_on, assignment.revision, latest.saved_at if latest else None)
    if latest is not None and now - latest.saved_at < pause:
        raise SavedTooOftenError(retry_after_s=seconds_until(latest.saved_at + pause, now))
    return assignment.revision + 1


# Clause: platform §5 time
def with_draft(assignment: Assignment, draft: Draft) -> Assignment:
    """Return the assignment with one draft more; an invalid one leaves the last valid one in force."""
    valid = draft if draft.is_valid else assignment.latest_valid
    return replace(assignment, latest=draft, latest_valid=valid, version=assignment.version + 1)


# Clause: R 7.10
def hand_in(assignment: Assignment, based_on: int, now: Millis) -> Assignment:
    """Make the latest draft the annotation; ``based_on`` names the draft that the caller has seen.

    :class:`MarkupNotValidError` without the track's reasons where the latest draft is not valid.
    """
    _refuse_not_open(assignment)
    if assignment.latest is None:
        raise MarkupNotValidError.without_draft()
    if based_on != assignment.revision:
        raise RevisionConflictError.between(based_on, assignment.revision, assignment.latest.saved_at)
    if not assignment.latest.is_valid:
        raise MarkupNotValidError
    return replace(assignment, state=AssignmentState.HANDED_IN, ended_at=now, version=assignment.version + 1)


def hand_back(assignment: Assignment, reason: str, now: Millis) -> Assignment:
    """Return the essay without an annotation, for a reason; the drafts stay."""
    _refuse_ended(assignment)
    return _ended(assignment, AssignmentState.HANDED_BACK, reason, now)


def take_away(assignment: Assignment, state: AssignmentState, reason: str, now: Millis) -> Assignment:
    """End an assignment that was not handed in, for the coordinator: reassign or release it.

    An assignment that was handed back or taken away before stays as it is: the essay is free already.
    """
    if assignment.state is AssignmentState.HANDED_IN:
        refuse_ended(assignment)
    if assignment.state in {AssignmentState.HANDED_BACK, AssignmentState.REASSIGNED, AssignmentState.RELEASED}:
        return assignment
    return _ended(assignment, state, reason, now)


# Clause: platform §5 time
def extend(assignment: Assignment, by: Millis, reason: str, now: Millis) -> Assignment:
    """Extend the time; an expired assignment runs again from now."""
    if assignment.state not in {*UNDER_WAY, AssignmentState.EXPIRED}:
        refuse_ended(assignment)
    longer = replace(assignment, limit=assignment.limit + by, reason=reason.strip(), version=assignment.version + 1)
    if assignment.closes_at is None:
        return longer
    return replace(longer, state=AssignmentState.OPENED, ended_at=None, closes_at=max(assignment.closes_at, now) + by)


def with_note(assignment: Assignment, text: str) -> Assignment:
    """Replace the expert's note for coordinators; refuse it before the opening and after the essay was given away."""
    if assignment.state is AssignmentState.ASSIGNED:
        raise AssignmentNotOpenedError
    if assignment.state not in _NOTED:
        refuse_ended(assignment)
    if text == assignment.note:
        return assignment
    return replace(assignment, note=text, version=assignment.version + 1)


def refuse_ended(assignment: Assignment) -> None:
    """Raise the error of an ended assignment, with its state and its annotation's draft."""
    markup = assignment.markup
    revision, saved_at = (markup.revision, markup.saved_at) if markup else (None, None)
    raise AssignmentEndedError.told(assignment.state.value, assignment.ended_at, revision, saved_at)


def _refuse_ended(assignment: Assignment) -> None:
    if assignment.state not in UNDER_WAY:
        refuse_ended(assignment)


def _refuse_not_open(assignment: Assignment) -> None:
    _refuse_ended(assignment)
    if assignment.state is AssignmentState.ASSIGNED:
        raise AssignmentNotOpenedError


def _ended(assignment: Assignment, state: AssignmentState, reason: str, now: Millis) -> Assignment:
    return replace(assignment, state=state, reason=reason.strip(), ended_at=now, version=assignment.version + 1)


@dataclass(frozen=True, slots=True)
class Marking:
    """Annotation project: the essays of a set, or the files of a run (``run_id``).

    ``manifest``: of a calibration the set's, whose references experts are compared with; else empty.
    """

    marking_id: str
    cycle: str
    track: str
    set_name: str
    run_id: str | None
    parameters_version: int
    created_at: Millis
    essays: int
    manifest: str = ""

    @property
    def is_calibration(self) -> bool:
        """Return whether experts annotate these essays to see their agreement with others."""
        return bool(self.manifest)


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision of the rule for a third expert on two annotations, with its moment; no ``reasons``: none is needed.

    ``markups``: the two drafts' SHA-256, in the order of their ``experts``' assignments; ``pair``: the track's
    comparison of the two, from which agreement is folded.
    """

    at: Millis
    reasons: tuple[Mapping[str, Any], ...]
    markups: tuple[str, ...]
    experts: tuple[str, ...] = ()
    pair: Any = None

    @property
    def is_needed(self) -> bool:
        """Return whether a third expert must annotate the essay."""
        return bool(self.reasons)


@dataclass(frozen=True, slots=True)
class EssayWork:
    """One essay of an annotation project.

    ``content`` is the SHA-256 of the item, ``given`` names (expert, assignment) in the order in which they were given,
    ended ones too. ``due``: annotations came in on which the rule has not been asked yet. ``is_calibration``: any
    number of experts annotate it, and no rule is asked. ``answer``: a team's answer whose explanations are rated, by
    session, number and SHA-256; no rule is asked either.
    """

    marking_id: str
    item_id: str
    language: str
    subject: str
    content: str
    given: tuple[tuple[str, str], ...] = ()
    third: Decision | None = None
    due: bool = False
    is_calibration: bool = False
    answer: tuple[str, int, str] | None = None
    version: int = 0

    @property
    def has_rule(self) -> bool:
        """Return whether the rule for a third expert applies to its annotations."""
        return not self.is_calibration and self.answer is None

    def changed(self, added: Sequence[Assignment] = (), *, third: Decision | None, due: bool) -> EssayWork:
        """Return the essay's next version: with more assignments, with the present state of a third expert."""
        names = tuple((assignment.expert_id, assignment.assignment_id) for assignment in added)
        return replace(self, given=self.given + names, third=third, due=due, version=self.version + 1)


# Clause: R 7.10, platform §5 assignment, platform §5 third
def missing_experts(essay: EssayWork, assignments: Sequence[Assignment]) -> Want | None:
    """Return the experts that an essay lacks now; None where it lacks none.

    Two independent ones, and a third one where the rule asks for it. Experts who have had it do not get it again.
    """
    if essay.is_calibration:
        return None
    counting = [assignment for assignment in assignments if assignment.counts]
    independent = [assignment for assignment in counting if not assignment.is_third]
    lacking = INDEPENDENT - len(independent)
    if lacking <= 0 and essay.third is not None and essay.third.is_needed:
        lacking = 1 - sum(assignment.is_third for assignment in counting)
    if lacking <= 0:
        return None
    beside = frozenset(assignment.expert_id for assignment in counting)
    barred = frozenset(assignment.expert_id for assignment in assignments) - beside
    return Want(essay.item_id, essay.language, essay.subject, lacking, beside, barred)


def independent_markups(assignments: Sequence[Assignment]) -> tuple[Assignment, ...]:
    """Return the independent assignments that have brought an annotation, in their order."""
    return tuple(assignment for assignment in assignments if not assignment.is_third and assignment.markup is not None)


def markups(assignments: Sequence[Assignment]) -> tuple[Assignment, ...]:
    """Return all assignments that have brought an annotation, in their order.

    They are two, or three with the third expert's.
    """
    return tuple(assignment for assignment in assignments if assignment.markup is not None)


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds from opening to handing in of an expert's essays; the interval is of the mean, None below three."""

    expert_id: str
    essays: int
    median_s: float
    mean_s: float
    mean_95: Interval | None


# Clause: platform §5 progress
def speeds(assignments: Sequence[Assignment], seed: int) -> tuple[Speed, ...]:
    """Return the seconds per essay of every expert with a handed-in essay, by id.

    An expired assignment says nothing of the time that an essay takes.
    """
    took: dict[str, list[float]] = {}
    for assignment in sorted(assignments, key=lambda one: one.assignment_id):
        if (
            assignment.state is AssignmentState.HANDED_IN
            and assignment.opened_at is not None
            and assignment.ended_at is not None
        ):
            took.setdefault(assignment.expert_id, []).append((assignment.ended_at - assignment.opened_at) / SECOND)
    return tuple(
        Speed(
            name,
            len(seconds),
            float(median(seconds)),
            fsum(seconds) / len(seconds),
            bounded_mean_interval(seconds, 0.0, max(seconds) or 1.0, seed),
        )
        for name, seconds in sorted(took.items())
    )


@dataclass(frozen=True, slots=True)
class Replay:
    """Replay of a run: one item a round, under names that were drawn once from a public seed.

    ``systems`` and ``people`` are teams and persons with their names, in the order of the rotation.
    """

    run_id: str
    cycle: str
    numbers: tuple[int, ...]
    """Files of the run, one a round."""
    seed: int
    systems: tuple[tuple[str, str], ...]
    people: tuple[tuple[str, str], ...]
    limit: Millis
    """Time for a review, in milliseconds from the round's opening."""
    at: Millis
    opened: tuple[Millis, ...] = ()
    """Moments at which rounds were opened so far, in their order."""
    results: Mapping[str, Any] | None = None
    """Results of the reviews by team; None until the replay is closed."""
    version: int = 1

    @property
    def round(self) -> int:
        """Return the round that was opened last, from 1; 0 before the first."""
        return len(self.opened)

    # Clause: TS D-10
    @property
    def until(self) -> Millis:
        """Return the last moment for reviews of the present round."""
        return self.opened[-1] + self.limit

    def is_running(self, now: Millis) -> bool:
        """Return whether the present round may still be reviewed."""
        return self.results is None and bool(self.opened) and now <= self.until

    def is_over(self, now: Millis) -> bool:
        """Return whether all rounds were held."""
        return self.round == len(self.numbers) and now > self.until

    def team_of(self, rotation: Sequence[Sequence[int]], person_id: str) -> tuple[str, str] | None:
        """Return the team, with its name in the lot, whose work a person reviews in a round of this rotation.

        None where there is none for it, with fewer programs than the rotation has.
        """
        place = [clinician_id for clinician_id, _ in self.people].index(person_id)
        systems = (system for system, places in zip(self.systems, rotation, strict=False) if place in places)
        return next(systems, None)


@dataclass(frozen=True, slots=True)
class Review:
    """Review of a person in a round: the displayed parts and the answers; each save replaces the one before."""

    run_id: str
    round: int
    person_id: str
    shown: int = 1
    """Number of displayed parts of the replay, the first data included."""
    answers: Mapping[str, bool] = field(default_factory=dict)
    comment: str = ""
    saved_at: Millis | None = None
    version: int = 0


def with_round(before: Replay, now: Millis) -> Replay:
    """Return the replay with the next round open."""
    return replace(before, opened=(*before.opened, now), version=before.version + 1)


def closed_replay(before: Replay, results: Mapping[str, Any]) -> Replay:
    """Return the replay closed with its results; the version grows by one."""
    return replace(before, results=results, version=before.version + 1)


# Clause: R 7.10
def refuse_on_barrier(marking: Marking, kind: SetKind | None) -> None:
    """Refuse suggestions for annotations on which a barrier rests; ``kind`` is the set's, None of an unknown set."""
    if marking.run_id is not None or kind is not SetKind.TRAINING or marking.is_calibration:
        raise RefusedError(
            "barrier_rests_on_it",
            tr("a barrier rests on these annotations, so their experts get no suggestions; a training set's may"),
        )


def with_suggestions(assignment: Assignment, suggested: Suggested | None) -> Assignment:
    """Return an unopened assignment with these suggestions, or with none."""
    if not assignment.takes_suggestions:
        raise RefusedError(
            "suggestions_too_late",
            tr("suggestions are switched on and off before an independent annotation is opened"),
            assignment_id=assignment.assignment_id,
        )
    if assignment.suggested == suggested:
        return assignment
    return replace(assignment, suggested=suggested, version=assignment.version + 1)


def by_suggestions(
    essays: Sequence[EssayWork], assignments: Mapping[str, Sequence[Assignment]]
) -> Mapping[int, Sequence[EssayWork]]:
    """Group the essays with two annotations by how many of the two were made with suggestions; empty where none was."""
    groups: dict[int, list[EssayWork]] = {}
    for essay in essays:
        if essay.third is not None and essay.third.pair:
            pair = [task for task in assignments[essay.item_id] if task.expert_id in essay.third.experts]
            count = sum(task.suggested is not None for task in pair)
            groups.setdefault(count, []).append(essay)
    return {} if set(groups) <= {0} else dict(sorted(groups.items()))
