"""Answers: prediction files of one subtask, as the contest takes them (tracks.md §4, F, "Общий формат решения").

Codes besides those of :mod:`tracks.fusion.dictionaries`: the warnings ``unknown_ids`` and ``missing_ids``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.reading.wire import Limits, MalformedInput, decode, short
from tracks.fusion.dictionaries import Faults
from tracks.fusion.items import known
from tracks.fusion.score import PREDICTION
from tracks.fusion.subtasks import Subtask, sorted_apart
from tracks.protocol import Json, Reason, Text, Verdict
from tracks.reasons import of_json

_FEW: Final = 20
"""Ids named in a warning; the others are counted."""
_MEGABYTE: Final = 1024**2
_STRING: Final = {"type": "string"}
_BOX: Final = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}
_BOXES: Final = {"type": "array", "items": _BOX, "description": "[xmin, ymin, w, h]; [[]] is []"}
SCHEMA: Final[Mapping[str, Json]] = {
    "title": "Prediction",
    "description": "prediction_C2C.json, prediction_HTR.json, prediction_VQA.json or prediction_zsOD.json",
    "type": "object",
    "additionalProperties": {"anyOf": [_STRING, {"type": "object", "additionalProperties": _BOXES}]},
}
"""Of zsOD's file, and of the three others."""


def validate(item: Json, body: bytes, parameters: Json) -> Verdict:
    """Judge a prediction file; ids nobody asked for are remarked on and left out."""
    limits = Limits(max_bytes=int(parameters["resources"]["answer_mb"] * _MEGABYTE))
    try:
        raw = decode(body, limits)
    except MalformedInput as error:
        return Verdict((of_json(error),))
    faults = Faults()
    prediction = PREDICTION[Subtask(item["subtask"])](raw, "prediction", faults)
    if faults.reasons:
        return Verdict(tuple(faults.reasons))
    kept, warnings = restricted(item, prediction)
    return Verdict((), warnings, kept, kind="prediction")


def restricted(item: Mapping[str, Json], prediction: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Reason, ...]]:
    """A prediction that was read, as JSON without what nobody asked for; warnings about that and what is missing.

    Clause: tracks §4 missing
    """
    ids, kept = known(item), {}
    unknown = list(sorted_apart(ids, prediction).unknown)
    for name, value in prediction.items():
        if name not in ids:
            continue
        kept[name] = value
        if Subtask(item["subtask"]) is Subtask.ZSOD:
            unknown += [f"{name}: {each}" for each in sorted(value.keys() - ids[name])]
            kept[name] = {each: [list(box) for box in boxes] for each, boxes in value.items() if each in ids[name]}
    missing = sorted_apart(ids, prediction).missing
    return kept, (
        *_warning("unknown_ids", unknown, "nobody asked for: ignored", "никто не спрашивал: пропущены"),
        *_warning("missing_ids", missing, "without a prediction", "без предсказания"),
    )


def _warning(code: str, ids: Sequence[str], en: str, ru: str) -> tuple[Reason, ...]:
    if not ids:
        return ()
    shown = ", ".join(short(each) for each in ids[:_FEW]) + (" …" if len(ids) > _FEW else "")
    message = Text(en=f"{len(ids)} ids {en}: {shown}", ru=f"{len(ids)} идентификаторов {ru}: {shown}")
    return (Reason(code, message, {"count": len(ids), "ids": list(ids[:_FEW])}),)
