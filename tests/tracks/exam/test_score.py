"""Points of single answers (tracks.md §2). What the benchmark's public scorer gives instead stands beside the case.

A submission's result: grade_norm, breakdowns, missing answers, refusals (tracks.md §2, §5).

Properties of the exam's points and results (tracks.md §2).
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.command.inputs import RefusedError
from tests.tracks.exam.exam_items import item, kind_of, right, variant
from tracks.base import Fields
from tracks.exam import tasks
from tracks.exam.commands import OPERATIONS
from tracks.exam.items import Key
from tracks.exam.track import mark, summarise

CHOICE = "multiple_choice_independent_options"
CHOICE_CASES = ("multiple_choice_based_on_text", "multiple_choice_options_within_text", CHOICE)


@pytest.mark.clause("U tasks", "U task 8", "U human")
def test_the_thirty_tasks_of_a_variant_bring_thirty_four_points() -> None:
    assert len(tasks.TASKS) == 30
    assert sum(map(tasks.maximum, tasks.TASKS)) == tasks.VARIANT_POINTS
    assert tasks.SECTION_OF.keys() == set(tasks.TASKS)
    assert round(tasks.HUMAN_POINTS / tasks.VARIANT_POINTS, 3) == tasks.HUMAN_GRADE_NORM
    assert tasks.TASKS[6:13] == ("7", "8_0", "8_1", "8_2", "8_3", "8_4", "9")


@pytest.mark.clause("U answers choice", "U points 1", "tracks §2 blanks")
@pytest.mark.parametrize("kind", CHOICE_CASES)
@pytest.mark.parametrize(
    ("prediction", "points"),
    [
        *(("1,3", 1), ("3,1", 1), ("1", 0), ("1,3,5", 0), ("1,2", 0), ("", 0), ("13", 0)),
        ("1,3,3", 1),  # a value that stands there twice is one of the set
        ("1,3,", 0),  # an empty value is a wrong one
        # The public scorer compares " 3" with "3" and gives 0 to all of these but the last, which is no such blank.
        *(("1, 3", 1), (" 1 ,3 ", 1), ("3 ,\n1", 1), ("\t1,3", 1), ("1 3", 0)),
    ],
)
def test_multiple_choice_is_all_or_nothing_as_a_set(kind: str, prediction: str, points: int) -> None:
    assert tasks.score("1,3", prediction, "12", kind) == tasks.score("1 , 3", prediction, "12", kind) == points


@pytest.mark.clause("U points 16", "tracks §2 blanks")
@pytest.mark.parametrize(
    ("gold", "prediction", "points"),
    [
        # Three right values; the public scorer gives their number: 3, 2, 2, 2, 1, 1, 1, 0, 0.
        ("1,3,5", "5,1,3", 2),
        ("1,3,5", "1,3", 1),  # one missing
        ("1,3,5", "1,3,4", 1),  # one wrong
        ("1,3,5", "1,3,5,2", 1),  # one too many
        ("1,3,5", "1", 0),  # two missing
        ("1,3,5", "1,2", 0),  # one missing and one wrong
        ("1,3,5", "1,3,5,2,4", 0),  # two too many
        ("1,3,5", "2,4", 0),
        ("1,3,5", "", 0),
        # Two right values.
        ("1,2", "2,1", 2),
        ("1,2", "1", 1),
        ("1,2", "1,3", 1),
        ("1,2", "1,2,3", 1),
        ("1,2", "3,4", 0),
        ("1,2", "1,3,4", 0),
        ("1,2", "1,2,2", 2),  # the public scorer takes a point off: 1
        ("1, 2", " 2 ,1", 2),
        # One right value.
        ("4", "4", 2),  # the public scorer: 1
        ("4", "4,1", 1),  # the public scorer: 0
        *(("4", "1", 0), ("4", "4,1,2", 0), ("4", "1,2", 0), ("4", "", 0)),
    ],
)
def test_task_16_brings_two_points_or_one_with_one_fault(gold: str, prediction: str, points: int) -> None:
    assert tasks.score(gold, prediction, "16", CHOICE) == points
    assert tasks.score("1,3,5", "1,3", "17", CHOICE) == 0, "no other task is scored in parts"


@pytest.mark.clause("U points 26")
@pytest.mark.parametrize(
    ("prediction", "points"),
    [
        ("4,9,2,8", 4),
        ("4,9,8,2", 2),
        ("9,4,8,2", 0),
        ("4, 9 ,2,8", 4),  # the public scorer: 3
        ("4,9,2", 3),  # of another length; the public scorer: 0
        ("4,9,2,8,1", 4),  # the public scorer: 0
        ("4", 1),
        ("1,4,9,2,8", 0),  # every value stands one place further
        (",9", 1),
        ("", 0),
        ("4,4,4,4", 1),
    ],
)
def test_task_26_brings_a_point_per_right_value_in_its_place(prediction: str, points: int) -> None:
    assert tasks.score("4,9,2,8", prediction, "26", "matching") == points


@pytest.mark.clause("U answers text", "U points 1", "U combinations")
@pytest.mark.parametrize(
    ("gold", "prediction", "points"),
    [
        *(("холодный", right, 1) for right in ("холодный", "Холодный", " холодный.", "1) холодный", "«ХОЛОДНЫЙ»")),
        ("холодный", "хо-лодный", 1),
        *(("холодный", wrong, 0) for wrong in ("мороз", "холодныймороз", "холодны", "", "12", "…")),
        ("такжекак,кактакже", "так же как", 1),
        ("такжекак,кактакже", "Как, также", 1),
        ("такжекак,кактакже", "как", 0),
        # Listed texts are normalised like the answer; the public scorer leaves them as they are and gives 0.
        ("Всё-таки, ещё раз", "всё таки", 1),
        ("Всё-таки, ещё раз", "ещераз", 0),
        ("Всё-таки, ещё раз", "ещё раз!", 1),
        ("потому,,", "42", 0),  # without letters, and yet not the empty one of the list
        # й and ё as letter and mark: the mark is not a sign to be left out, or й would become и.
        ("мой", "мо\u0438\u0306", 1),
        ("мои", "мо\u0438\u0306", 0),
        ("ЁЖ", "е\u0308ж", 1),
        ("за\u0301мок", "замок", 1),  # a stress is a sign: no letter is composed with it
    ],
)
def test_a_text_is_compared_by_its_letters_alone(gold: str, prediction: str, points: int) -> None:
    assert tasks.score(gold, prediction, "6", "text") == points


@pytest.mark.clause("U points 1", "tracks §2 missing")
def test_no_answer_brings_nothing_in_every_type() -> None:
    kinds = (("12", CHOICE), ("16", CHOICE), ("26", "matching"))
    assert [tasks.score("1,3", None, task, kind) for task, kind in kinds] == [0, 0, 0]
    assert tasks.score("слово", None, "6", "text") == 0


@pytest.mark.parametrize(
    ("gold", "task", "kind"),
    [
        ("", "12", CHOICE),
        ("1,,3", "12", CHOICE),
        (" ", "16", CHOICE),
        ("12, .", "6", "text"),
        ("1,2,3,4,5", "26", "matching"),
    ],
)
def test_a_right_answer_that_nothing_can_meet_is_refused(gold: str, task: str, kind: str) -> None:
    # The public scorer gives 0 to whatever answers an empty one.
    with pytest.raises(tasks.UnusableGoldError):
        tasks.score(gold, None, task, kind)


@pytest.mark.parametrize(
    ("gold", "prediction", "task", "kind", "points"),
    [
        ("слово", "слово", "16", "text", 1),
        ("1,3", "3,1", "26", CHOICE, 1),
        ("1,3", "1,3", "12", "matching", 1),
        ("1,3", "1,2", "12", "matching", 0),
        ("1,3", "3,1", "16", "matching", 0),
    ],
)
def test_a_type_that_is_not_the_tasks_own_brings_a_point_or_none(
    gold: str, prediction: str, task: str, kind: str, points: int
) -> None:
    assert tasks.score(gold, prediction, task, kind) == points
    assert not tasks.usual(task, kind)


@pytest.mark.clause("U types")
def test_the_tasks_own_types_are_usual() -> None:
    assert all(tasks.usual("16", kind) and tasks.usual("8_0", kind) for kind in CHOICE_CASES)
    assert tasks.usual("26", "matching")
    assert tasks.usual("15", "text")


def result(items: list[Any], answers: dict[str, Any]) -> dict[str, Any]:
    outcome: dict[str, Any] = OPERATIONS["exam.submission"](Fields({"items": items, "answers": answers}))
    return outcome


def refused(items: Any, answers: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        OPERATIONS["exam.submission"](Fields({"items": items, "answers": answers}))
    assert caught.value.code == "invalid_request"
    return caught.value


@pytest.mark.clause("U primary", "U grade_norm")
def test_grade_norm_is_the_mean_over_variants_of_points_of_thirty_four() -> None:
    first, second = variant(1), variant(2)
    answers = {**right(first), **right(second[:7])}  # tasks 1–7 of the second variant: 7 points
    outcome = result(first + second, answers)
    assert set(outcome) == {"grade_norm", "variants", "by_type", "by_task"}
    assert outcome["variants"] == {"1": 34, "2": 7}
    assert outcome["grade_norm"] == pytest.approx((34 / 34 + 7 / 34) / 2, abs=1e-15)


@pytest.mark.clause("TS U-3", "U grade_norm")
def test_only_complete_variants_make_grade_norm() -> None:
    # The public scorer divides by whatever points the variant's items could bring, and counts every variant.
    whole, part = variant(1), variant(2)[:-1]
    outcome = result(whole + part, right(whole[:17] + part))
    assert outcome["variants"] == {"1": 17, "2": 30}
    assert outcome["grade_norm"] == 17 / 34


@pytest.mark.clause("TS U-3")
def test_without_a_complete_variant_grade_norm_is_undefined() -> None:
    assert result(variant(1)[1:], right(variant(1)[1:]))["grade_norm"] is None
    twice = item("5", 1, 99)
    assert [result([*items, twice], {})["grade_norm"] for items in (variant(1), variant(1)[1:])] == [None, None]
    assert result([], {}) == {"grade_norm": None, "variants": {}, "by_type": {}, "by_task": {}}


def test_a_missing_answer_is_zero_and_so_is_null() -> None:
    # The public scorer refuses a submission that lacks an id.
    items = variant(1)
    nothing, null = result(items, {}), result(items, dict.fromkeys(right(items)))
    assert nothing == null
    assert nothing["grade_norm"] == 0.0


@pytest.mark.clause("tracks §2 breakdown")
def test_the_breakdowns_count_items_points_and_shares() -> None:
    items = variant(1) + variant(2)
    answers = right(items)
    answers["1029"] = "4,9,0,0"  # task 26 of the first variant: 2 of 4
    del answers["2017"]  # task 14 of the second variant
    outcome = result(items, answers)
    assert list(outcome["by_task"]) == list(tasks.TASKS)
    assert outcome["by_task"]["26"] == {"items": 2, "points": 6, "max": 8, "share": 0.75}
    assert outcome["by_task"]["14"] == {"items": 2, "points": 1, "max": 2, "share": 0.5}
    assert outcome["by_type"]["matching"] == {"items": 2, "points": 6, "max": 8, "share": 0.75}
    assert outcome["by_type"]["text"] == {"items": 16, "points": 15, "max": 16, "share": 15 / 16}
    # 21 items of multiple choice in a variant, task 16 among them with two points
    assert outcome["by_type"]["multiple_choice_independent_options"]["max"] == 44


def test_variants_stand_in_the_order_of_their_numbers() -> None:
    items = [item("1", number, number) for number in (10, 9, 2, -1)]
    assert list(result(items, {})["variants"]) == ["-1", "2", "9", "10"]


def test_of_an_item_only_outputs_and_meta_are_needed() -> None:
    bare = [{"outputs": "1", "meta": {"id": 1, "id_task": "3", "variant": 1, "type": "multiple_choice_based_on_text"}}]
    assert result(bare, {"1": "1"})["variants"] == {"1": 1}


@pytest.mark.clause("tracks §2 missing")
def test_an_answer_to_no_item_is_refused_by_its_id() -> None:
    assert refused([item()], ["да"]).details == {"field": "answers"}
    assert refused([item()], {"740": 7}).details == {"field": "answers.740"}
    error = refused([item()], {"740": "да", "999": "да"})
    assert error.details == {"field": "answers.999"}
    assert '"999"' in error.message


def meta(**changed: Any) -> list[Any]:
    return [{"outputs": "слово", "meta": {**item()["meta"], **changed}}]


@pytest.mark.parametrize(
    ("items", "field"),
    [
        (None, "items"),
        ({}, "items"),
        ([1], "items[0]"),
        ([{}], "items[0].meta"),
        ([{"meta": []}], "items[0].meta"),
        (meta(id="740"), "items[0].meta.id"),
        (meta(id=True), "items[0].meta.id"),
        (meta(id=1.5), "items[0].meta.id"),
        (meta(id_task="8"), "items[0].meta.id_task"),
        (meta(id_task="27"), "items[0].meta.id_task"),
        (meta(id_task=16), "items[0].meta.id_task"),
        (meta(variant=None), "items[0].meta.variant"),
        (meta(type="essay"), "items[0].meta.type"),
        (meta(type=["text"]), "items[0].meta.type"),
        ([item(outputs=["слово"])], "items[0].outputs"),
        ([item(outputs="")], "items[0].outputs"),
        ([item("16", outputs="1,,2")], "items[0].outputs"),
        ([item("1", 1, 5), item("2", 1, 5)], "items[1].meta.id"),
    ],
)
def test_a_broken_item_is_refused_with_the_path_of_the_field(items: Any, field: str) -> None:
    assert refused(items, {}).details == {"field": field}


def one(**fields: Any) -> Any:
    whole = {"gold": "1,3", "prediction": "1,3", "id_task": "16", "type": "multiple_choice_based_on_text", **fields}
    return OPERATIONS["exam.item"](Fields({name: value for name, value in whole.items() if value != "absent"}))


def test_one_answer_has_its_points_and_the_most_it_could_have() -> None:
    assert one() == {"score": 2, "max": 2}
    assert one(type="multiple_choice") == {"score": 2, "max": 2}, "the family is a type too"
    assert one(prediction="1") == {"score": 1, "max": 2}
    assert one(prediction=None) == {"score": 0, "max": 2}
    assert one(id_task="12") == {"score": 1, "max": 1}
    assert one(id_task="26", type="matching") == {"score": 2, "max": 4}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gold", "absent"),
        ("gold", None),
        ("gold", ""),
        ("gold", 13),
        ("prediction", "absent"),
        ("prediction", 13),
        ("prediction", ["1", "3"]),
        ("id_task", "absent"),
        ("id_task", 16),
        ("id_task", "0"),
        ("type", "absent"),
        ("type", "choice"),
    ],
)
def test_a_wrong_field_of_one_answer_is_named(name: str, value: Any) -> None:
    with pytest.raises(RefusedError) as caught:
        one(**{name: value})
    assert caught.value.details == {"field": name}
    assert caught.value.message.startswith(f"{name} ")


VALUES = st.lists(st.integers(0, 9).map(str), min_size=1, max_size=6)
LOOSE = st.one_of(VALUES.map(",".join), VALUES.map(" , ".join), st.text(max_size=12), st.text("0123, ", max_size=9))
WORDS = st.lists(st.text("абвёАБВЁ -_1", min_size=1).filter(tasks.letters), min_size=1, max_size=4).map(",".join)


@st.composite
def task_names(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw a right answer, its task and its type."""
    task = draw(st.sampled_from(tasks.TASKS))
    if task == "26":
        return ",".join(draw(st.lists(st.integers(1, 40).map(str), min_size=1, max_size=4))), task, tasks.MATCHING
    if task != "16" and draw(st.booleans()):
        return draw(WORDS), task, tasks.TEXT
    return ",".join(draw(VALUES)), task, draw(st.sampled_from(tasks.CHOICES))


