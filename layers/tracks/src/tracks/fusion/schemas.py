"""JSON Schemas of the fusion contest, for the API's documentation; tests validate real answers against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tracks.base import (
    AMOUNT,
    FLAG,
    FRACTION,
    NOTHING,
    STRING,
    WHOLE,
    closed,
    fingerprint_form,
    listed,
    mapped,
    null_or,
    ref,
)
from tracks.fusion.c2c import PARTS
from tracks.fusion.items import RESOURCES, SCHEMA
from tracks.fusion.score import MODES
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Schemas

_NAME: Final = {"type": "string", "enum": [subtask.value for subtask in Subtask]}
_KEYS: Final = tuple(subtask.key for subtask in Subtask)
_QUESTION: Final = {
    "type": "object",
    "description": "A question about a picture (VQA).",
    "properties": dict.fromkeys(("file_name", "question"), STRING),
    "required": ["file_name", "question"],
    "additionalProperties": STRING,
}
_REQUESTS: Final = {
    "description": "HTR: the pictures' names; C2C: programs by name; zsOD: classes by picture; VQA: questions by name",
    "anyOf": [listed(STRING), mapped(STRING), mapped(listed(STRING)), mapped(ref("FusionQuestion"))],
}
_TRUTH: Final = {
    "description": "C2C, HTR: texts by name; zsOD: boxes by picture and class; VQA: answers by name",
    "anyOf": [ref("FusionPrediction"), mapped(closed("A right answer.", {"answer": STRING, "lang": STRING}))],
}
_SCORE: Final = closed(
    "Score record of a subtask: C2C's from 0 to 100 with its four parts, the others' from 0 to 1 with their counts.",
    {
        "subtask": _NAME,
        "score": {**null_or(AMOUNT), "description": "null: nothing was asked for"},
        **dict.fromkeys(PARTS, null_or(FRACTION)),
        **dict.fromkeys(("right", "total", "tp", "fp", "fn", "missing"), WHOLE),
        "other_form": {**WHOLE, "description": "of HTR and VQA: wrong by the Unicode form alone; absent for 0"},
        "repeated": {**WHOLE, "description": "of zsOD: boxes equal to another of their class; absent for 0"},
        "unknown": listed(STRING, description="predicted, and asked for by nobody"),
        "unknown_classes": mapped(listed(STRING), "of zsOD, by picture"),
        "fingerprint": ref("FusionFingerprint"),
    },
    optional=(*PARTS, "right", "total", "tp", "fp", "fn", "other_form", "repeated", "unknown", "unknown_classes"),
)
_SUBTASK: Final = closed(
    "A subtask in the sum.",
    {
        "score": null_or(AMOUNT),
        "rounded": {**null_or(FRACTION), "description": "as it counts in S: to three decimals, C2C's hundredth"},
        "minimum": FRACTION,
        "reached": FLAG,
    },
)
_RESULT: Final = closed(
    "S and the four scores it is made of (F).",
    {
        "modes": mapped(STRING, "ways of counting other than the usual, by subtask; absent without any"),
        "s": null_or(AMOUNT),
        "smin": AMOUNT,
        "reached": {**FLAG, "description": "Smin, and every subtask's minimum"},
        "subtasks": closed("Each subtask.", dict.fromkeys(_KEYS, ref("FusionSubtask"))),
        "files": WHOLE,
        "answered": WHOLE,
    },
    optional=("modes",),
)
_MODED: Final[Mapping[str, Any]] = {
    subtask.key: null_or({"type": "string", "enum": list(MODES[subtask])}) for subtask in Subtask if MODES[subtask]
}
_PARAMETERS: Final = closed(
    "Parameters of a contest of four subtasks.",
    {
        "minima": closed("Of each subtask.", dict.fromkeys(_KEYS, FRACTION)),
        "smin": AMOUNT,
        "modes": closed("Ways of counting; null: the usual one.", _MODED),
        "resources": closed("What a submission may use.", dict.fromkeys(RESOURCES, AMOUNT)),
        "languages": mapped(listed(_NAME), "subtasks by language"),
    },
)
_METRIC: Final = closed("A subtask.", {"name": _NAME, "metric": STRING, "most": WHOLE})
NAMED: Final[Mapping[str, Json]] = {
    "FusionFingerprint": fingerprint_form(),
    "FusionParameters": _PARAMETERS,
    "FusionPrediction": SCHEMA,
    "FusionQuestion": _QUESTION,
    "FusionResult": _RESULT,
    "FusionScore": _SCORE,
    "FusionSubtask": _SUBTASK,
    "FusionTest": closed(
        "The requests of a subtask.",
        {"id": {**STRING, "description": "the file's name"}, "subtask": _NAME, "requests": _REQUESTS},
    ),
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("FusionTest"),
    answer=ref("FusionPrediction"),
    canonical=ref("FusionPrediction"),
    reference=_TRUTH,
    score=ref("FusionScore"),
    aggregate=ref("FusionResult"),
    parameters=ref("FusionParameters"),
    classifier=closed("The four subtasks.", {"subtasks": listed(_METRIC)}),
    comparison=NOTHING,
    response=NOTHING,
)
