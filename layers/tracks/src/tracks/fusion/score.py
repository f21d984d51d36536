"""Metrics and score records of the four subtasks, and the checks of the contest's dictionaries (tracks.md §4; F).

:func:`score` scores any subtask by its name, in its ways of counting. The mode ``normalised`` of VQA compares answers
whatever their wording. The true and the predicted answer are normalised alike (the contest's public script normalises
only the prediction, so that a truth with an article can never be met). Lemmas are pymorphy3's first reading of a word.

The dictionaries are checked with every fault, its place, in both languages (tracks.md §4, §5 "Forms"): each reader
takes a JSON value and a :class:`Faults`, adds the faults and returns the valid part. Codes: ``not_an_object``,
``not_a_string``, ``not_a_list``, ``not_a_box``, ``not_a_number``, ``negative_size``, ``missing_field``,
``unknown_lang``, ``too_long``, ``too_many_boxes``, ``too_large``.

The operations ``fusion.*`` refuse a request's own fields with the code ``invalid_request`` (details: field), and
dictionaries with ``invalid_data`` (details: every fault, up to a hundred of each, with its code, field and message).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from markup_core.command.inputs import RefusedError
from markup_core.matching.assignment import FREE, heaviest
from markup_core.reading.wire import short
from markup_core.texts import first_of
from tracks.base import Fields, fingerprint, is_number, refuse
from tracks.capabilities import Counted
from tracks.fusion import c2c, subtasks
from tracks.fusion.c2c import laid_out
from tracks.fusion.subtasks import Scored, Subtask, decimal, integral, is_other_form, sorted_apart
from tracks.protocol import Json, Reason, Text
from tracks.texts import tr, tr_in


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
"""Range of areas that floats compare without running out of digits."""
_SHORT: Final = 1e-3
"""Least side: from it to ``_FAR`` floats give IoU to within 1e-7; images have fewer pixels, and boxes longer sides."""


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


MOST_BOXES: Final = 1000
"""Most boxes per class of an image: detectors are judged by their first 100; each is compared with every true box."""
LARGEST: Final = 100_000
"""Most pixels of a coordinate or side: no image has more, and decimals beyond it cost exact fractions."""
LONGEST_TEXT: Final = 100_000
"""Most characters of a program, handwritten line or answer; the contest's longest programs have some 10 000."""
MOST_FAULTS: Final = 100
"""Most faults reported of one dictionary; a file with more of them is wrong throughout."""


@dataclass(slots=True)
class Faults:
    """Faults of one dictionary, collected up to a limit."""

    reasons: list[Reason] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Return whether the limit of faults is reached."""
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
    Subtask.ZSOD: ZSOD_MODES,
    Subtask.VQA: VQA_MODES,
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
            return htr_score(truth, prediction)
        case Subtask.ZSOD:
            return zsod_score(truth, prediction, mode)
        case Subtask.VQA:
            return vqa_score(truth, prediction, mode)


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
    if mode != NORMALISED:
        return normalize("NFC", plain) or None, plain or None
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


_LISTS: Final = ("alpha", "fix", "max")
_PARAMS: Final = frozenset({"smin", "full", *_LISTS})


def refuse_data(reasons: Sequence[Reason]) -> None:
    """Refuse dictionaries with faults; nothing happens without any."""
    if reasons:
        faults = [{"code": fault.code, "message": fault.message.en, **fault.where} for fault in reasons]
        raise RefusedError("invalid_data", first_of([fault.message for fault in reasons], 1), faults)


def read_scores(fields: Fields) -> dict[Subtask, float | None]:
    """Read the four scores of a request: ``c2c`` from 0 to 100, the others from 0 to 1; null is an undefined one."""
    for subtask in Subtask:
        fields.raw(subtask.key)  # refuses one that is left out
    return {subtask: fields.number(subtask.key, None, low=0, high=subtask.most) for subtask in Subtask}


def read_params(fields: Fields) -> subtasks.PrizeParams:
    """Read the rules of the prizes; by default the contest's own. ``alpha``, ``fix``, ``max``: a number per place."""
    raw_params = fields.mapping("params", None)
    if raw_params is None:
        return subtasks.CONTEST
    params = fields.part("params")
    for name in sorted(raw_params.keys() - _PARAMS):
        names = ", ".join(sorted(_PARAMS))
        refuse(params.path(name), tr("is no parameter; known are {names}", names=names))
    own = subtasks.CONTEST
    alpha, fix, most = (
        _numbers(params, name, default) for name, default in zip(_LISTS, (own.alpha, own.fix, own.most), strict=True)
    )
    if not len(alpha) == len(fix) == len(most):
        refuse(fields.path("params"), tr("must give alpha, fix and max for the same number of places"))
    smin, full = (decimal(params.number(name, float(getattr(own, name)), low=0)) for name in ("smin", "full"))
    return subtasks.PrizeParams(smin, full, alpha, fix, most)


def _numbers(params: Fields, name: str, default: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    numbers = params.items(name, None)
    if numbers is None:
        return default
    entries = Fields({str(place): value for place, value in enumerate(numbers)}, params.path(name))
    return tuple(decimal(entries.number(str(place), low=0)) for place in range(len(numbers)))


def _scored(subtask: Subtask) -> Callable[[Fields], dict[str, Json]]:
    """Build the operation of a subtask; it reports faults of both dictionaries at once."""

    def operation(fields: Fields) -> dict[str, Json]:
        if not MODES[subtask] and fields.raw("mode", None) is not None:
            refuse(fields.path("mode"), tr("must be absent: {value} has one way of counting", value=subtask.value))
        mode: str | None = fields.choice("mode", MODES[subtask], None)
        true_faults, faults = Faults(), Faults()
        truth = TRUTH[subtask](fields.mapping("true"), "true", true_faults)
        prediction = PREDICTION[subtask](fields.mapping("prediction"), "prediction", faults)
        refuse_data([*true_faults.reasons, *faults.reasons])
        return score(subtask, truth, prediction, mode).to_dict()

    return operation


def _integral(fields: Fields) -> dict[str, Json]:
    total = integral(read_scores(fields))
    return {"s": None if total is None else float(total)}


def _prize(fields: Fields) -> dict[str, Json]:
    """Compute a prize; with ``scores`` (as ``fusion.integral`` takes them) none below one of the minima."""
    s, place = fields.number("s", low=0, high=len(Subtask)), fields.whole("place", low=1)
    scores = None if fields.mapping("scores", None) is None else read_scores(fields.part("scores"))
    amount = subtasks.roubles(decimal(s), place, read_params(fields), scores)
    return {"roubles": int(amount) if amount == amount.to_integral_value() else float(amount)}


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = {
    **{f"fusion.{subtask.key}": _scored(subtask) for subtask in Subtask},
    "fusion.integral": _integral,
    "fusion.prize": _prize,
}
