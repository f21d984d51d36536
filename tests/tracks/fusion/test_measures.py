"""String accuracy of recognised handwriting (tracks.md §4, HTR).

Accuracy of answers to questions about images (tracks.md §4, VQA).

F1 of objects found by their descriptions (tracks.md §4, zsOD).

Properties of the fusion track's scores: bounds, order, exact predictions (tracks.md §4).
"""

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

from tracks.fusion import c2c, score
from tracks.fusion.archive import check
from tracks.fusion.c2c import laid_out
from tracks.fusion.score import Box, TrueAnswer
from tracks.fusion.subtasks import CONTEST, MINIMA, Subtask, boards, contribution, integral, roubles


@pytest.mark.clause("F HTR accuracy", "F HTR missing")
@pytest.mark.parametrize(
    ("truth", "read", "expected"),
    [
        (("а", "б", ""), ("а", "Б"), {"score": 2 / 3, "right": 2, "total": 3}),
        (("", "x"), (), {"score": 0.5, "right": 1, "total": 2}),  # a missing image is an empty string
        (("слово",), ("слово ",), {"score": 0, "right": 0, "total": 1}),
        (("слово",), ("Слово",), {"score": 0, "right": 0, "total": 1}),
        (("слово",), ("слово\u0301",), {"score": 0, "right": 0, "total": 1}),
        ((), ("x",), {"score": None, "right": 0, "total": 0, "unknown": ["0.png"]}),
        # Wrong by the form of a letter alone.
        (("мой", "ёж", "а"), ("мо\u0438\u0306", "е\u0308ж "), {"score": 0, "right": 0, "total": 3, "other_form": 1}),
    ],
)
def test_string_accuracy_is_the_share_of_equal_strings(
    truth: tuple[str, ...], read: tuple[str, ...], expected: dict[str, object]
) -> None:
    of_images = ({f"{number}.png": each for number, each in enumerate(strings)} for strings in (truth, read))
    assert score.htr_score(*of_images).to_dict() == expected


@pytest.mark.clause("F VQA accuracy")
def test_answers_are_compared_exactly_after_trimming() -> None:
    truth = {"0": TrueAnswer("вниз", "ru"), "1": TrueAnswer("yes", "en"), "2": TrueAnswer("3", "en")}
    result = score.vqa_score(truth, {"0": " вниз\n", "1": "Yes", "5": "3"}).to_dict()
    assert result == {"score": 1 / 3, "right": 1, "total": 3, "unknown": ["5"]}


@pytest.mark.clause("F VQA accuracy", "tracks §4 missing")
def test_a_missing_answer_is_wrong_even_where_the_truth_is_empty() -> None:
    assert score.vqa_score({"0": TrueAnswer("", "en")}, {}).score == 0
    assert score.vqa_score({"0": TrueAnswer("", "en")}, {"0": " "}).score == 1


@pytest.mark.clause("tracks §4 modes")
@pytest.mark.parametrize(
    ("lang", "truth", "prediction"),
    [
        ("en", "The cat", "a cat"),
        ("en", "two", "2"),
        ("en", "none", "0"),
        ("en", "2,000", "2000"),
        ("en", "black and white", "Black-and white!"),
        ("en", "don’t walk", "don't walk."),
        ("en", "10:30", "10:30."),
        ("ru", "коты", "кот"),
        ("ru", "на зелёной траве", "На зеленая трава"),
        ("ru", "два", "2"),
        ("ru", "двумя", "2"),
        ("ru", "нисколько", "ноль"),
        ("ru", "«Стоп»", "стоп"),
        ("ru", "Три девочки", "3 девочка"),
        ("en", "The  two\tcats, on_the mat.", "2 cats on mat"),
    ],
)
def test_normalised_answers_are_equal_on_both_sides(lang: str, truth: str, prediction: str) -> None:
    for one, other in ((truth, prediction), (prediction, truth)):
        assert score.is_right(TrueAnswer(one, lang), other, normalised=True)
        assert not score.is_right(TrueAnswer(one, lang), other)


@pytest.mark.parametrize(
    ("lang", "truth", "prediction"),
    [
        ("en", "3.5", "35"),
        ("en", "cats", "cat"),
        ("en", "10:30", "10 30"),
        ("ru", "the кот", "кот"),
        ("ru", "кот", "кошка"),
        ("en", "yes no", "no yes"),
    ],
)
def test_normalised_answers_that_differ_are_different(lang: str, truth: str, prediction: str) -> None:
    assert not score.is_right(TrueAnswer(truth, lang), prediction, normalised=True)


