"""How far the work on a marking is: of every essay, of every expert (platform §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contest.domain.experts.assignment import Assignment, AssignmentState
from contest.domain.experts.marking import EssayWork, wanted


@dataclass(frozen=True, slots=True)
class EssayProgress:
    """One essay: all assignments in their order, ended ones too, and how many experts it lacks."""

    essay: EssayWork
    assignments: tuple[Assignment, ...]
    lacking: int

    @property
    def is_done(self) -> bool:
        """Whether every markup that is wanted is there, and the rule for a third expert has been asked."""
        under_way = any(each.counts and each.markup is None for each in self.assignments)
        is_asked = self.essay.third is not None or not self.essay.has_rule
        return not (self.lacking or under_way or self.essay.due) and is_asked

    @property
    def is_late(self) -> bool:
        """Whether somebody's time ran out without a markup and nobody has the essay in its place."""
        return self.lacking > 0 and any(_ran_out(each) for each in self.assignments)


@dataclass(frozen=True, slots=True)
class SubjectProgress:
    """Essays of one language and type: ``done``, ``late`` and ``open`` make all of them."""

    language: str
    subject: str
    essays: int
    done: int
    late: int
    lacking: int
    thirds: int

    @property
    def open(self) -> int:
        """Essays that are neither done nor late."""
        return self.essays - self.done - self.late


@dataclass(frozen=True, slots=True)
class ExpertProgress:
    """One expert's assignments by state; ``without_markup`` counts those that ran out with nothing valid."""

    expert_id: str
    states: Mapping[AssignmentState, int]
    without_markup: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A marking's essays, and its experts by id."""

    essays: tuple[EssayProgress, ...]
    experts: tuple[ExpertProgress, ...]

    @property
    def done(self) -> int:
        """Essays that are done."""
        return sum(each.is_done for each in self.essays)

    @property
    def lacking(self) -> int:
        """Experts that essays lack."""
        return sum(each.lacking for each in self.essays)

    @property
    def thirds(self) -> int:
        """Essays for which a third expert was called."""
        return _thirds(self.essays)

    @property
    def subjects(self) -> tuple[SubjectProgress, ...]:
        """The same by language and type of essay, in their order."""
        by: dict[tuple[str, str], list[EssayProgress]] = {}
        for each in self.essays:
            by.setdefault((each.essay.language, each.essay.subject), []).append(each)
        return tuple(_subject(*name, part) for name, part in sorted(by.items()))


def progress(essays: Sequence[EssayWork], given: Mapping[str, Sequence[Assignment]]) -> Progress:
    """Fold a marking's essays and their assignments, as they are at one moment. O(assignments).

    Clause: platform §5 progress
    """
    rows = tuple(_row(essay, tuple(given[essay.item_id])) for essay in essays)
    by_expert: dict[str, list[Assignment]] = {}
    for each in (found for row in rows for found in row.assignments):
        by_expert.setdefault(each.expert_id, []).append(each)
    return Progress(rows, tuple(_expert(name, found) for name, found in sorted(by_expert.items())))


def _row(essay: EssayWork, given: tuple[Assignment, ...]) -> EssayProgress:
    want = wanted(essay, given)
    return EssayProgress(essay, given, 0 if want is None else want.experts)


def _subject(language: str, subject: str, part: Sequence[EssayProgress]) -> SubjectProgress:
    done, late = sum(each.is_done for each in part), sum(each.is_late for each in part)
    return SubjectProgress(language, subject, len(part), done, late, sum(each.lacking for each in part), _thirds(part))


def _thirds(essays: Sequence[EssayProgress]) -> int:
    return sum(each.essay.third is not None and each.essay.third.is_needed for each in essays)


def _ran_out(of: Assignment) -> bool:
    return of.state is AssignmentState.EXPIRED and of.markup is None


def _expert(expert_id: str, found: Sequence[Assignment]) -> ExpertProgress:
    return ExpertProgress(expert_id, dict(Counter(each.state for each in found)), sum(map(_ran_out, found)))
