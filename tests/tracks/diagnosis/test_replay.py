"""Stage 2 in numbers: completeness, clarity, interpretability, and what a clinician is shown (D-9, D-10)."""

from __future__ import annotations

from typing import Any

import pytest

from tracks.capabilities import Replayed, Reviewed
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import Turn

TRACK = DiagnosisTrack()
ITEM = {
    "id": "i",
    "nosology": "copd",
    "language": "rus",
    "versions": {"v3F": "<e/>"},
    "studies": [{"service": "A06.09.007", "xml": "<s/>"}],
}
PRELIMINARY = Turn("preliminary", "preliminary", [{"decorCode": "diagnosisPreliminary", "code": "C34"}], 1_000)
STUDY = Turn("studies", "study", {"study": "A06.09"}, 2_000)
FINAL = Turn("studies", "diagnosis", [{"decorCode": "diagnosisMain", "code": "J44"}], 3_000)
EMPTY = Turn("studies", "diagnosis", [{"decorCode": "diagnosisMain", "code": ""}], 3_000)
REFUSAL = Turn("studies", "refusal", {"refusal": True}, 3_000)
YES = {"preliminary": True, "requests": True, "final": True}


def rules() -> Any:
    return TRACK.read_parameters({"stage": "final"})[0]


def judged(*works: tuple[tuple[Turn, ...], Any]) -> Any:
    return TRACK.judged([Reviewed(ITEM, turns, answers) for turns, answers in works], rules())


@pytest.mark.clause("TS D-9", "D 1.12", "D 1.13")
@pytest.mark.parametrize(
    ("turns", "answers", "complete", "clear"),
    [
        ((PRELIMINARY, STUDY, FINAL), YES, 3, 3),
        ((PRELIMINARY, STUDY, FINAL), {**YES, "requests": False}, 3, 2),
        ((PRELIMINARY, STUDY, FINAL), {"final": True}, 3, 1),
        ((PRELIMINARY, FINAL), YES, 2, 3),
        ((PRELIMINARY, STUDY, EMPTY), YES, 2, 3),
        ((PRELIMINARY, STUDY, REFUSAL), YES, 2, 3),
        ((PRELIMINARY,), YES, 1, 3),
    ],
)
def test_completeness_counts_three_things_and_clarity_three_answers(
    turns: tuple[Turn, ...], answers: Any, complete: int, clear: int
) -> None:
    found = judged((turns, answers))
    assert (found["completeness"], found["clarity"]) == (complete, clear)
    assert found["interpretability"] == pytest.approx((complete + clear) / 6)


@pytest.mark.clause("TS D-9", "D 9.10.5")
def test_without_a_preliminary_diagnosis_everything_is_zero() -> None:
    first = Turn("preliminary", "study", {"study": "A06.09"}, 1_000)
    found = judged(((first, FINAL), YES))
    assert (found["completeness"], found["clarity"], found["interpretability"], found["reviews"]) == (0, 0, 0, 1)


@pytest.mark.clause("TS D-9")
def test_a_mean_is_over_reviews_and_who_said_nothing_is_missing() -> None:
    whole = (PRELIMINARY, STUDY, FINAL)
    found = judged((whole, YES), ((PRELIMINARY,), {**YES, "final": False}), (whole, None), (whole, {}))
    assert (found["reviews"], found["missing"]) == (2, 2)
    assert (found["completeness"], found["clarity"]) == (2.0, 2.5)
    assert found["interpretability"] == pytest.approx((6 + 3) / 12)
    nothing = judged((whole, None))
    assert [nothing[name] for name in ("completeness", "clarity", "interpretability")] == [None, None, None]


@pytest.mark.clause("TS D-10", "D 9.10.8.3")
def test_a_clinician_is_shown_the_first_data_then_every_turn_with_what_it_brought() -> None:
    assert isinstance(TRACK, Replayed)
    parts = TRACK.replayed(ITEM, "01", (PRELIMINARY, STUDY, FINAL), rules())
    assert [each["kind"] for each in parts] == ["first_data", "preliminary", "study", "diagnosis"]
    assert [bool(each.get("response")) for each in parts] == [False, False, True, False]
    assert "copd" not in str(parts)
    assert [each["kind"] for each in TRACK.replayed(ITEM, "01", (PRELIMINARY,), rules())][-1] == "time_out"
    assert [each["kind"] for each in TRACK.replayed(ITEM, "01", (), rules())] == ["first_data", "time_out"]


@pytest.mark.clause("TS D-10", "D 9.10.8.4", "D 9.10.8.6")
def test_the_rules_of_stage_2_are_data() -> None:
    found = TRACK.replay_rules()
    assert (found.fewest_programs, found.most_programs, found.people) == (2, 4, 8)
    assert (found.fewest_rounds, found.most_rounds, found.limit_s) == (16, 32, 600)
    assert [key for key, _ in found.questions] == ["preliminary", "requests", "final"]


@pytest.mark.clause("TS D-9")
def test_the_table_has_a_row_a_system_by_name() -> None:
    table = TRACK.judgements({"b": judged(((PRELIMINARY, STUDY, FINAL), YES)), "a": judged(((), None))})
    assert table.rows == (("a", None, None, None, 0, 1), ("b", 1.0, 3.0, 3.0, 1, 0))
