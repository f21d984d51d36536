"""The 18-row table of D-App1б, each row as printed, and where the running text beside it says otherwise."""

from __future__ import annotations

import pytest

from tracks.diagnosis.score import TABLE, Reply, decide, final_cell, worth

RIGHT_ILL, WRONG_ILL, RIGHT_HEALTHY, WRONG_HEALTHY, NOTHING = "C34", "J44", "another", "C34", None
MIN, MAX = "minimal", "maximal"
PRINTED = [  # number, ill, answer to v3, answer to v2, cell, cost; "lung cancer" is the table's own example
    (1, True, RIGHT_ILL, RIGHT_ILL, "tp", MIN),
    (2, True, RIGHT_ILL, WRONG_ILL, "fn", MAX),
    (3, True, WRONG_ILL, RIGHT_ILL, "tp", MAX),
    (4, True, WRONG_ILL, WRONG_ILL, "fn", MAX),
    (5, True, NOTHING, RIGHT_ILL, "tp", MAX),
    (6, True, RIGHT_ILL, NOTHING, "fn", MAX),
    (7, True, NOTHING, WRONG_ILL, "fn", MAX),
    (8, True, WRONG_ILL, NOTHING, "fn", MAX),
    (9, True, NOTHING, NOTHING, "fn", MAX),
    (10, False, RIGHT_HEALTHY, RIGHT_HEALTHY, "tn", MIN),
    (11, False, RIGHT_HEALTHY, WRONG_HEALTHY, "fp", MAX),
    (12, False, WRONG_HEALTHY, RIGHT_HEALTHY, "tn", MAX),
    (13, False, WRONG_HEALTHY, WRONG_HEALTHY, "fp", MAX),
    (14, False, NOTHING, RIGHT_HEALTHY, "tn", MAX),
    (15, False, RIGHT_HEALTHY, NOTHING, "fp", MAX),
    (16, False, NOTHING, WRONG_HEALTHY, "fp", MAX),
    (17, False, WRONG_HEALTHY, NOTHING, "fp", MAX),
    (18, False, NOTHING, NOTHING, "fp", MAX),
]


@pytest.mark.clause("D-App1б table")
@pytest.mark.parametrize(("number", "ill", "v3", "v2", "cell", "cost"), PRINTED)
def test_a_row_of_the_table(number: int, ill: bool, v3: str | None, v2: str | None, cell: str, cost: str) -> None:
    row = decide(worth(v3, "lung_cancer", ill=ill), worth(v2, "lung_cancer", ill=ill), ill=ill)
    assert (row.number, row.cell, row.cost) == (number, cell, cost)


def test_the_table_decides_every_pair_of_replies_once() -> None:
    assert len({(row.ill, row.v3, row.v2) for row in TABLE}) == 2 * 3 * 3 == len(TABLE)


def test_a_right_v3_does_not_decide_alone_as_the_running_text_has_it() -> None:
    """D-App1б: "if the diagnosis from v3 is right, TP with minimal cost"; rows 2 and 11 of the table say FN and FP."""
    assert decide(Reply.RIGHT, Reply.WRONG, ill=True).cell == "fn"
    assert decide(Reply.RIGHT, Reply.WRONG, ill=False).cell == "fp"
    assert (
        decide(Reply.RIGHT, Reply.WRONG, ill=True).cost == decide(Reply.RIGHT, Reply.NONE, ill=False).cost == "maximal"
    )


@pytest.mark.clause("tracks §1 nosology")
@pytest.mark.parametrize("code", ["J44", "I10", "J45.0", "", "Another", "another "])
def test_a_patient_without_the_disease_is_diagnosed_right_by_another_alone(code: str) -> None:
    assert worth(code, "lung_cancer", ill=False) is Reply.WRONG
    assert worth("another", "lung_cancer", ill=False) is Reply.RIGHT


@pytest.mark.clause("tracks §1 nosology")
@pytest.mark.parametrize("code", ["A15", "A16.2", "A19"])
def test_any_code_of_the_nosology_is_right_for_an_ill_patient(code: str) -> None:
    assert worth(code, "tuberculosis", ill=True) is Reply.RIGHT


@pytest.mark.parametrize(
    ("reply", "ill", "cell"),
    [
        (Reply.RIGHT, True, "tp"),
        (Reply.WRONG, True, "fn"),
        (Reply.NONE, True, "fn"),
        (Reply.RIGHT, False, "tn"),
        (Reply.WRONG, False, "fp"),
        (Reply.NONE, False, "fp"),
    ],
)
def test_in_stage_1_whatever_is_not_a_right_final_diagnosis_is_an_error(reply: Reply, ill: bool, cell: str) -> None:
    assert final_cell(reply, ill=ill) == cell
