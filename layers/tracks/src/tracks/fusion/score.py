"""Score records, and any subtask by its name: reading its dictionaries, its ways of counting, scoring it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from unicodedata import normalize

from tracks.beside import Counted
from tracks.fingerprints import fingerprint
from tracks.fusion.dictionaries import Faults, read_answers, read_boxes, read_texts
from tracks.fusion.metrics import c2c, htr, vqa, zsod
from tracks.fusion.metrics.layout import laid_out
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


def counted(item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> dict[str, Counted]:
    """Return what a subtask's score takes of each prediction; one that says nothing is a missing one.

    C2C counts tokens and, apart from them, the program as it is laid out; HTR the string and its composed form; VQA
    the answer without blanks around it, where its mode normalises the words; zsOD boxes as they are, in any order, and
    to the pixel.

    Clause: TS T10
    """
    subtask, mode = Subtask(item["subtask"]), parameters["modes"].get(Subtask(item["subtask"]).key)
    truth, predictions = references[0] if references else {}, answer or {}
    missed_counts = subtask in (Subtask.C2C, Subtask.ZSOD)
    requests = {}
    for name, true in truth.items():
        prediction = predictions.get(name)
        views = _VIEWS[subtask](prediction, true, mode) if prediction else (None, None)
        silent = all(view is None for view in views)
        requests[name] = Counted(views, None if silent and not missed_counts else true)
    return requests


def _of_program(prediction: str, _true: Json, _mode: str | None) -> tuple[Json, Json]:
    return prediction.split() or None, laid_out(prediction).strip() or None


def _of_string(prediction: str, _true: Json, _mode: str | None) -> tuple[Json, Json]:
    return normalize("NFC", prediction), prediction


def _of_answer(prediction: str, true: Json, mode: str | None) -> tuple[Json, Json]:
    plain = prediction.strip()
    if mode != vqa.NORMALISED:
        return normalize("NFC", plain) or None, plain or None
    from tracks.fusion.metrics.wording import words  # loads dictionaries

    return list(words(prediction, true["lang"])) or None, plain or None


def _of_boxes(prediction: Mapping[str, Sequence[Sequence[float]]], _true: Json, _mode: str | None) -> tuple[Json, Json]:
    exact = {name: sorted(list(map(float, box)) for box in boxes if box) for name, boxes in prediction.items()}
    exact = {name: boxes for name, boxes in sorted(exact.items()) if boxes}
    rough = {name: sorted([round(side) for side in box] for box in boxes) for name, boxes in exact.items()}
    return rough or None, exact or None


_VIEWS: Final[Mapping[Subtask, Callable[[Any, Json, str | None], tuple[Json, Json]]]] = {
    Subtask.C2C: _of_program,
    Subtask.HTR: _of_string,
    Subtask.VQA: _of_answer,
    Subtask.ZSOD: _of_boxes,
}
