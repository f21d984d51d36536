"""JSON Schemas of the exam, for the API's documentation; tests validate real answers against them.

Of a closed test the result is :data:`NAMED`'s ``ExamTotals``, of any other set ``ExamResult``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tracks.base import (
    AMOUNT,
    FLAG,
    FRACTION,
    IN_TWO_LANGUAGES,
    NOTHING,
    STRING,
    WHOLE,
    closed,
    either,
    fingerprint_form,
    listed,
    mapped,
    null_or,
    ref,
)
from tracks.exam.items import SCHEMA
from tracks.exam.tasks import FOUR_POINTS, PLACES, SECTION_NAMES, TASKS, TYPES, maximum
from tracks.protocol import Json, Schemas

_TASK: Final = {"type": "string", "enum": list(TASKS)}
_TYPE: Final = {"type": "string", "enum": list(TYPES)}
_SECTION: Final = {"type": "string", "enum": list(SECTION_NAMES)}
_POINTS: Final = {"type": "integer", "minimum": 0, "maximum": maximum(FOUR_POINTS)}
_CONTENT: Final = closed(
    "A task as a program is to be asked it: the whole prompt, and the parts that it is made of.",
    {
        "id": {**STRING, "description": "the file's name in this session"},
        "prompt": STRING,
        "instruction": STRING,
        "inputs": closed("The task's parts; empty where it has none.", dict.fromkeys(PLACES, STRING)),
        "meta": closed("Which task it is, and what it can bring.", {"id_task": _TASK, "score": _POINTS, "type": _TYPE}),
    },
)
_SCORE: Final = closed(
    "Score record of a task; a missed one has 0 points.",
    {
        "answered": FLAG,
        "score": _POINTS,
        "max": _POINTS,
        "variant": STRING,
        "task": _TASK,
        "section": _SECTION,
        "type": _TYPE,
        "fingerprint": ref("ExamFingerprint"),
    },
)
_GROUP: Final = closed("Tasks of one kind.", {"items": WHOLE, "points": WHOLE, "max": WHOLE, "share": FRACTION})
_HUMAN: Final = closed("People's level (U).", {"grade_norm": FRACTION, "points": AMOUNT, "of": WHOLE})
_WHOLE_GRADE: Final[Mapping[str, Any]] = {
    "grade_norm": {**null_or(FRACTION), "description": "mean over complete variants of points / 34; null without one"}
}
_BY: Final[Mapping[str, Any]] = {
    **{name: mapped(ref("ExamGroup")) for name in ("by_task", "by_section", "by_type")},
    "items": WHOLE,
    "answered": WHOLE,
    "human": ref("ExamHuman"),
}
_RESULT: Final = closed(
    "Result of a session with its breakdowns.",
    {
        **_WHOLE_GRADE,
        "variants": mapped(WHOLE, "points by variant"),
        "complete": listed(STRING, description="variants that grade_norm is made of"),
        **_BY,
    },
)
_TOTALS: Final = closed(
    "Of a closed test: no variant by itself, no group of fewer than ten tasks (TS T10).",
    {**_WHOLE_GRADE, "complete": {**WHOLE, "description": "how many variants grade_norm is made of"}, **_BY},
)
_PARAMETERS: Final = closed(
    "Parameters of an exam; without a seed there are none, and a task keeps the prompt it was published with (TS U-2).",
    {"prompt_seed": WHOLE, "prompts": mapped(listed(STRING), "by type")},
    optional=("prompt_seed", "prompts"),
)
_CLASSIFIER: Final = closed(
    "The exam's tasks, sections and types.",
    {
        "tasks": listed(closed("A task.", {"task": _TASK, "section": _SECTION, "points": _POINTS})),
        "sections": mapped(IN_TWO_LANGUAGES),
        "types": listed(_TYPE),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "ExamAnswer": SCHEMA,
    "ExamClassifier": _CLASSIFIER,
    "ExamFingerprint": fingerprint_form(),
    "ExamGroup": _GROUP,
    "ExamHuman": _HUMAN,
    "ExamParameters": _PARAMETERS,
    "ExamResult": _RESULT,
    "ExamScore": _SCORE,
    "ExamTask": _CONTENT,
    "ExamTotals": _TOTALS,
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("ExamTask"),
    answer=ref("ExamAnswer"),
    canonical=ref("ExamAnswer"),
    reference=closed("The right answer.", {"outputs": STRING}),
    score=ref("ExamScore"),
    aggregate=either("ExamResult", "ExamTotals"),
    parameters=ref("ExamParameters"),
    classifier=ref("ExamClassifier"),
    comparison=NOTHING,
    response=NOTHING,
)
