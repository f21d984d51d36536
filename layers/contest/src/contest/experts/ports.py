"""Ports of experts, assignments, drafts and replays; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.experts.rules.assignment import Assignment, Draft, EssayWork, Marking, Replay, Review
    from contest.experts.rules.sharing_out import Expert
    from contest.people.rules import Change


@dataclass(frozen=True, slots=True)
class Written:
    """All records of one decision about essays, written in one transaction.

    Each assignment and essay is written if it is stored with the version before its own; version 1 is new. ``checked``
    are essays and assignments that must still be as they were read. ``draft``: a new version of the one assignment's.
    """

    assignments: tuple[Assignment, ...] = ()
    essays: tuple[EssayWork, ...] = ()
    checked: tuple[Assignment | EssayWork, ...] = ()
    draft: Draft | None = None


class Experts(Protocol):
    """Profiles, markings with their essays, assignments with their drafts."""

    def all(self) -> Sequence[Expert]:
        """Return all experts, inactive ones too, by id."""

    def get(self, expert_id: str) -> Expert | None:
        """Return an expert's profile."""

    def put(self, expert: Expert, change: Change) -> None:
        """Write a profile if it is stored with the version before its own; version 1 is new."""

    def markings(self) -> Sequence[Marking]:
        """Return all annotation projects, by id."""

    def marking(self, marking_id: str) -> Marking | None:
        """Return one annotation project."""

    def add_marking(self, marking: Marking, change: Change) -> None:
        """Write a marking that is not there."""

    def essays(self, marking_id: str) -> Sequence[EssayWork]:
        """Return all assigned essays of an annotation project, by item."""

    def essay(self, marking_id: str, item_id: str) -> EssayWork | None:
        """Return one essay of an annotation project."""

    def due_essays(self) -> Sequence[tuple[str, str]]:
        """List project and item of every essay on which the rule for a third expert is still due."""

    def given_to(self, expert_id: str) -> Sequence[Assignment]:
        """Return all assignments of an expert, ended ones too, by id."""

    def assignment(self, expert_id: str, assignment_id: str) -> Assignment | None:
        """Return an assignment of this very expert."""

    def assignments(self, names: Iterable[tuple[str, str]]) -> Sequence[Assignment]:
        """Return the existing assignments by expert and id, in the order of the names."""

    def open_assignments(self) -> Sequence[tuple[str, str]]:
        """List expert and id of every assignment whose clock runs, or expired without a record."""

    def drafts(self, assignment_id: str) -> Sequence[Draft]:
        """Return all saved versions, the first one first."""

    def draft(self, assignment_id: str, revision: int) -> Draft | None:
        """Return one saved version."""

    def write(self, records: Written, change: Change | None) -> None:
        """Write a decision. ``change`` None: a timer's or the rule's decision, or a draft, which is its own log."""


class Replays(Protocol):
    """Replays of runs, and people's reviews of them."""

    def all(self, cycle: str) -> Sequence[Replay]:
        """Return all replays of a cycle, by run."""

    def of_run(self, cycle: str, run_id: str) -> Replay | None:
        """Return the replay of a run."""

    def put(self, replay: Replay, change: Change) -> None:
        """Write a replay if it is stored with the version before its own; version 1 is new."""

    def review(self, run_id: str, number: int, person_id: str) -> Review | None:
        """Return a person's review in a round."""

    def reviews(self, run_id: str) -> Sequence[Review]:
        """Return all reviews, by round and person."""

    def save(self, review: Review) -> None:
        """Write a review if it is stored with the version before its own; version 1 is new."""


class ExpertPorts:
    """The platform's ports of the experts' room."""

    experts: Port[Experts] = Port()
    replays: Port[Replays] = Port()
