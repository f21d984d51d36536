"""Metrics of HTR, VQA and zsOD: lines read, questions answered, objects found (tracks.md §4; F).

The mode ``normalised`` of VQA compares answers whatever their wording (tracks.md §4). The true and the predicted
answer are normalised alike (the contest's public script normalises only the prediction, so that a truth with an article
can never be met). Lemmas are pymorphy3's first reading of a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from markup_core.matching.assignment import FREE, heaviest
from tracks.fusion.subtasks import Scored, Subtask, is_other_form, sorted_apart


# Clause: F HTR accuracy, F HTR missing
def htr_score(truth: Mapping[str, str], prediction: Mapping[str, str]) -> Scored:
    """Compute the share of strings recognised without any difference; a missing key is an empty string (F, HTR).

    Strings are compared as they are: neither blanks nor case nor the form of Unicode is changed. How many differ by
    their form alone (й as letter and mark) is counted as ``other_form``. Undefined without images.
    """
    right = sum(prediction.get(name, "") == text for name, text in truth.items())
    forms = sum(is_other_form(prediction.get(name, ""), text) for name, text in truth.items())
    parts = {"right": right, "total": len(truth), **({"other_form": forms} if forms else {})}
    return Scored(Subtask.HTR, right / len(truth) if truth else None, parts, sorted_apart(truth, prediction))


NORMALISED: Final = "normalised"
VQA_MODES: Final = (NORMALISED,)
LANGUAGES: Final = ("ru", "en")


class TrueAnswer(NamedTuple):
    """A true answer and the language of its question."""

    text: str
    lang: str


# Clause: F VQA accuracy, tracks §4 missing
def vqa_score(truth: Mapping[str, TrueAnswer], prediction: Mapping[str, str], mode: str | None = None) -> Scored:
    """Return the share of right answers; a missing one is wrong. Undefined without questions.

    Wrong answers that differ from the truth by their Unicode form alone are counted as ``other_form``.
    """
    right = sum(
        is_right(answer, prediction[name], normalised=mode == NORMALISED)
        for name, answer in truth.items()
        if name in prediction
    )
    forms = 0
    if mode != NORMALISED:
        forms = sum(
            is_other_form(prediction.get(name, "").strip(), answer.text.strip()) for name, answer in truth.items()
        )
    parts = {"right": right, "total": len(truth), **({"other_form": forms} if forms else {})}
    return Scored(Subtask.VQA, right / len(truth) if truth else None, parts, sorted_apart(truth, prediction))


# Clause: F VQA accuracy, tracks §4 modes
def is_right(answer: TrueAnswer, predicted: str, *, normalised: bool = False) -> bool:
    """Compare answers after trimming (F, Accuracy: exact matches); ``normalised``: also by the words that they mean.

    An answer of which normalising leaves nothing (an article alone) is compared as it stands.
    """
    if answer.text.strip() == predicted.strip():
        return True
    if not normalised:
        return False

    true_words = words(answer.text, answer.lang)
    return bool(true_words) and true_words == words(predicted, answer.lang)


_ARTICLES: Final = frozenset({"a", "an", "the"})
_ENGLISH: Final[Mapping[str, str]] = {
    "none": "0",
    **{
        word: str(number) for number, word in enumerate("zero one two three four five six seven eight nine ten".split())
    },
}
_RUSSIAN: Final[Mapping[str, str]] = {
    **dict.fromkeys(("нуль", "нисколько", "никакой"), "0"),
    **{
        word: str(number)
        for number, word in enumerate("ноль один два три четыре пять шесть семь восемь девять десять".split())
    },
}
"""Number words as the public script knows them, up to ten."""
_BETWEEN_DIGITS: Final = re.compile(r"(?<=\d),(?=\d)")
_STOPS: Final = re.compile(r"(?<!\d)[.:]|[.:](?!\d)")
_PUNCTUATION: Final = re.compile(r"[^\w\s'.:%$€£₽°#&]|_")


def words(answer: str, lang: str) -> tuple[str, ...]:
    """Return an answer's words in ``lang`` ("ru" or "en"), without articles, number words as digits; may be empty."""
    # Punctuation is a blank, but nothing at all in ``2,000`` and itself in ``3.5`` and ``10:30``.
    text = _BETWEEN_DIGITS.sub("", normalize("NFC", answer).lower().replace("’", "'"))
    tokens = _PUNCTUATION.sub(" ", _STOPS.sub(" ", text)).split()
    if lang == "en":
        return tuple(_ENGLISH.get(word, word) for word in tokens if word not in _ARTICLES)
    lemmas = map(_lemma, tokens)
    return tuple(_RUSSIAN.get(lemma, lemma) for lemma in lemmas)


