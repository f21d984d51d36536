"""Totals over a hidden set of which nothing else is told: which are withheld, so that none is of a few items (T10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from contest.domain.cycle.cycle import SetKind
from tracks.beside import QualifiesByResult
from tracks.protocol import Reason, Text, Track
from tracks.rules import Details

Answers = Mapping[str, str]
"""What was answered to a set's items, by their ids: a digest of the counting answer. A missed item is not in it."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A session or submission of the same team whose totals over the same set were told."""

    name: str
    answers: Answers


def tells_totals(track: Track, kind: SetKind) -> bool:
    """Return whether sessions and submissions over such a set are told totals of a hidden set, and nothing of an item.

    **Decision**: not where a session is passed by its result (diagnosis: one epicrisis), which must be told.

    Clause: TS T10
    """
    if isinstance(track, QualifiesByResult):
        return False
    return kind is SetKind.TEST and track.details(kind.value) is Details.TOTALS


def differing(one: Answers, other: Answers) -> int:
    """Return to how many items two have other answers; an item that only one of them answered is one. O(items)."""
    return sum(one.get(item) != other.get(item) for item in one.keys() | other.keys())


def withheld(answers: Answers, earlier: Iterable[Earlier], least: int) -> Reason | None:
    """Return why no totals are told of these answers, or None.

    Totals of fewer than ``least`` answered items are about these items; so is the difference of two totals whose
    answers differ in fewer. The same answers once more have the same totals. **Decision**: what was told first stays
    told, the later one is withheld, and the reason depends on the team's own answers alone, so it tells nothing either.

    Clause: TS T10
    """
    if len(answers) < least:
        return _too_few(len(answers), least)
    for each in earlier:
        number = differing(answers, each.answers)
        if 0 < number < least:
            return _too_similar(each.name, number, least)
    return None


def withheld_of_tests(
    tests: Mapping[str, Answers], earlier: Iterable[tuple[str, Mapping[str, Answers]]], least: int
) -> Reason | None:
    """Return why no totals are told of answers to tests, each of which has a total of its own, or None.

    ``tests`` holds by test the answers to its requests; ``earlier`` the same of the team's submissions that were told
    totals. **Decision**: a test of which no request is answered tells nothing, and is none of few; everything is
    withheld where one test's total would be of few requests, since the sum of the totals is told, too.

    Clause: TS T10
    """
    for name, answers in sorted(tests.items()):
        if 0 < len(answers) < least:
            return _too_few(len(answers), least, name)
    for submission, others in earlier:
        for name in sorted(tests.keys() | others.keys()):
            number = differing(tests.get(name, {}), others.get(name, {}))
            if 0 < number < least:
                return _too_similar(submission, number, least, name)
    return None


def described(reason: Reason) -> dict[str, Any]:
    """Return the reason as a report has it."""
    return {"code": reason.code, "message": reason.message.en, "message_ru": reason.message.ru}


def _too_few(answered: int, least: int, test: str = "") -> Reason:
    head = f"{test}: " if test else ""
    said = Text(
        f"{head}items answered: {answered}; totals over a hidden set are told of {least} and more: answer more items",
        f"{head}заданий с ответом: {answered}; итоги по скрытой выборке сообщаются, если их не меньше {least}: ответьте"
        " на большее число заданий",
    )
    return Reason("too_few_items", said, {"answered": answered, "least": least, **({"test": test} if test else {})})


def _too_similar(name: str, differs: int, least: int, test: str = "") -> Reason:
    head = f"{test}: " if test else ""
    said = Text(
        f"{head}answers that differ from those of {name}: {differs}; of fewer than {least} no other totals are told,"
        " they would be about single items of a hidden set: change more, or go by the totals of that one",
        f"{head}ответов, отличающихся от {name}: {differs}; если их меньше {least}, новые итоги не сообщаются, иначе"
        " по ним можно было бы судить об отдельных заданиях скрытой выборки: измените больше ответов или смотрите те"
        " итоги",
    )
    where = {"name": name, "differing": differs, "least": least, **({"test": test} if test else {})}
    return Reason("too_similar", said, where)
