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
        return sum(each.essay.third is not None and each.essay.third.is_needed for each in self.essays)


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


def _expert(expert_id: str, found: Sequence[Assignment]) -> ExpertProgress:
    without = sum(each.state is AssignmentState.EXPIRED and each.markup is None for each in found)
    return ExpertProgress(expert_id, dict(Counter(each.state for each in found)), without)