def test_an_answer_of_which_nothing_is_left_is_compared_as_it_stands() -> None:
    assert score.is_right(TrueAnswer("A", "en"), "A", normalised=True)
    assert not score.is_right(TrueAnswer("A", "en"), "the", normalised=True)
    assert not score.is_right(TrueAnswer("?", "ru"), "", normalised=True)


def test_canonically_equal_answers_are_equal_where_normalised_and_counted_where_not() -> None:
    truth = {"1": TrueAnswer("синий", "ru"), "2": TrueAnswer("ёж", "ru")}
    prediction = {"1": "сини\u0438\u0306", "2": "ёжик"}
    assert score.vqa_score(truth, prediction, score.NORMALISED).to_dict() == {"score": 0.5, "right": 1, "total": 2}
    assert score.vqa_score(truth, prediction).to_dict() == {"score": 0, "right": 0, "total": 2, "other_form": 1}


CAT = Box(0, 0, 10, 10)
FAR = Box(500, 500, 10, 10)


def counted(truth: list[Box], prediction: list[Box], mode: str | None = None) -> tuple[int, int, int]:
    return tuple(score.count(tuple(truth), tuple(prediction), mode))


POINT, HUGE = Box(5, 5, 0, 0), Box(0.0, 0.0, 1e300, 1e300)


@pytest.mark.clause("F zsOD FP", "F zsOD FN", "tracks §4 missing", "tracks §4 modes")
@pytest.mark.parametrize(
    ("truth", "prediction", "mode", "counts"),
    [
        ([], [CAT, FAR], None, (0, 2, 0)),
        ([], [], None, (0, 0, 0)),
        ([CAT, FAR], [], None, (0, 0, 2)),
        ([CAT, FAR], [], "strict_text", (0, 0, 1)),
        ([CAT, FAR, FAR], [CAT], None, (1, 0, 2)),
        ([CAT, FAR, FAR], [CAT], "strict_text", (1, 0, 0)),
        ([CAT], [FAR], None, (0, 1, 0)),  # the decision's formula counts boxes, whether they hit or not: max(0, 1 − 1)
        ([CAT], [CAT, CAT], None, (2, 0, 0)),  # the public script counts equal boxes side by side once
        ([CAT, FAR], [CAT, CAT], None, (2, 0, 0)),
        ([POINT], [POINT], None, (0, 1, 0)),  # IoU of empty boxes is 0
        ([HUGE], [HUGE], None, (1, 0, 0)),
        ([HUGE], [CAT], None, (0, 1, 0)),
        ([CAT], [FAR], score.ONE_TO_ONE, (0, 1, 1)),
        ([], [FAR], score.ONE_TO_ONE, (0, 1, 0)),
        ([CAT], [], score.ONE_TO_ONE, (0, 0, 1)),
        ([], [], score.ONE_TO_ONE, (0, 0, 0)),
    ],
)
def test_boxes_are_hits_false_positives_and_misses(
    truth: list[Box], prediction: list[Box], mode: str | None, counts: tuple[int, int, int]
) -> None:
    assert counted(truth, prediction, mode) == counts


@pytest.mark.clause("F zsOD IoU")
@pytest.mark.parametrize(
    ("box", "hit"),
    [
        (Box(0, 0, 5.1, 10), True),  # 51 of 100
        (Box(0, 0, 5, 10), False),  # 50 of 100: not over a half; the public script counts it
        (Box(0, 0, 20, 10), False),  # 100 of 200
        (Box(0, 0, 4.9, 10), False),
        (Box(10, 0, 10, 10), False),  # touches
        (Box(0, 0, 0, 10), False),
    ],
)
def test_a_box_hits_when_iou_is_over_a_half(box: Box, hit: bool) -> None:
    assert counted([CAT], [box])[0] == hit


def test_a_half_is_a_half_as_it_is_written() -> None:
    """0.1, 0.2 and 0.3 are no binary fractions: floats make 0.5000000000000001 of this IoU of exactly 0.5."""
    truth, box = Box(0.1, 0.1, 0.2, 0.3), Box(0.1, 0.1, 0.1, 0.3)
    assert not score.overlaps(truth, box)
    assert score.overlaps(Box(0.1, 0.1, 0.1999999, 0.3), box)


