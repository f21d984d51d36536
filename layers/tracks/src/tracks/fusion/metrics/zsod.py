"""F1 of objects found by their descriptions (tracks.md §4, zsOD; F, "Подзадача 3")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

from markup_core.matching.assignment import FREE, heaviest
from tracks.fusion.subtasks import Scored, Subtask, sorted_apart

STRICT_TEXT: Final = "strict_text"
ONE_TO_ONE: Final = "one_to_one"
MODES: Final = (STRICT_TEXT, ONE_TO_ONE)
_HALF: Final = 0.5
_NEAR: Final = 1e-6
_FAR: Final = 1e5
_SEEN, _HUGE = 1e-200, 1e200
"""Between these, floats compare areas without running out of digits."""
_SHORT: Final = 1e-3
"""Between these, floats give IoU to within 1e-7: an image has fewer pixels, and a box is longer."""


class Box(NamedTuple):
    """A frame: left, top, width, height in pixels; sizes are never negative."""

    x: float
    y: float
    w: float
    h: float


Boxes = tuple[Box, ...]


class Hits(NamedTuple):
    """Boxes that hit, boxes that did not, and objects that were not found."""

    tp: int
    fp: int
    fn: int


def score(
    truth: Mapping[str, Mapping[str, Boxes]], prediction: Mapping[str, Mapping[str, Boxes]], mode: str | None = None
) -> Scored:
    """F1 over the classes of all images; images and classes that nobody asked for are told and ignored.

    Without a box on either side F1 is 0 (tracks.md §4). ``repeated`` counts predicted boxes equal to another one of
    their class and image: by the contest's rule each of them is a hit like the first.
    """
    couples = [
        (boxes, prediction.get(image, {}).get(name, ()))
        for image, classes in truth.items()
        for name, boxes in classes.items()
    ]
    counts = [count(boxes, predicted, mode) for boxes, predicted in couples]
    repeated = sum(len(predicted) - len(set(predicted)) for _, predicted in couples)
    total = Hits(*(sum(each[place] for each in counts) for place in range(3)))
    unknown = {
        image: sorted(prediction[image].keys() - classes.keys())
        for image, classes in sorted(truth.items())
        if prediction.get(image, {}).keys() - classes.keys()
    }
    apart = replace(sorted_apart(truth, prediction), unknown_classes=unknown)
    parts = {**total._asdict(), **({"repeated": repeated} if repeated else {})}
    return Scored(Subtask.ZSOD, f1(total), parts, apart)


def count(truth: Boxes, prediction: Boxes, mode: str | None = None) -> Hits:
    """What one class of one image adds (F, the rules under F1-score).

    - A class that is not in the image: every box is a false positive.
    - A class that is: a box with IoU over 0.5 with any true box is a true positive, also the second one on the same
      object; any other a false positive. IoU of exactly 0.5 is not over it (the public script counts it as a hit).
    - **Decision** (tracks.md §4): objects that were not found are as many as boxes are too few. With ``strict_text``,
      as F says, a class without any box is one false negative, and one with too few boxes is none.

    - **Decision**: with ``one_to_one`` a box finds one object and an object is found by one box: as many pairs with
      IoU over 0.5 as can be made are hits, every other box is a false positive, every other object is missed. For new
      contests: by F's rule a thousand equal boxes on one object are a thousand hits.

    The public script counts equal boxes that stand side by side once; here every box counts. Time: product of the
    numbers of boxes; with ``one_to_one`` times the smaller number.

    Clause: F zsOD FP, F zsOD FN, tracks §4 modes, tracks §4 missing
    """
    if mode == ONE_TO_ONE:
        hits = _pairs(truth, prediction)
        return Hits(hits, len(prediction) - hits, len(truth) - hits)
    hits = sum(any(overlaps(box, true) for true in truth) for box in prediction)
    missed = int(bool(truth) and not prediction) if mode == STRICT_TEXT else max(0, len(truth) - len(prediction))
    return Hits(hits, len(prediction) - hits, missed)


def _pairs(truth: Boxes, prediction: Boxes) -> int:
    """Return how many boxes and objects can be paired at most, each once."""
    rows = [[(place, 1) for place, box in enumerate(prediction) if overlaps(box, true)] for true in truth]
    return sum(mate != FREE for mate in heaviest(rows, len(prediction)).mate_x)


def f1(counts: Hits) -> float:
    """2·P·R / (P + R), which is 2·TP / (2·TP + FP + FN); 0 where there is nothing to divide by (tracks.md §4).

    Clause: F zsOD F1
    """
    whole = 2 * counts.tp + counts.fp + counts.fn
    return 2 * counts.tp / whole if whole else 0.0


def overlaps(one: Box, other: Box) -> bool:
    """Whether IoU is over 0.5 (F, IoU); IoU of boxes without an area is 0.

    Close to 0.5, and for boxes of no image's size, it is computed exactly with the decimals as they were written.

    Clause: F zsOD IoU
    """
    small, large = sorted((one.w * one.h, other.w * other.h))
    if _SEEN < large < _HUGE and small < large * (_HALF - _NEAR):
        return False  # IoU is at most the smaller area by the larger one
    if _tame(one) and _tame(other):
        value = _iou(one, other)
        if abs(value - _HALF) > _NEAR:
            return bool(value > _HALF)
    return bool(_iou(*(tuple(Fraction(str(number)) for number in box) for box in (one, other))) > _HALF)


def _tame(box: Box) -> bool:
    return max(map(abs, box)) <= _FAR and all(not side or side >= _SHORT for side in (box.w, box.h))


def _iou(one: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
    """Intersection over union of floats or of fractions."""
    x, y, w, h = one
    left, top, width, height = other
    across, down = min(x + w, left + width) - max(x, left), min(y + h, top + height) - max(y, top)
    if across <= 0 or down <= 0:
        return 0
    common = across * down
    return common / (w * h + width * height - common)
