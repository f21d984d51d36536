"""Properties of the fusion track's scores: bounds, order, exact predictions (tracks.md §4)."""

from __future__ import annotations

import io
import random
import zipfile
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracks.fusion import c2c, dataflow, metrics
from tracks.fusion.aggregate import boards
from tracks.fusion.archive import check
from tracks.fusion.c2c import laid_out
from tracks.fusion.metrics import Box, TrueAnswer
from tracks.fusion.subtasks import CONTEST, MINIMA, Subtask, contribution, integral, roubles

pytestmark = pytest.mark.property

WORDS = (
    "x y z 1 2 + - * = == ( ) [ ] , : . for while if elif else in def return print lambda NEW_LINE INDENT DEDENT"
    " 'a' \"b # ё"
).split()
PROGRAMS = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
IDS = st.text("0123456789", min_size=1, max_size=2)
TEXTS = st.text("аб aB.,2'", max_size=4)
SIDES = st.integers(0, 12).map(float) | st.sampled_from([0.1, 0.2, 0.3, 1e-9, 1e200])
BOXES = st.lists(st.builds(Box, SIDES, SIDES, SIDES, SIDES), max_size=4).map(tuple)
IMAGES = st.dictionaries(IDS, st.dictionaries(st.sampled_from(["cat", "dog", "cow"]), BOXES, max_size=3), max_size=4)
ANSWERS = st.dictionaries(IDS, st.builds(TrueAnswer, TEXTS, st.sampled_from(["ru", "en"])), max_size=5)
PREDICTIONS = st.dictionaries(IDS, TEXTS, max_size=5)
SHARES = st.none() | st.floats(0, 1)
SCORES = st.builds(
    lambda code, *rest: dict(zip(Subtask, (code, *rest), strict=True)),
    st.none() | st.floats(0, 100),
    SHARES,
    SHARES,
    SHARES,
)


def shuffled(value: Any, seed: int) -> Any:
    """Return the same dictionaries and boxes in another order."""
    chance = random.Random(seed)
    if isinstance(value, dict):
        entries = [(key, shuffled(each, seed)) for key, each in value.items()]
        chance.shuffle(entries)
        return dict(entries)
    if isinstance(value, tuple) and not isinstance(value, Box | TrueAnswer):
        boxes = list(value)
        chance.shuffle(boxes)
        return tuple(boxes)
    return value


@given(st.dictionaries(IDS, PROGRAMS, max_size=3), st.dictionaries(IDS, PROGRAMS, max_size=4), st.integers(0, 9))
def test_codebleu_stays_within_bounds_and_knows_no_order(truth: Any, prediction: Any, seed: int) -> None:
    for mode in (None, c2c.STRICT_TEXT):
        found = c2c.score(truth, prediction, mode)
        assert (found.score is None) == (not truth)
        assert all(part is None or 0 <= part <= 1 + 1e-12 for part in found.parts.values())
        assert found == c2c.score(shuffled(truth, seed), shuffled(prediction, seed), mode)


@given(st.dictionaries(IDS, PROGRAMS, min_size=1, max_size=3))
def test_an_exact_translation_is_worth_everything_there_is(truth: dict[str, str]) -> None:
    """Not so where there is nothing to earn: programs under five tokens, or without syntax or data flow."""
    found = c2c.score(truth, truth)
    trees = [dataflow.parsed(laid_out(program)) for program in truth.values()]
    if all(len(program.split()) >= 5 for program in truth.values()):
        assert found.parts["ngram"] == pytest.approx(1)
        assert found.parts["weighted_ngram"] == pytest.approx(1)
    assert found.parts["syntax"] == any(dataflow.Subtrees().of(tree).total() for tree in trees)
    assert found.parts["dataflow"] == any(dataflow.flows(tree).total() for tree in trees)


@given(st.dictionaries(IDS, PROGRAMS, min_size=1, max_size=3), PROGRAMS)
def test_counting_by_the_letter_never_gives_more(truth: dict[str, str], program: str) -> None:
    prediction = dict.fromkeys(truth, program)
    strict, usual = (c2c.score(truth, prediction, mode).score for mode in (c2c.STRICT_TEXT, None))
    assert strict is not None
    assert usual is not None
    assert strict <= usual


@given(IMAGES, IMAGES, st.integers(0, 9))
def test_f1_stays_within_bounds_and_knows_no_order(truth: Any, prediction: Any, seed: int) -> None:
    for mode in (None, metrics.STRICT_TEXT):
        found = metrics.zsod_score(truth, prediction, mode)
        assert found.score is not None
        assert 0 <= found.score <= 1
        assert found == metrics.zsod_score(shuffled(truth, seed), shuffled(prediction, seed), mode)


