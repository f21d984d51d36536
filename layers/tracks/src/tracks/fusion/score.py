"""Score records, and any subtask by its name: reading its dictionaries, its ways of counting, scoring it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tracks.fingerprints import fingerprint
from tracks.fusion.dictionaries import Faults, read_answers, read_boxes, read_texts
from tracks.fusion.metrics import c2c, htr, vqa, zsod
from tracks.fusion.subtasks import Scored, Subtask
from tracks.protocol import Json

Reader = Callable[[Json, str, Faults], Mapping[str, Any]]
TRUTH: Final[Mapping[Subtask, Reader]] = {
    Subtask.C2C: read_texts,
    Subtask.HTR: read_texts,
    Subtask.ZSOD: read_boxes,
    Subtask.VQA: read_answers,
}
PREDICTION: Final[Mapping[Subtask, Reader]] = {**TRUTH, Subtask.VQA: read_texts}
"""Clause: F output"""

MODES: Final[Mapping[Subtask, tuple[str, ...]]] = {
    Subtask.C2C: c2c.MODES,
    Subtask.HTR: (),
    Subtask.ZSOD: zsod.MODES,
    Subtask.VQA: vqa.MODES,
}
"""Ways of counting besides the usual one, which has no name."""


def score(subtask: Subtask, truth: Mapping[str, Any], prediction: Mapping[str, Any], mode: str | None = None) -> Scored:
    """A subtask's score of dictionaries that :data:`TRUTH` and :data:`PREDICTION` have read.

    ``mode`` is one of the subtask's modes; HTR has none.
    """
    match subtask:
        case Subtask.C2C:
            return c2c.score(truth, prediction, mode)
        case Subtask.HTR:
            return htr.score(truth, prediction)
        case Subtask.ZSOD:
            return zsod.score(truth, prediction, mode)
        case Subtask.VQA:
            return vqa.score(truth, prediction, mode)


def record(item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> dict[str, Json]:
    """Score record of one subtask, recomputable by the operation and the fields its fingerprint names.

    A file that was not written (``answer`` None) is one without any prediction. Raises ValueError unless there is
    exactly one reference, and for values that were not checked.
    """
    (truth,) = references
    answer = {} if answer is None else answer
    subtask = Subtask(item["subtask"])
    mode = parameters["modes"].get(subtask.key)
    faults = Faults()
    true, predicted = TRUTH[subtask](truth, "true", faults), PREDICTION[subtask](answer, "prediction", faults)
    if faults.reasons:
        raise ValueError(faults.reasons[0].message.en)
    fields = {"true": truth, "prediction": answer, **({} if mode is None else {"mode": mode})}
    scored = score(subtask, true, predicted, mode)
    return {
        "subtask": subtask.value,
        **scored.to_dict(),
        "missing": len(scored.apart.missing),
        "fingerprint": fingerprint(f"fusion.{subtask.key}", fields),
    }
