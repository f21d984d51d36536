"""Experts' markups while they are made: judged, graded, compared, made references (R 7.10, markup-scoring §1, §6)."""

from __future__ import annotations

from typing import Final

from markup_core.accuracy import score_pair
from markup_core.criteria import grade
from markup_core.interrater import third_expert as rule
from markup_core.reading.validation import load
from tracks.archived import ArchiveRules
from tracks.beside import Judged
from tracks.essay import answers
from tracks.essay.items import hand_out
from tracks.essay.parameters import EssayParameters
from tracks.protocol import Json, Reason, Text

_PUBLISHED: Final = (
    *("id", "startSelection", "endSelection", "type", "subtype", "group"),
    *("comment", "explanation", "correction", "tag"),
)
"""Fields of a fragment that are the contest's."""


def judge(item: Json, body: bytes, rules: EssayParameters) -> Judged:
    """Judge a draft like an answer: the essay's text and subject, the classifier's codes; grade what is valid."""
    verdict = answers.validate(item, body, rules)
    if not verdict.valid:
        return Judged(verdict.reasons, verdict.warnings)
    points = grade(load(verdict.canonical, classifier=rules.classifier))
    return Judged((), verdict.warnings, verdict.canonical, None if points is None else points.to_dict())


def third_expert(first: Json, second: Json, rules: EssayParameters) -> tuple[Reason, ...]:
    """The rule of markup-scoring §6 on two valid markups of one essay, with its reasons.

    Clause: platform §5 third, R 7.10
    """
    one, other = (load(each, classifier=rules.classifier) for each in (first, second))
    return tuple(Reason(each.code, Text(each.en, each.ru), {}) for each in rule(one, other).reasons)


def earlier(item: Json, markup: Json, file_id: str) -> Json:
    """The fragments on the essay as it is handed out: no expert's name, no time, no computer's file name."""
    return {**hand_out(item, file_id), "selections": markup["selections"]}


def reference(item: Json, markup: Json, expert: str, *, is_third: bool) -> Json:
    """The fragments on the essay as its set has it, signed by the expert's pseudonym."""
    meta = {**item["meta"], "expert": expert, "third": is_third}
    return {"meta": meta, "criteria": {}, "selections": markup["selections"], "text": item["text"]}


def author_of(reference: Json) -> str:
    """By what name a reference says who made it, empty where it says nothing."""
    return str(reference["meta"].get("expert") or "")


ARCHIVE: Final = ArchiveRules(
    about=Text(
        "Everything by which anybody can recompute the results of this final (R 7.14): the essays, the experts' "
        "markups, the markups that the participants' programs sent, what became of every file of every team, the "
        "record of the run and the board.",
        "Всё, по чему каждый может пересчитать результаты Финальных испытаний (п. 7.14): эссе, экспертные разметки, "
        "разметки программ участников, судьба каждого файла каждой команды, протокол прогона и лидерборд.",
    ),
    left_out=(
        Text(
            "The participants' programs: they are their teams' own (R 7.14).",
            "Программы участников: они остаются интеллектуальной собственностью команд (п. 7.14).",
        ),
        Text(
            "Names of people and machines, and whatever a markup carried beyond the contest's fields.",
            "Имена людей и машин, а также всё, что было в разметке сверх полей, предусмотренных конкурсом.",
        ),
    ),
    answers="markups",
)
"""What the archive of an essay contest's final has.

Clause: R 7.14
"""


def archived(item: Json, markup: Json, file_id: str, expert: str | None = None) -> Json:
    """A markup as everybody may have it: the essay as it was handed out, the fragments with the contest's own fields,
    the expert's pseudonym; nothing else of what its maker or their machine wrote into it.

    Clause: R 7.14
    """
    shown = hand_out(item, file_id)
    meta = shown["meta"] if expert is None else {**shown["meta"], "expert": expert}
    selections = [{name: each[name] for name in _PUBLISHED if name in each} for each in markup["selections"]]
    return {**shown, "meta": meta, "selections": selections}


def accuracy_against(first: Json, second: Json, rules: EssayParameters) -> Json:
    """M1…M7, pair accuracy and the matched pairs of one expert's markup against another's (R 5.4)."""
    one, other = (load(each, classifier=rules.classifier) for each in (first, second))
    score = score_pair(one, other, rules.scoring, x_is_expert=True)
    return {
        "metrics": score.metrics.to_dict(),
        "pair_accuracy": score.pair_accuracy,
        "pairs": [list(pair) for pair in score.matching.pairs],
        "q": float(score.matching.q),
    }
