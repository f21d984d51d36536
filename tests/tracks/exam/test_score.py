"""Points of single answers (tracks.md §2). What the benchmark's public scorer gives instead stands beside the case."""

from __future__ import annotations

import pytest

from tracks.exam import tasks
from tracks.exam.tasks import HUMAN_GRADE_NORM, HUMAN_POINTS, SECTION_OF, TASKS, VARIANT_POINTS, maximum

CHOICE = "multiple_choice_independent_options"
CHOICES = ("multiple_choice_based_on_text", "multiple_choice_options_within_text", CHOICE)


def sixteen(gold: str, prediction: str) -> int:
    return tasks.score(gold, prediction, "16", CHOICE)


def matched(gold: str, prediction: str) -> int:
    return tasks.score(gold, prediction, "26", "matching")


def word(gold: str, prediction: str) -> int:
    return tasks.score(gold, prediction, "6", "text")


@pytest.mark.clause("U tasks", "U task 8", "U human")
def test_the_thirty_tasks_of_a_variant_bring_thirty_four_points() -> None:
    assert len(TASKS) == 30
    assert sum(map(maximum, TASKS)) == VARIANT_POINTS
    assert SECTION_OF.keys() == set(TASKS)
    assert round(HUMAN_POINTS / VARIANT_POINTS, 3) == HUMAN_GRADE_NORM
    assert TASKS[6:13] == ("7", "8_0", "8_1", "8_2", "8_3", "8_4", "9")


@pytest.mark.clause("U answers choice", "U points 1", "tracks §2 blanks")
@pytest.mark.parametrize("kind", CHOICES)
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
    assert sixteen(gold, prediction) == points
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
    assert matched("4,9,2,8", prediction) == points


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
    assert word(gold, prediction) == points


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
    assert all(tasks.usual("16", kind) and tasks.usual("8_0", kind) for kind in CHOICES)
    assert tasks.usual("26", "matching")
    assert tasks.usual("15", "text")