@pytest.mark.property
@given(task_names(), st.none() | LOOSE, st.sampled_from(tasks.TASKS))
def test_points_are_whole_and_from_zero_to_the_tasks_maximum(
    task: tuple[str, str, str], prediction: str | None, other: str
) -> None:
    gold, own, kind = task
    for number in (own, other):
        points = tasks.score(gold, prediction, number, kind)
        assert type(points) is int
        assert 0 <= points <= tasks.maximum(number)


@pytest.mark.property
@given(task_names())
def test_the_right_answer_brings_everything(task: tuple[str, str, str]) -> None:
    gold, number, kind = task
    # what a word's list says in any of its places; a matching answer brings a point for each value there is
    prediction = gold.split(",")[-1] if kind == tasks.TEXT else gold
    assert tasks.score(gold, prediction, number, kind) == (
        gold.count(",") + 1 if kind == tasks.MATCHING else tasks.maximum(number)
    )


@pytest.mark.property
@given(VALUES, VALUES, st.sampled_from(["12", "16"]), st.randoms(use_true_random=False))
def test_multiple_choice_knows_no_order_and_no_blanks(
    right: list[str], given_: list[str], task: str, chance: random.Random
) -> None:
    mixed = chance.sample(given_, len(given_))
    plain = tasks.score(",".join(right), ",".join(given_), task, tasks.CHOICES[0])
    assert tasks.score(" , ".join(right), f" {', '.join(mixed)}\n", task, tasks.CHOICES[0]) == plain


