"""The exam's operations (tracks.md §5).

Refusals have the code ``invalid_request``; details: the path of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from markup_core.reading.wire import short
from tracks.exam.aggregate import Summary, mark, summarise
from tracks.exam.items import Key, check_gold, read_keys
from tracks.exam.tasks import TASKS, TYPES, maximum, score
from tracks.fields import Fields, refuse
from tracks.texts import tr


def item(fields: Fields) -> dict[str, int]:
    """Compute the points of one answer; ``prediction`` null is no answer."""
    gold, task, kind = fields.text("gold"), fields.choice("id_task", TASKS), fields.choice("type", TYPES)
    check_gold(gold, task, kind, fields.path("gold"))
    prediction = None if fields.raw("prediction") is None else fields.text("prediction")
    return {"score": score(gold, prediction, task, kind), "max": maximum(task)}


def submission(fields: Fields) -> dict[str, Any]:
    """Compute a submission's result; an item without an answer, or with null, brings 0 points."""
    summary = summarised(fields)
    return {
        "grade_norm": summary.grade_norm,
        "variants": dict(summary.variants),
        "by_type": dict(summary.by_type),
        "by_task": dict(summary.by_task),
    }


def summarised(fields: Fields) -> Summary:
    """Compute the whole result of a submission; of the items only ``outputs`` and ``meta`` are read."""
    keys = read_keys(fields.parts("items"))
    answers = read_answers(keys, Fields(fields.mapping("answers"), fields.path("answers")))
    return summarise([mark(key, answers[key.item_id]) for key in keys])


def read_answers(keys: tuple[Key, ...], answers: Fields) -> dict[str, str | None]:
    """Read every item's answer; None if there is none. An id that no item has is refused: it is a wrong file."""
    item_ids = {key.item_id for key in keys}
    strange = next((ident for ident in answers.values if ident not in item_ids), None)
    if strange is not None:
        refuse(answers.path(strange), tr("answers no item: there is no item {strange}", strange=short(strange)))
    return {ident: answers.text(ident, None) for ident in (key.item_id for key in keys)}


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = MappingProxyType(
    {"exam.item": item, "exam.submission": submission}
)
