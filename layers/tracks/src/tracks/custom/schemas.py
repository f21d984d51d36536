"""JSON Schemas of contests with a declared measure, for the API's documentation.

The form of an answer, the names of counts and of values are the declaration's, which the cycle tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tracks.base import (
    FLAG,
    NOTHING,
    SHA256,
    STRING,
    WHOLE,
    closed,
    fingerprint_form,
    listed,
    mapped,
    null_or,
    ref,
)
from tracks.protocol import Json, Schemas

_NUMBER: Final = {"type": "number"}
_ANSWER: Final = {
    "anyOf": [{"type": "object"}, {"type": "array", "items": {}}],
    "description": "Of the form that the cycle declares.",
}
_FAILED: Final = closed(
    "A failure of the program.", {"code": STRING, "said": STRING, "items": WHOLE}, optional=("items",)
)
_VALUES: Final = mapped(null_or(_NUMBER), "`value` is the board's")
_PROGRAM: Final = closed("The measure's program.", {"file": STRING, "version": STRING, "sha256": SHA256})
_SCORE: Final = closed(
    "What the program counts of an answer; `people`: of each reference against the others.",
    {
        "answered": FLAG,
        "counts": null_or(mapped(_NUMBER)),
        "people": listed(mapped(_NUMBER)),
        "failed": null_or(ref("CustomFailure")),
        "fingerprint": ref("CustomFingerprint"),
    },
)
_RESULT: Final = closed(
    "A result by the declared measure.",
    {
        "values": ref("CustomValues"),
        "people": null_or(ref("CustomValues")),
        "barrier": null_or(_NUMBER),
        "better": {"enum": ["higher", "lower"]},
        "counts": mapped(_NUMBER),
        "items": WHOLE,
        "answered": WHOLE,
        "failed": null_or(ref("CustomFailure")),
        "program": ref("CustomProgram"),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "CustomAnswer": _ANSWER,
    "CustomFailure": _FAILED,
    "CustomFingerprint": fingerprint_form(),
    "CustomProgram": _PROGRAM,
    "CustomResult": _RESULT,
    "CustomScore": _SCORE,
    "CustomValues": _VALUES,
}
_OBJECT: Final[Mapping[str, Any]] = {"type": "object"}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=closed("A file under its name in this session.", {"id": STRING, "content": _OBJECT}),
    answer=ref("CustomAnswer"),
    canonical=ref("CustomAnswer"),
    reference=closed("A person's answer.", {"answer": ref("CustomAnswer")}),
    score=ref("CustomScore"),
    aggregate=ref("CustomResult"),
    parameters=closed("The declaration.", {"measure": _OBJECT}),
    classifier=_OBJECT,
    comparison=NOTHING,
    response=NOTHING,
)
