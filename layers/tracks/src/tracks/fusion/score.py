"""Score records of the four subtasks, and the checks of the contest's dictionaries of answers.

:func:`score` scores any subtask by its name, in its ways of counting. The dictionaries are checked with every fault,
its place, in both languages (tracks.md §4, §5 "Forms"): each reader takes a JSON value and a :class:`Faults`, adds the
faults and returns the valid part. Codes: ``not_an_object``, ``not_a_string``, ``not_a_list``, ``not_a_box``,
``not_a_number``, ``negative_size``, ``missing_field``, ``unknown_lang``, ``too_long``, ``too_many_boxes``,
``too_large``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from unicodedata import normalize

from markup_core.reading.wire import short
from tracks.base import fingerprint
from tracks.capabilities import Counted
from tracks.fields import is_number
from tracks.fusion import c2c, metrics
from tracks.fusion.c2c import laid_out
from tracks.fusion.metrics import LANGUAGES, Box, Boxes, TrueAnswer
from tracks.fusion.subtasks import Scored, Subtask
from tracks.protocol import Json, Reason, Text
from tracks.texts import tr, tr_in

MOST_BOXES: Final = 1000
"""Of one class of one image: detectors are judged by their first hundred, and each is held against every true box."""
LARGEST: Final = 100_000
"""Pixels of a coordinate or side: no image has more, and decimals beyond cost exact fractions."""
LONGEST_TEXT: Final = 100_000
"""Characters of a program, a line of handwriting or an answer; the longest programs of the contest have some 10 000."""
MOST_FAULTS: Final = 100
"""Faults told of one dictionary; a file with more of them is wrong throughout."""


@dataclass(slots=True)
class Faults:
    """Faults of one dictionary, collected up to a limit."""

    reasons: list[Reason] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Say whether the limit of faults is reached."""
        return len(self.reasons) >= MOST_FAULTS

    def add(self, code: str, where: str, problem: Text) -> None:
        """Add a fault; the sentence begins with the place."""
        if not self.full:
            self.reasons.append(Reason(code, tr("{where} {problem}", where=where, problem=problem), {"field": where}))


def at(where: str, name: str | int) -> str:
    """Return the place of a key or an index as faults name it."""
    return f"{where}[{name}]" if isinstance(name, int) else f"{where}[{short(name)}]"


# Clause: F C2C requests
def read_texts(raw: Json, where: str, faults: Faults) -> dict[str, str]:
    """Read ``{id: string}`` of C2C, HTR and predictions of VQA."""
    texts = {}
    for name, value in _object(raw, where, faults).items():
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            faults.add(
                "too_long",
                at(where, name),
                tr("has {count} characters, the most are {longest_text}", count=len(value), longest_text=LONGEST_TEXT),
            )
        elif isinstance(value, str):
            texts[name] = value
        else:
            faults.add("not_a_string", at(where, name), _must_be(tr("a string"), value))
    return texts


def read_answers(raw: Json, where: str, faults: Faults) -> dict[str, TrueAnswer]:
    """Read ``{id: {"answer": string, "lang": "ru" or "en"}}``, the truth of VQA."""
    answers = {}
    for name, value in _object(raw, where, faults).items():
        place = at(where, name)
        fields = _object(value, place, faults)
        if not isinstance(value, Mapping):
            continue
        texts = [_text(fields, place, key, faults) for key in ("answer", "lang")]
        if texts[1] is not None and texts[1] not in LANGUAGES:
            languages = ", ".join(LANGUAGES)
            problem = tr("must be one of {languages}, not {texts}", languages=languages, texts=short(texts[1]))
            faults.add("unknown_lang", f"{place}.lang", problem)
        elif texts[0] is not None and texts[1] is not None:
            answers[name] = TrueAnswer(texts[0], texts[1])
    return answers


# Clause: F zsOD requests
def read_boxes(raw: Json, where: str, faults: Faults) -> dict[str, dict[str, Boxes]]:
    """Read ``{image: {class: [[x, y, w, h], …]}}`` of zsOD; ``[[]]`` is ``[]``."""
    images: dict[str, dict[str, Boxes]] = {}
    for image, classes in _object(raw, where, faults).items():
        place = at(where, image)
        images[image] = {
            name: _boxes(value, at(place, name), faults) for name, value in _object(classes, place, faults).items()
        }
    return images


def _boxes(raw: Json, where: str, faults: Faults) -> Boxes:
    if not isinstance(raw, list):
        faults.add("not_a_list", where, _must_be(tr("a list of boxes"), raw))
        return ()
    if raw == [[]]:
        return ()
    if len(raw) > MOST_BOXES:
        faults.add(
            "too_many_boxes",
            where,
            tr("has {raw} boxes, the most are {most_boxes}", raw=len(raw), most_boxes=MOST_BOXES),
        )
        return ()
    boxes = (_box(box, at(where, number), faults) for number, box in enumerate(raw))
    return tuple(box for box in boxes if box is not None)


