"""Questions in the catalogue table, one item each; a team's stand together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters.storage import CatalogueItem
from contest.cycle.rules.notices import Announced
from contest.cycle.store import announcements_key, put_announcement
from contest.people.rules import Change
from contest.people.store import write_change
from contest.questions.rules import Answer, Question, QuestionState, Subject


class QuestionItem(CatalogueItem):
    """A question as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoQuestions:
    """:class:`contest.questions.ports.Questions` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key, self._announcements = f"QUESTIONS#{cycle}", announcements_key(cycle)

    def get(self, team_id: str, number: int) -> Question | None:
        return QuestionItem.one(self._key, _sort_key(team_id, number), _question)

    def of_team(self, team_id: str) -> Sequence[Question]:
        own = QuestionItem.sk.startswith(f"{team_id}#")
        return [_question(item) for item in QuestionItem.query(self._key, own, consistent_read=True)]

    def all(self) -> Sequence[Question]:
        return [_question(item) for item in QuestionItem.query(self._key, consistent_read=True)]

    def write(
        self, before: Question | None, after: Question, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        def build(transaction: TransactWrite) -> None:
            self._put(transaction, before, after)
            for earlier, now in announced:
                put_announcement(transaction, self._announcements, earlier, now)

        write_change(change, build)

    def seen(self, question: Question) -> None:
        write_change(None, lambda transaction: self._put(transaction, question, question))

    def _put(self, transaction: TransactWrite, before: Question | None, after: Question) -> None:
        body = json.dumps(asdict(after), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        item = QuestionItem(self._key, _sort_key(after.team_id, after.number), body=body, version=after.version)
        absent, same = QuestionItem.pk.does_not_exist(), QuestionItem.version == (before.version if before else 0)
        transaction.save(item, condition=absent if before is None else same)


def _sort_key(team_id: str, number: int) -> str:
    return f"{team_id}#{number:04d}"


def _question(item: QuestionItem) -> Question:
    raw: dict[str, Any] = json.loads(item.body)
    answer = None if raw["answer"] is None else Answer(**raw["answer"])
    read = {"subject": Subject(**raw["subject"]), "state": QuestionState(raw["state"]), "answer": answer}
    return Question(**{**raw, **read})
