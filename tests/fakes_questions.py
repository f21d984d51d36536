"""The port of questions in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contest.cycle.rules.notices import Announced
from contest.people.rules import Change
from contest.ports import LostRaceError
from contest.questions.rules import Question
from tests.fakes_announcements import FakeAnnouncements


class FakeQuestions:
    def __init__(self, tell: Callable[[Change | None], None], announcements: FakeAnnouncements) -> None:
        self._known: dict[tuple[str, int], Question] = {}
        self._tell, self._announcements = tell, announcements

    def get(self, team_id: str, number: int) -> Question | None:
        return self._known.get((team_id, number))

    def of_team(self, team_id: str) -> Sequence[Question]:
        return [each for each in self.all() if each.team_id == team_id]

    def all(self) -> Sequence[Question]:
        return [self._known[each] for each in sorted(self._known)]

    def write(
        self, before: Question | None, after: Question, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        self._require(before, after)
        for earlier, now in announced:
            self._announcements.require(earlier, now)
        for _, now in announced:
            self._announcements.put(now)
        self._known[after.team_id, after.number] = after
        self._tell(change)

    def seen(self, question: Question) -> None:
        self._require(question, question)
        self._known[question.team_id, question.number] = question

    def _require(self, before: Question | None, after: Question) -> None:
        stored = self._known.get((after.team_id, after.number))
        if (stored.version if stored else None) != (before.version if before else None):
            raise LostRaceError