def rule_of_16(right: set[str], given_: set[str]) -> int:
    """Compute the points of rule 16 by trying: 1 where one change of one value makes the answer right."""
    if right == given_:
        return 2
    if len(right) == 1:
        return int(right < given_ and len(given_) == 2)
    digits = right | given_
    added = any(given_ | {each} == right for each in digits)
    removed = any(given_ - {each} == right for each in digits)
    changed = any((given_ - {old}) | {new} == right for old in given_ for new in digits)
    return int(added or removed or changed)


@pytest.mark.property
@given(VALUES, VALUES)
def test_task_16_is_the_rule_of_one_change(right: list[str], given_: list[str]) -> None:
    assert tasks.score(",".join(right), ",".join(given_), "16", tasks.CHOICES[1]) == rule_of_16(set(right), set(given_))


@st.composite
def answered(draw: st.DrawFn) -> list[tuple[Key, str | None]]:
    """Draw items of a few variants, some of them whole, with answers of all sorts."""
    actual = []
    for number in draw(st.sets(st.integers(1, 12), max_size=3)):
        whole = draw(st.booleans())
        chosen = tasks.TASKS if whole else draw(st.lists(st.sampled_from(tasks.TASKS), max_size=8))
        for place, raw in enumerate(variant(number, tuple(chosen))):
            key = Key(f"{number}-{place}", chosen[place], number, kind_of(chosen[place]), raw["outputs"])
            actual.append((key, draw(st.sampled_from([None, raw["outputs"], "сверх", "1,3", "4,9"]))))
    return actual


@pytest.mark.property
@given(answered(), st.randoms(use_true_random=False))
def test_the_order_of_items_never_matters(items: list[tuple[Key, str | None]], chance: random.Random) -> None:
    mixed = chance.sample(items, len(items))
    one, other = (summarise([mark(*each) for each in order]) for order in (items, mixed))
    assert one == other
    assert [*one.variants, *one.by_task, *one.by_type] == [*other.variants, *other.by_task, *other.by_type]


@pytest.mark.property
@given(answered())
def test_a_result_is_within_its_bounds_and_its_parts_make_the_whole(items: list[tuple[Key, str | None]]) -> None:
    outcome = summarise([mark(*mark_fields) for mark_fields in items])
    total = sum(outcome.variants.values())
    assert outcome.grade_norm is None or 0 <= outcome.grade_norm <= 1
    for groups in (outcome.by_task, outcome.by_section, outcome.by_type):
        assert sum(each["points"] for each in groups.values()) == total
        assert sum(each["items"] for each in groups.values()) == len(items)
        assert all(0 <= each["points"] <= each["max"] for each in groups.values())
