"""JSON Schemas of the contest of corrections, for the API's documentation; tests validate real answers against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tracks.base import (
    FLAG,
    FRACTION,
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
from tracks.gec.comparison import Direction, Scope
from tracks.gec.counts import MAX_BETA, MIN_BETA, Counts, Detection
from tracks.gec.items import MOST_EDITS
from tracks.protocol import Json, Schemas

_BETA: Final = {"type": "number", "minimum": MIN_BETA, "maximum": MAX_BETA}
_CONTENT: Final = closed(
    "A text of one sentence or several: tokens with blanks between.",
    {
        "id": {**STRING, "description": "the file's name in this session"},
        "sentences": listed(STRING),
        "tokens": listed(STRING, description="of all sentences; what spans count"),
    },
)
_SPAN: Final[Mapping[str, Any]] = {
    "start": {**WHOLE, "description": "first token, from 0"},
    "end": {**WHOLE, "description": "token after the last"},
    "correction": {**STRING, "description": "tokens instead; empty: a deletion"},
    "type": {**STRING, "description": "ERRANT's label or another; OTHER if absent"},
}
_EDIT: Final = {
    "type": "object",
    "description": "A correction; what else it holds is not looked at.",
    "properties": _SPAN,
    "required": ["start", "end", "correction"],
}
_SENT: Final = closed("The edits that correct the text.", {"edits": listed(ref("GecEdit"), maxItems=MOST_EDITS)})
_UNIT: Final = closed(
    "The same as one unit of M2.", {"m2": {**STRING, "description": "the S line of the text and its A lines"}}
)
_DISTANCE: Final = {**WHOLE, "description": "in clauses or sentences"}
_CONTEXT: Final = closed(
    "What of the text is needed to find or mend an error (G).",
    {
        "detection": FLAG,
        "correction": FLAG,
        "scope": {"enum": [scope.value for scope in Scope]},
        "direction": {"enum": [direction.value for direction in Direction]},
        "left": _DISTANCE,
        "right": _DISTANCE,
    },
    optional=("left", "right"),
)
_GOLD: Final = closed(
    "A gold edit with its metadata.",
    {**_SPAN, "context_dependent": FLAG, "context": ref("GecContext"), "group": STRING},
    optional=("type", "context_dependent", "context", "group"),
)
_TRIPLE: Final = {**listed(WHOLE, minItems=3, maxItems=3), "description": "TP, FP, FN"}
_LABELS: Final = mapped(_TRIPLE, "by label")
_KINDS: Final = tuple(kind.value for kind in Detection)
_SCORE: Final = closed(
    "Score record of a text: counts by label in every kind of evaluation, against the annotator that fits best.",
    {
        "answered": FLAG,
        "source": {**STRING, "description": "the corpus that the text is of"},
        "named": {**listed(STRING), "description": "the labels of the answer's edits"},
        **dict.fromkeys(_KINDS, _LABELS),
        "annotator": WHOLE,
        "concentrated": {**null_or(_LABELS), "description": "null without context-dependent gold edits, like the next"},
        "contexts": {**null_or(_LABELS), "description": "by direction and distance of the context"},
        "needs": {**null_or(_LABELS), "description": "by what the context is needed for"},
        "fingerprint": ref("GecFingerprint"),
    },
)
_COUNTS: Final = closed(
    "Counts and what follows from them; `f` for the cycle's beta.",
    {**dict.fromkeys(Counts._fields, WHOLE), **dict.fromkeys(("precision", "recall", "f"), FRACTION)},
)
_PARTS: Final = ("type", "source", "context", "need")
_RESULT: Final = closed(
    "Totals of a session. Of a hidden set without categories that fewer than ten texts have an edit of (TS T10).",
    {
        "files": WHOLE,
        "answered": WHOLE,
        "scored": WHOLE,
        "beta": _BETA,
        **dict.fromkeys((*_KINDS, "concentrated"), null_or(ref("GecCounts"))),
        **dict.fromkeys(
            ("by_operation", "by_type", "by_source", *(f"concentrated_by_{part}" for part in _PARTS)),
            mapped(ref("GecCounts")),
        ),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "GecContext": _CONTEXT,
    "GecCounts": _COUNTS,
    "GecEdit": _EDIT,
    "GecEdits": _SENT,
    "GecFingerprint": fingerprint_form(),
    "GecGoldEdit": _GOLD,
    "GecParameters": closed("Parameters of a contest of corrections.", {"beta": _BETA}),
    "GecReference": closed("Gold edits of one annotator.", {"edits": listed(ref("GecGoldEdit"))}),
    "GecResult": _RESULT,
    "GecScore": _SCORE,
    "GecText": _CONTENT,
    "GecUnit": _UNIT,
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("GecText"),
    answer=either("GecEdits", "GecUnit"),
    canonical=ref("GecEdits"),
    reference=ref("GecReference"),
    score=ref("GecScore"),
    aggregate=ref("GecResult"),
    parameters=ref("GecParameters"),
    classifier=closed("Types of edits are each corpus's own.", {"types": {"type": "null"}}),
    comparison=NOTHING,
    response=NOTHING,
)
