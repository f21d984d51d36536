"""The port of questions; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port

if TYPE_CHECKING:
    from contest.cycle.rules.notices import Announced
    from contest.people.rules import Change
    from contest.questions.rules import Question


class Questions(Protocol):
    """Questions of the cycle's teams with their answers."""

    def get(self, team_id: str, number: int) -> Question | None:
        """Return one question as last written."""

    def of_team(self, team_id: str) -> Sequence[Question]:
        """Return a team's questions, by number."""

    def all(self) -> Sequence[Question]:
        """Return all questions, by team and number."""

    def write(
        self, before: Question | None, after: Question, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        """Write a question if it is still as it was read (None: there is none), with its announcements likewise."""

    def seen(self, question: Question) -> None:
        """Write that the team has seen a question if it is still of this version, which stays."""


class QuestionPorts:
    """The platform's ports of the questions' room."""

    questions: Port[Questions] = Port()