@pytest.mark.clause("F zsOD F1")
def test_f1_is_counted_over_all_images() -> None:
    """Hand count: 0.jpg one hit, one false box; 1.jpg is missing with two objects. F1 = 2·1 / (2·1 + 1 + 2) = 0.4."""
    truth = {"0.jpg": {"cat": (CAT,), "dog": ()}, "1.jpg": {"cow": (CAT, FAR)}}
    result = score.zsod_score(truth, {"0.jpg": {"cat": (CAT,), "dog": (FAR,)}}).to_dict()
    assert result == {"score": 0.4, "tp": 1, "fp": 1, "fn": 2}


@pytest.mark.parametrize("truth", [{}, {"0.jpg": {"cat": ()}}, {"0.jpg": {}}])
def test_without_a_box_anywhere_f1_is_zero(truth: Any) -> None:
    assert score.zsod_score(truth, {}).score == 0


def test_images_and_classes_nobody_asked_for_are_told_and_ignored() -> None:
    truth = {"0.jpg": {"cat": (CAT,)}}
    result = score.zsod_score(truth, {"0.jpg": {"cat": (CAT,), "cow": (CAT,)}, "9.jpg": {"cat": (CAT,)}}).to_dict()
    assert (result["score"], result["unknown"], result["unknown_classes"]) == (1, ["9.jpg"], {"0.jpg": ["cow"]})


def test_by_the_contest_s_rule_a_thousand_equal_boxes_are_a_thousand_hits_and_are_counted() -> None:
    """One object of 21: 2·1 / (2·1 + 20) = 0.0909; a thousand times: 2000 / 2020 = 0.9901."""
    truth = {"0.jpg": {"cat": (CAT,), "dog": tuple(Box(30 * n, 30, 10, 10) for n in range(20))}}
    once, often = (score.zsod_score(truth, {"0.jpg": {"cat": (CAT,) * n}}).to_dict() for n in (1, 1000))
    assert once == {"score": 2 / 22, "tp": 1, "fp": 0, "fn": 20}
    assert often == {"score": 2000 / 2020, "tp": 1000, "fp": 0, "fn": 20, "repeated": 999}
    paired = score.zsod_score(truth, {"0.jpg": {"cat": (CAT,) * 1000}}, score.ONE_TO_ONE).to_dict()
    assert paired == {"score": 2 / (2 + 999 + 20), "tp": 1, "fp": 999, "fn": 20, "repeated": 999}


@pytest.mark.clause("tracks §4 modes")
def test_one_to_one_pairs_as_many_boxes_and_objects_as_can_be_paired_in_any_order() -> None:
    """The middle box hits both objects, the other the left one alone, which a greedy middle box would take."""
    left, right = Box(0, 0, 10, 10), Box(4, 0, 10, 10)
    middle, own = Box(2, 0, 10, 10), Box(-2, 0, 10, 10)
    assert score.overlaps(middle, left)
    assert score.overlaps(middle, right)
    assert not score.overlaps(own, right)
    for truth in ([left, right], [right, left]):
        for boxes in ([middle, own], [own, middle]):
            assert counted(truth, boxes, score.ONE_TO_ONE) == (2, 0, 0)


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


@pytest.mark.property
@given(st.dictionaries(IDS, PROGRAMS, max_size=3), st.dictionaries(IDS, PROGRAMS, max_size=4), st.integers(0, 9))
def test_codebleu_stays_within_bounds_and_knows_no_order(truth: Any, prediction: Any, seed: int) -> None:
    for mode in (None, c2c.STRICT_TEXT):
        result = c2c.score(truth, prediction, mode)
        assert (result.score is None) == (not truth)
        assert all(part is None or 0 <= part <= 1 + 1e-12 for part in result.parts.values())
        assert result == c2c.score(shuffled(truth, seed), shuffled(prediction, seed), mode)


@pytest.mark.property
@given(st.dictionaries(IDS, PROGRAMS, min_size=1, max_size=3))
def test_an_exact_translation_is_worth_everything_there_is(truth: dict[str, str]) -> None:
    """Not so where there is nothing to earn: programs under five tokens, or without syntax or data flow."""
    result = c2c.score(truth, truth)
    trees = [c2c.parsed(laid_out(program)) for program in truth.values()]
    if all(len(program.split()) >= 5 for program in truth.values()):
        assert result.parts["ngram"] == pytest.approx(1)
        assert result.parts["weighted_ngram"] == pytest.approx(1)
    assert result.parts["syntax"] == any(c2c.Subtrees().of(tree).total() for tree in trees)
    assert result.parts["dataflow"] == any(c2c.flows(tree).total() for tree in trees)