@lru_cache(maxsize=1)
def _analyzer() -> Any:
    from pymorphy3 import MorphAnalyzer  # type: ignore[import-untyped]  # the library has no annotations

    return MorphAnalyzer(lang="ru")


@lru_cache(maxsize=65_536)
def _lemma(word: str) -> str:
    """Return a word's dictionary form; ё and е are one letter here, since most writers do not tell them apart."""
    lemma: str = _analyzer().parse(word)[0].normal_form
    return lemma.replace("ё", "е")


STRICT_TEXT: Final = "strict_text"
ONE_TO_ONE: Final = "one_to_one"
ZSOD_MODES: Final = (STRICT_TEXT, ONE_TO_ONE)
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
    """Numbers of right boxes, of wrong boxes and of missed objects."""

    tp: int
    fp: int
    fn: int


def zsod_score(
    truth: Mapping[str, Mapping[str, Boxes]], prediction: Mapping[str, Mapping[str, Boxes]], mode: str | None = None
) -> Scored:
    """Compute F1 over the classes of all images; images and classes that were not requested are reported and ignored.

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
    total = Hits(*(sum(hits[place] for hits in counts) for place in range(3)))
    unknown = {
        image: sorted(prediction[image].keys() - classes.keys())
        for image, classes in sorted(truth.items())
        if prediction.get(image, {}).keys() - classes.keys()
    }
    apart = replace(sorted_apart(truth, prediction), unknown_classes=unknown)
    parts = {**total._asdict(), **({"repeated": repeated} if repeated else {})}
    return Scored(Subtask.ZSOD, f1(total), parts, apart)


# Clause: F zsOD FP, F zsOD FN, tracks §4 modes, tracks §4 missing
def count(truth: Boxes, prediction: Boxes, mode: str | None = None) -> Hits:
    """Count hits, false boxes and missed objects of one class of one image (F, the rules under F1-score).

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
    """
    if mode == ONE_TO_ONE:
        rows = [[(place, 1) for place, box in enumerate(prediction) if overlaps(box, true)] for true in truth]
        hits = sum(mate != FREE for mate in heaviest(rows, len(prediction)).mate_x)
        return Hits(hits, len(prediction) - hits, len(truth) - hits)
    hits = sum(any(overlaps(box, true) for true in truth) for box in prediction)
    missed = int(bool(truth) and not prediction) if mode == STRICT_TEXT else max(0, len(truth) - len(prediction))
    return Hits(hits, len(prediction) - hits, missed)


# Clause: F zsOD F1
def f1(counts: Hits) -> float:
    """Compute 2·P·R / (P + R), which is 2·TP / (2·TP + FP + FN); 0 if there is nothing to divide by (tracks.md §4)."""
    whole = 2 * counts.tp + counts.fp + counts.fn
    return 2 * counts.tp / whole if whole else 0.0


# Clause: F zsOD IoU
def overlaps(one: Box, other: Box) -> bool:
    """Check whether IoU is over 0.5 (F, IoU); IoU of boxes without an area is 0.

    Close to 0.5, and for boxes of no image's size, it is computed exactly with the decimals as they were written.
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
    """Compute intersection over union of floats or of fractions."""
    x, y, w, h = one
    left_edge, top_edge, width, height = other
    across, down = min(x + w, left_edge + width) - max(x, left_edge), min(y + h, top_edge + height) - max(y, top_edge)
    if across <= 0 or down <= 0:
        return 0
    common = across * down
    return common / (w * h + width * height - common)
