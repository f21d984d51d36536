"""Stage 1 of the final: what the turns of a dialogue amount to (D 9.10.1)."""

from __future__ import annotations

import pytest

from tracks.diagnosis.score import End, follow
from tracks.protocol import Turn

COSTS = {"A06.09.005": 3.0, "A06.09.007": 1.5, "A05.10.006": 0.75, "B03.016.003": 1.1}
OWN = ["A06.09.007", "A05.10.006", "A06.09.005", "A06.09.007"]
"""Studies of an epicrisis: two X-rays, one CT of the lungs, one ECG."""
FINAL = [{"decorCode": "diagnosisMain", "code": "C34"}]


def preliminary(after_ms: int | None = None, step: str = "preliminary") -> Turn:
    return Turn(step, "preliminary", [{"decorCode": "diagnosisPreliminary", "code": "J44"}], after_ms)


def study(code: str, after_ms: int | None = None, step: str = "studies") -> Turn:
    return Turn(step, "study", {"study": code}, after_ms)


def diagnosis(after_ms: int | None = None, step: str = "studies") -> Turn:
    return Turn(step, "diagnosis", FINAL, after_ms)


def refusal(step: str = "studies") -> Turn:
    return Turn(step, "refusal", {"refusal": True})


@pytest.mark.clause("TS D-8", "D 9.10.2", "D 9.10.1")
def test_the_whole_trajectory_is_recorded() -> None:
    turns = [preliminary(4_000), study("A05.10", 9_000), study("A03.09", 15_000), diagnosis(30_500)]
    assert follow(turns, OWN, COSTS).to_dict() == {
        "preliminary": "J44",
        "requests": [
            {"study": "A05.10", "found": True, "files": [1], "cost": 0.75, "after_ms": 9_000},
            {"study": "A03.09", "found": False, "files": [], "cost": 0.0, "after_ms": 15_000},
        ],
        "end": "diagnosis",
        "diagnosis": FINAL,
        "explained": True,
        "cost": 0.75,
        "time_ms": 30_500,
    }


@pytest.mark.clause("TS D-8", "D 9.10.1.3.2")
def test_asking_again_costs_again() -> None:
    turns = [preliminary(), study("A05.10"), study("A05.10"), diagnosis()]
    assert follow(turns, OWN, COSTS).cost == 1.5


@pytest.mark.clause("TS D-8", "D 9.10.1.4")
def test_a_program_may_refuse_to_diagnose() -> None:
    found = follow([preliminary(), study("A05.10"), refusal()], OWN, COSTS)
    assert (found.end, found.code, found.cost) == (End.REFUSAL, None, 0.75)


def test_without_an_end_the_time_ran_out_and_what_was_asked_for_is_paid() -> None:
    found = follow([preliminary(), study("A05.10")], OWN, COSTS)
    assert (found.end, found.code, found.time_ms, found.cost) == (End.TIME_OUT, None, None, 0.75)
    assert follow([], OWN, COSTS).end is End.TIME_OUT


@pytest.mark.clause("TS D-8", "D 9.10.1.4", "D 9.10.1")
def test_the_minute_holds_for_the_whole_dialogue() -> None:
    in_time = follow([preliminary(1_000), diagnosis(60_000)], OWN, COSTS)
    late = follow([preliminary(1_000), study("A05.10", 60_001), diagnosis(60_002)], OWN, COSTS)
    assert (in_time.end, in_time.code) == (End.DIAGNOSIS, "C34")
    assert (late.end, late.code, late.cost) == (End.TIME_OUT, None, 0.0)


@pytest.mark.clause("D 9.10.5")
@pytest.mark.parametrize(
    "turns",
    [
        [diagnosis(step="preliminary")],
        [study("A05.10", step="preliminary"), diagnosis()],
        [refusal(step="preliminary")],
        [],
    ],
)
def test_without_a_preliminary_diagnosis_nothing_is_explained(turns: list[Turn]) -> None:
    assert not follow(turns, OWN, COSTS).explained


@pytest.mark.clause("TS D-8", "D 9.10.1.3.1")
@pytest.mark.parametrize(
    "turns",
    [
        [preliminary(), preliminary(step="studies")],
        [study("A05.10", step="preliminary"), preliminary(step="studies")],
        [preliminary(), preliminary()],
        [preliminary(), diagnosis(), study("A05.10")],
        [study("A05.10")],
        [Turn("v2", "diagnosis", FINAL)],
    ],
)
def test_a_turn_that_does_not_stand_where_the_steps_lead_is_an_error(turns: list[Turn]) -> None:
    with pytest.raises(LookupError):
        follow(turns, OWN, COSTS)
