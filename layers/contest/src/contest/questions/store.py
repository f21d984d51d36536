"""Questions in the catalogue table, one item each; a team's stand together."""

from __future__ import annotations

from collections.abc import Sequence

from pynamodb.transactions import TransactWrite

from contest.adapters.aws import CatalogueItem, Versioned
from contest.cycle.rules.notices import Announced
from contest.cycle.store import announcements_key, put_announcement
from contest.people.rules import Change
from contest.people.store import logged_writes
from contest.questions.rules import Question


class QuestionItem(Versioned, CatalogueItem):
    """A question."""


class DynamoQuestions:
    """:class:`contest.questions.ports.Questions` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key, self._announcements = f"QUESTIONS#{cycle}", announcements_key(cycle)

    def get(self, team_id: str, number: int) -> Question | None:
        return QuestionItem.find(self._key, _sort_key(team_id, number), Question)

    def of_team(self, team_id: str) -> Sequence[Question]:
        return QuestionItem.values(Question, self._key, QuestionItem.sk.startswith(f"{team_id}#"))

    def all(self) -> Sequence[Question]:
        return QuestionItem.values(Question, self._key)

    def write(
        self, before: Question | None, after: Question, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        with logged_writes(change) as transaction:
            self._put(transaction, before, after)
            for earlier, now in announced:
                put_announcement(transaction, self._announcements, earlier, now)

    def seen(self, question: Question) -> None:
        with logged_writes(None) as transaction:
            self._put(transaction, question, question)

    def _put(self, transaction: TransactWrite, before: Question | None, after: Question) -> None:
        item = QuestionItem.of(self._key, _sort_key(after.team_id, after.number), after)
        transaction.save(item, condition=QuestionItem.unchanged(before))


def _sort_key(team_id: str, number: int) -> str:
    return f"{team_id}#{number:04d}"
