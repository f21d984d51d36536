"""Experts, markings, assignments and drafts in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from contest.experts.ports import Written
from contest.experts.rules.assignment import Assignment, AssignmentState, Draft, EssayWork, Marking
from contest.experts.rules.sharing_out import Expert
from contest.people.rules import Change
from contest.ports import LostRaceError


class Log(Protocol):
    def tell(self, change: Change | None) -> None: ...


class FakeExperts:
    """:class:`contest.experts.ports.Experts`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._experts: dict[str, Expert] = {}
        self._markings: dict[str, Marking] = {}
        self._essays: dict[tuple[str, str], EssayWork] = {}
        self._assignments: dict[tuple[str, str], Assignment] = {}
        self._drafts: dict[tuple[str, int], Draft] = {}

    def all(self) -> Sequence[Expert]:
        return [each for _, each in sorted(self._experts.items())]

    def get(self, expert_id: str) -> Expert | None:
        return self._experts.get(expert_id)

    def put(self, expert: Expert, change: Change) -> None:
        before = self._experts.get(expert.expert_id)
        _require((before.version if before else 0) == expert.version - 1)
        self._experts[expert.expert_id] = expert
        self._log.tell(change)

    def markings(self) -> Sequence[Marking]:
        return [each for _, each in sorted(self._markings.items())]

    def marking(self, marking_id: str) -> Marking | None:
        return self._markings.get(marking_id)

    def add_marking(self, marking: Marking, change: Change) -> None:
        _require(marking.marking_id not in self._markings)
        self._markings[marking.marking_id] = marking
        self._log.tell(change)

    def essays(self, marking_id: str) -> Sequence[EssayWork]:
        return [each for (name, _), each in sorted(self._essays.items()) if name == marking_id]

    def essay(self, marking_id: str, item_id: str) -> EssayWork | None:
        return self._essays.get((marking_id, item_id))

    def due_essays(self) -> Sequence[tuple[str, str]]:
        return sorted(name for name, each in self._essays.items() if each.due)

    def given_to(self, expert_id: str) -> Sequence[Assignment]:
        return [each for (name, _), each in sorted(self._assignments.items()) if name == expert_id]

    def assignment(self, expert_id: str, assignment_id: str) -> Assignment | None:
        return self._assignments.get((expert_id, assignment_id))

    def assignments(self, names: Iterable[tuple[str, str]]) -> Sequence[Assignment]:
        return [self._assignments[name] for name in names if name in self._assignments]

    def open_assignments(self) -> Sequence[tuple[str, str]]:
        return sorted(name for name, each in self._assignments.items() if each.state is AssignmentState.OPENED)

    def drafts(self, assignment_id: str) -> Sequence[Draft]:
        return [each for (name, _), each in sorted(self._drafts.items()) if name == assignment_id]

    def draft(self, assignment_id: str, revision: int) -> Draft | None:
        return self._drafts.get((assignment_id, revision))

    def write(self, records: Written, change: Change | None) -> None:
        for assignment in records.assignments:
            known = self._assignments.get((assignment.expert_id, assignment.assignment_id))
            _require((known.version if known else 0) == assignment.version - 1)
        for essay in records.essays:
            stored = self._essays.get((essay.marking_id, essay.item_id))
            _require((stored.version if stored else 0) == essay.version - 1)
        for record in records.checked:
            _require(self._version(record) == record.version)
        if records.draft is not None:
            (saved,) = records.assignments
            _require((saved.assignment_id, records.draft.revision) not in self._drafts)
            self._drafts[saved.assignment_id, records.draft.revision] = records.draft
        for assignment in records.assignments:
            self._assignments[assignment.expert_id, assignment.assignment_id] = assignment
        for essay in records.essays:
            self._essays[essay.marking_id, essay.item_id] = essay
        self._log.tell(change)

    def _version(self, of: Assignment | EssayWork) -> int | None:
        found: Assignment | EssayWork | None
        if isinstance(of, Assignment):
            found = self._assignments.get((of.expert_id, of.assignment_id))
        else:
            found = self._essays.get((of.marking_id, of.item_id))
        return None if found is None else found.version


def _require(holds: bool) -> None:
    if not holds:
        raise LostRaceError
