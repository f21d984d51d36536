"""A submission's result: grade_norm, breakdowns, missing answers, refusals (tracks.md §2, §5)."""

from __future__ import annotations

from typing import Any

import pytest

from markup_core.command.complaints import RefusedError
from tests.tracks.exam.exam_items import item, right, variant
from tracks.exam.operations import OPERATIONS
from tracks.exam.tasks import TASKS
from tracks.fields import Fields


def result(items: list[Any], answers: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = OPERATIONS["exam.submission"](Fields({"items": items, "answers": answers}))
    return found


def refused(items: Any, answers: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        OPERATIONS["exam.submission"](Fields({"items": items, "answers": answers}))
    assert caught.value.code == "invalid_request"
    return caught.value


def test_everything_right_is_one() -> None:
    found = result(variant(3), right(variant(3)))
    assert found["grade_norm"] == 1.0
    assert found["variants"] == {"3": 34}
    assert set(found) == {"grade_norm", "variants", "by_type", "by_task"}


@pytest.mark.clause("U primary", "U grade_norm")
def test_grade_norm_is_the_mean_over_variants_of_points_of_thirty_four() -> None:
    first, second = variant(1), variant(2)
    answers = {**right(first), **right(second[:7])}  # tasks 1–7 of the second variant: 7 points
    found = result(first + second, answers)
    assert found["variants"] == {"1": 34, "2": 7}
    assert found["grade_norm"] == pytest.approx((34 / 34 + 7 / 34) / 2, abs=1e-15)


@pytest.mark.clause("TS U-3", "U grade_norm")
def test_only_complete_variants_make_grade_norm() -> None:
    # The public scorer divides by whatever points the variant's items could bring, and counts every variant.
    whole, part = variant(1), variant(2)[:-1]
    found = result(whole + part, right(whole[:17] + part))
    assert found["variants"] == {"1": 17, "2": 30}
    assert found["grade_norm"] == 17 / 34


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
    found = result(items, answers)
    assert list(found["by_task"]) == list(TASKS)
    assert found["by_task"]["26"] == {"items": 2, "points": 6, "max": 8, "share": 0.75}
    assert found["by_task"]["14"] == {"items": 2, "points": 1, "max": 2, "share": 0.5}
    assert found["by_type"]["matching"] == {"items": 2, "points": 6, "max": 8, "share": 0.75}
    assert found["by_type"]["text"] == {"items": 16, "points": 15, "max": 16, "share": 15 / 16}
    # 21 items of multiple choice in a variant, task 16 among them with two points
    assert found["by_type"]["multiple_choice_independent_options"]["max"] == 44


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