def _box(raw: Json, where: str, faults: Faults) -> Box | None:
    if not isinstance(raw, list) or len(raw) != 4:
        faults.add("not_a_box", where, _must_be(tr("a box [x, y, w, h]"), raw))
        return None
    for name, value in zip("xywh", raw, strict=True):
        if not is_number(value):
            message = tr("must have a finite number for {name}, not {value}", name=name, value=short(value))
            faults.add("not_a_number", where, message)
            return None
        if abs(value) > LARGEST:
            problem = tr("{name} = {value} is beyond {largest}", name=name, value=short(value), largest=LARGEST)
            faults.add("too_large", where, problem)
            return None
        if name in "wh" and value < 0:
            problem = tr("has a negative size: {name} = {value}", name=name, value=short(value))
            faults.add("negative_size", where, problem)
            return None
    return Box(*map(float, raw))


def _object(raw: Json, where: str, faults: Faults) -> Mapping[str, Any]:
    if isinstance(raw, Mapping):
        return raw
    faults.add("not_an_object", where, _must_be(tr("an object"), raw))
    return {}


def _text(fields: Mapping[str, Any], where: str, key: str, faults: Faults) -> str | None:
    value = fields.get(key)
    if isinstance(value, str):
        return value
    if key in fields:
        faults.add("not_a_string", f"{where}.{key}", _must_be(tr("a string"), value))
    else:
        faults.add("missing_field", f"{where}.{key}", tr_in("score", "is missing"))
    return None


def _must_be(allowed: Text, value: Json) -> Text:
    return tr_in("score", "must be {allowed}, not {value}", allowed=allowed, value=short(value))


Reader = Callable[[Json, str, Faults], Mapping[str, Any]]
TRUTH: Final[Mapping[Subtask, Reader]] = {
    Subtask.C2C: read_texts,
    Subtask.HTR: read_texts,
    Subtask.ZSOD: read_boxes,
    Subtask.VQA: read_answers,
}
# Clause: F output
PREDICTION: Final[Mapping[Subtask, Reader]] = {**TRUTH, Subtask.VQA: read_texts}

MODES: Final[Mapping[Subtask, tuple[str, ...]]] = {
    Subtask.C2C: c2c.MODES,
    Subtask.HTR: (),
    Subtask.ZSOD: metrics.ZSOD_MODES,
    Subtask.VQA: metrics.VQA_MODES,
}
"""Ways of counting besides the usual one, which has no name."""


def score(subtask: Subtask, truth: Mapping[str, Any], prediction: Mapping[str, Any], mode: str | None = None) -> Scored:
    """Score a subtask's dictionaries that :data:`TRUTH` and :data:`PREDICTION` have read.

    ``mode`` is one of the subtask's modes; HTR has none.
    """
    match subtask:
        case Subtask.C2C:
            return c2c.score(truth, prediction, mode)
        case Subtask.HTR:
            return metrics.htr_score(truth, prediction)
        case Subtask.ZSOD:
            return metrics.zsod_score(truth, prediction, mode)
        case Subtask.VQA:
            return metrics.vqa_score(truth, prediction, mode)


def record(item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> dict[str, Json]:
    """Build the score record of one subtask, recomputable by the operation and the fields of its fingerprint.

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


# Clause: TS T10
def counted(item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> dict[str, Counted]:
    """Reduce each prediction to the form that decides a subtask's score; an empty one counts as a missing one.

    C2C counts tokens and, apart from them, the program as it is laid out; HTR the string and its composed form; VQA
    the answer without blanks around it, where its mode normalises the words; zsOD boxes as they are, in any order, and
    to the pixel.
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


def _answer_views(prediction: str, true: Json, mode: str | None) -> tuple[Json, Json]:
    plain = prediction.strip()
    if mode != metrics.NORMALISED:
        return normalize("NFC", plain) or None, plain or None
    from tracks.fusion.metrics import words  # loads dictionaries

    return list(words(prediction, true["lang"])) or None, plain or None


def _box_views(
    prediction: Mapping[str, Sequence[Sequence[float]]], _true: Json, _mode: str | None
) -> tuple[Json, Json]:
    exact = {name: sorted(list(map(float, box)) for box in boxes if box) for name, boxes in prediction.items()}
    exact = {name: boxes for name, boxes in sorted(exact.items()) if boxes}
    rough = {name: sorted([round(side) for side in box] for box in boxes) for name, boxes in exact.items()}
    return rough or None, exact or None


_VIEWS: Final[Mapping[Subtask, Callable[[Any, Json, str | None], tuple[Json, Json]]]] = {
    Subtask.C2C: lambda program, _true, _mode: (program.split() or None, laid_out(program).strip() or None),
    Subtask.HTR: lambda text, _true, _mode: (normalize("NFC", text), text),
    Subtask.VQA: _answer_views,
    Subtask.ZSOD: _box_views,
}