@pytest.mark.property
@given(st.dictionaries(IDS, PROGRAMS, min_size=1, max_size=3), PROGRAMS)
def test_counting_by_the_letter_never_gives_more(truth: dict[str, str], program: str) -> None:
    prediction = dict.fromkeys(truth, program)
    strict, usual = (c2c.score(truth, prediction, mode).score for mode in (c2c.STRICT_TEXT, None))
    assert strict is not None
    assert usual is not None
    assert strict <= usual


@pytest.mark.property
@given(IMAGES, IMAGES, st.integers(0, 9))
def test_f1_stays_within_bounds_and_knows_no_order(truth: Any, prediction: Any, seed: int) -> None:
    for mode in (None, score.STRICT_TEXT):
        result = score.zsod_score(truth, prediction, mode)
        assert result.score is not None
        assert 0 <= result.score <= 1
        assert result == score.zsod_score(shuffled(truth, seed), shuffled(prediction, seed), mode)


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


@pytest.mark.property
@given(IMAGES, IMAGES)
def test_boxes_are_counted_as_exact_arithmetic_counts_them(truth: Any, prediction: Any) -> None:
    parts = score.zsod_score(truth, prediction).parts
    assert (parts["tp"], parts["fp"], parts["fn"]) == exact_counts(truth, prediction)


@pytest.mark.property
@given(IMAGES)
def test_exact_boxes_are_worth_everything_if_they_have_an_area(truth: Any) -> None:
    solid = {
        image: {name: tuple(box for box in boxes if box.w and box.h) for name, boxes in classes.items()}
        for image, classes in truth.items()
    }
    anything = any(boxes for classes in solid.values() for boxes in classes.values())
    assert score.zsod_score(solid, solid).score == anything


@pytest.mark.property
@given(PREDICTIONS, PREDICTIONS, st.integers(0, 9))
def test_string_accuracy_knows_no_order_and_no_unknown_images(truth: Any, prediction: Any, seed: int) -> None:
    result = score.htr_score(truth, prediction)
    assert result == score.htr_score(shuffled(truth, seed), shuffled(prediction, seed))
    assert (
        result.score == score.htr_score(truth, {name: text for name, text in prediction.items() if name in truth}).score
    )
    assert score.htr_score(truth, truth).score == (1 if truth else None)


@pytest.mark.property
@given(ANSWERS, PREDICTIONS, st.integers(0, 9))
def test_normalised_accuracy_is_never_below_the_exact_one(truth: Any, prediction: Any, seed: int) -> None:
    exact, normalised = (score.vqa_score(truth, prediction, mode).score for mode in (None, score.NORMALISED))
    assert (exact is None) == (normalised is None) == (not truth)
    if exact is not None and normalised is not None:
        assert 0 <= exact <= normalised <= 1
    for mode in (None, score.NORMALISED):
        assert score.vqa_score(truth, prediction, mode) == score.vqa_score(
            shuffled(truth, seed), shuffled(prediction, seed), mode
        )
        assert score.vqa_score(truth, {name: answer.text for name, answer in truth.items()}, mode).score == (
            1 if truth else None
        )


@pytest.mark.property
@given(SCORES)
def test_the_sum_is_that_of_its_rounded_parts(scores: Any) -> None:
    result = integral(scores)
    assert (result is None) == (None in scores.values())
    if result is not None:
        assert result == sum(contribution(subtask, score) for subtask, score in scores.items())
        assert 0 <= result <= 4
        assert abs(float(result) - sum(score / value.most for value, score in scores.items())) <= 0.002 + 1e-9


@pytest.mark.property
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


@pytest.mark.property
@given(st.dictionaries(IDS, SCORES, max_size=6), st.integers(0, 9))
def test_boards_know_no_order_of_teams(teams: Any, seed: int) -> None:
    result = boards(teams)
    assert result == boards(shuffled(teams, seed))
    for row in (result.by_sum, *result.by_subtask.values()):
        places = [each.place for each in row]
        assert {each.team for each in row} == set(teams)
        assert all(place == 1 + sum(other < place for other in places) for place in places)


@pytest.mark.property
@given(st.binary(max_size=300), st.integers(0, 400))
def test_no_bytes_make_the_check_of_an_archive_fail(noise: bytes, place: int) -> None:
    """An archive with anything written over a part of it is judged, never a crash."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as result:
        result.writestr("metadata.json", '{"image": "a", "entry_point": "b"}')
        result.writestr("run.py", "print()" * 20)
    content = bytearray(stream.getvalue())
    content[place : place + len(noise)] = noise
    checked = check(io.BytesIO(bytes(content)))
    assert checked.valid or checked.reasons