def exact_counts(truth: Any, prediction: Any) -> tuple[int, int, int]:
    """Count by the rules of F with the decision, word by word, in exact arithmetic."""
    tp = fp = fn = 0
    for image, classes in truth.items():
        for name, true in classes.items():
            boxes = prediction.get(image, {}).get(name, ())
            fn += len(true) - len(boxes) if len(true) > len(boxes) else 0
            for box in boxes:
                if any(exact_iou(box, each) > Fraction(1, 2) for each in true):
                    tp += 1
                else:
                    fp += 1
    return tp, fp, fn


def exact_iou(one: Box, other: Box) -> Fraction:
    (x, y, w, h), (a, b, c, d) = ([Fraction(repr(number)) for number in box] for box in (one, other))
    common = max(Fraction(0), min(x + w, a + c) - max(x, a)) * max(Fraction(0), min(y + h, b + d) - max(y, b))
    return common / (w * h + c * d - common) if common else Fraction(0)


@given(IMAGES, IMAGES)
def test_boxes_are_counted_as_exact_arithmetic_counts_them(truth: Any, prediction: Any) -> None:
    parts = metrics.zsod_score(truth, prediction).parts
    assert (parts["tp"], parts["fp"], parts["fn"]) == exact_counts(truth, prediction)


@given(IMAGES)
def test_exact_boxes_are_worth_everything_if_they_have_an_area(truth: Any) -> None:
    solid = {
        image: {name: tuple(box for box in boxes if box.w and box.h) for name, boxes in classes.items()}
        for image, classes in truth.items()
    }
    anything = any(boxes for classes in solid.values() for boxes in classes.values())
    assert metrics.zsod_score(solid, solid).score == anything


@given(PREDICTIONS, PREDICTIONS, st.integers(0, 9))
def test_string_accuracy_knows_no_order_and_no_unknown_images(truth: Any, prediction: Any, seed: int) -> None:
    found = metrics.htr_score(truth, prediction)
    assert found == metrics.htr_score(shuffled(truth, seed), shuffled(prediction, seed))
    assert (
        found.score
        == metrics.htr_score(truth, {name: text for name, text in prediction.items() if name in truth}).score
    )
    assert metrics.htr_score(truth, truth).score == (1 if truth else None)


@given(ANSWERS, PREDICTIONS, st.integers(0, 9))
def test_normalised_accuracy_is_never_below_the_exact_one(truth: Any, prediction: Any, seed: int) -> None:
    exact, normalised = (metrics.vqa_score(truth, prediction, mode).score for mode in (None, metrics.NORMALISED))
    assert (exact is None) == (normalised is None) == (not truth)
    if exact is not None and normalised is not None:
        assert 0 <= exact <= normalised <= 1
    for mode in (None, metrics.NORMALISED):
        assert metrics.vqa_score(truth, prediction, mode) == metrics.vqa_score(
            shuffled(truth, seed), shuffled(prediction, seed), mode
        )
        assert metrics.vqa_score(truth, {name: each.text for name, each in truth.items()}, mode).score == (
            1 if truth else None
        )


@given(SCORES)
def test_the_sum_is_that_of_its_rounded_parts(scores: Any) -> None:
    found = integral(scores)
    assert (found is None) == (None in scores.values())
    if found is not None:
        assert found == sum(contribution(subtask, score) for subtask, score in scores.items())
        assert 0 <= found <= 4
        assert abs(float(found) - sum(score / each.most for each, score in scores.items())) <= 0.002 + 1e-9


@given(SCORES, st.integers(1, 5))
def test_prizes_stay_within_their_place_and_grow_with_the_sum(scores: Any, place: int) -> None:
    total = integral(scores)
    if total is None:
        return
    amount = roubles(total, place, scores=scores)
    assert amount <= roubles(total, place) <= roubles(min(Decimal(4), total + Decimal("0.001")), place)
    if place > 3 or any(contribution(each, scores[each]) < MINIMA[each] for each in Subtask):
        assert amount == 0
    elif total >= CONTEST.smin:
        assert CONTEST.fix[place - 1] * 10**6 <= amount <= CONTEST.most[place - 1] * 10**6


@given(st.dictionaries(IDS, SCORES, max_size=6), st.integers(0, 9))
def test_boards_know_no_order_of_teams(teams: Any, seed: int) -> None:
    made = boards(teams)
    assert made == boards(shuffled(teams, seed))
    for row in (made.by_sum, *made.by_subtask.values()):
        places = [each.place for each in row]
        assert {each.team for each in row} == set(teams)
        assert all(place == 1 + sum(other < place for other in places) for place in places)


@given(st.binary(max_size=300), st.integers(0, 400))
def test_no_bytes_make_the_check_of_an_archive_fail(noise: bytes, place: int) -> None:
    """An archive with anything written over a part of it is judged, never a crash."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("metadata.json", '{"image": "a", "entry_point": "b"}')
        made.writestr("run.py", "print()" * 20)
    content = bytearray(stream.getvalue())
    content[place : place + len(noise)] = noise
    checked = check(io.BytesIO(bytes(content)))
    assert checked.valid or checked.reasons
