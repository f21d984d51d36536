"""Points of single answers (tracks.md §2). What the benchmark's public scorer gives instead stands beside the case."""

from __future__ import annotations

import pytest

from tracks.exam import tasks
from tracks.exam.tasks import HUMAN_GRADE_NORM, HUMAN_POINTS, SECTION_OF, TASKS, VARIANT_POINTS, maximum

CHOICE = "multiple_choice_independent_options"
CHOICES = ("multiple_choice_based_on_text", "multiple_choice_options_within_text", CHOICE)


def choice(gold: str, prediction: str | None) -> int:
    return tasks.score(gold, prediction, "12", CHOICE)


def sixteen(gold: str, prediction: str) -> int:
    return tasks.score(gold, prediction, "16", CHOICE)


def matched(gold: str, prediction: str) -> int:
    return tasks.score(gold, prediction, "26", "matching")


def word(gold: str, prediction: str) -> int:
    return tasks.score(gold, prediction, "6", "text")


@pytest.mark.clause("U tasks", "U task 8")
def test_the_thirty_tasks_of_a_variant_bring_thirty_four_points() -> None:
    assert len(TASKS) == 30
    assert sum(map(maximum, TASKS)) == VARIANT_POINTS
    assert SECTION_OF.keys() == set(TASKS)
    assert TASKS[6:13] == ("7", "8_0", "8_1", "8_2", "8_3", "8_4", "9")


@pytest.mark.clause("U human")
def test_the_human_level_is_the_mean_points_of_thirty_four() -> None:
    assert round(HUMAN_POINTS / VARIANT_POINTS, 3) == HUMAN_GRADE_NORM


@pytest.mark.clause("U answers choice", "U points 1")
@pytest.mark.parametrize("kind", CHOICES)
@pytest.mark.parametrize(
    ("prediction", "points"), [("1,3", 1), ("3,1", 1), ("1", 0), ("1,3,5", 0), ("1,2", 0), ("", 0), ("13", 0)]
)
def test_multiple_choice_is_all_or_nothing_as_a_set(kind: str, prediction: str, points: int) -> None:
    assert tasks.score("1,3", prediction, "12", kind) == points


def test_a_value_said_twice_is_one_value_of_the_set() -> None:
    assert choice("1,3", "1,3,3") == 1


def test_an_empty_value_is_a_wrong_value() -> None:
    assert choice("1,3", "1,3,") == 0


@pytest.mark.clause("tracks §2 blanks")
@pytest.mark.parametrize("prediction", ["1, 3", " 1 ,3 ", "3 ,\n1", "\t1,3"])
def test_multiple_choice_tolerates_blanks_around_commas(prediction: str) -> None:
    # The public scorer compares " 3" with "3" and gives 0 to all of these.
    assert choice("1,3", prediction) == choice("1 , 3", "3,1") == 1


def test_a_blank_inside_a_value_is_no_blank_around_a_comma() -> None:
    assert choice("1,3", "1 3") == 0


@pytest.mark.clause("U points 16")
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
    ],
)
def test_task_16_brings_two_points_or_one_with_one_fault(gold: str, prediction: str, points: int) -> None:
    assert sixteen(gold, prediction) == points


@pytest.mark.clause("U points 16")
@pytest.mark.parametrize(
    ("prediction", "points"),
    [
        ("4", 2),  # the public scorer: 1
        ("4,1", 1),  # the public scorer: 0
        ("1", 0),
        ("4,1,2", 0),
        ("1,2", 0),
        ("", 0),
    ],
)
def test_task_16_with_one_right_value(prediction: str, points: int) -> None:
    assert sixteen("4", prediction) == points


def test_a_value_said_twice_in_task_16_is_no_fault() -> None:
    # The public scorer takes a point off: 1.
    assert sixteen("1,2", "1,2,2") == 2


@pytest.mark.clause("tracks §2 blanks")
def test_task_16_tolerates_blanks_around_commas() -> None:
    assert sixteen("1, 2", " 2 ,1") == 2


def test_only_task_16_is_scored_in_parts() -> None:
    assert tasks.score("1,3,5", "1,3", "17", CHOICE) == 0


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
    assert matched("4,9,2,8", prediction) == points


@pytest.mark.clause("U answers text")
@pytest.mark.parametrize("prediction", ["холодный", "Холодный", " холодный.", "1) холодный", "«ХОЛОДНЫЙ»", "хо-лодный"])
def test_text_is_compared_in_lower_case_without_digits_and_signs(prediction: str) -> None:
    assert word("холодный", prediction) == 1


@pytest.mark.clause("U points 1")
@pytest.mark.parametrize("prediction", ["мороз", "холодныймороз", "холодны", "", "12", "…"])
def test_another_text_brings_nothing(prediction: str) -> None:
    assert word("холодный", prediction) == 0


@pytest.mark.clause("U combinations")
def test_any_listed_order_of_a_text_is_right_and_no_other() -> None:
    gold = "такжекак,кактакже"
    assert word(gold, "так же как") == word(gold, "Как, также") == 1
    assert word(gold, "как") == 0


def test_the_listed_texts_are_normalised_like_the_answer() -> None:
    # The public scorer leaves the right answer as it is and gives 0.
    assert word("Всё-таки, ещё раз", "всё таки") == 1
    assert word("Всё-таки, ещё раз", "ещераз") == 0
    assert word("Всё-таки, ещё раз", "ещё раз!") == 1


def test_an_answer_without_letters_is_not_the_empty_one_of_a_list() -> None:
    assert word("потому,,", "42") == 0


@pytest.mark.clause("U points 1", "tracks §2 missing")
def test_no_answer_brings_nothing_in_every_type() -> None:
    assert choice("1,3", None) == 0
    assert [tasks.score("1,3", None, task, kind) for task, kind in (("16", CHOICE), ("26", "matching"))] == [0, 0]
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
    assert all(tasks.usual("16", kind) and tasks.usual("8_0", kind) for kind in CHOICES)
    assert tasks.usual("26", "matching")
    assert tasks.usual("15", "text")


def test_a_decomposed_letter_is_the_letter() -> None:
    """й and ё as letter and mark: the mark is not a sign to be left out, or й would become и."""
    assert tasks.score("мой", "мо\u0438\u0306", "4", "text") == 1
    assert tasks.score("мои", "мо\u0438\u0306", "4", "text") == 0
    assert tasks.score("ЁЖ", "е\u0308ж", "4", "text") == 1
    assert tasks.score("за\u0301мок", "замок", "4", "text") == 1  # a stress is a sign: no letter is composed with it
