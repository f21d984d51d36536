"""Stage 1 of the final: studies, their cost, and the dialogue as a state machine (D 9.10.1, D-App4)."""

from __future__ import annotations

from typing import Any

import pytest

from tracks.diagnosis.dialogue import End, follow
from tracks.diagnosis.stages import SESSIONS, STEPS, Scoring, policies
from tracks.diagnosis.studies import INSTRUMENTAL, LABORATORY, SERVICES, request, resource_cost
from tracks.protocol import LateJoiner, Missed, Turn, step_after

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


# --- studies --------------------------------------------------------------------------------------------------------


def test_the_table_has_22_instrumental_and_9_laboratory_rows() -> None:
    assert (len(INSTRUMENTAL), len(LABORATORY)) == (22, 9)
    assert len(SERVICES) == 30  # A05.10 stands in two rows


def test_a_query_code_that_stands_in_two_rows_asks_for_both() -> None:
    assert SERVICES["A05.10"] == ("A05.10.006", "A05.10.008")


@pytest.mark.parametrize(
    ("query", "services"),
    [
        ("A12.09", ("A12.09.001", "A12.09.002", "A12.09.002.001", "A12.09.002.002")),
        ("A12.09.005", ("A12.09.005",)),
        ("A11.01.003", ("A11.01.003.001",)),
        ("A06.08", ("A06.08.003", "A06.08.007.003")),
        ("B03.016.003", ("B03.016.003",)),
    ],
)
def test_rows_of_the_table(query: str, services: tuple[str, ...]) -> None:
    assert SERVICES[query] == services


def test_every_file_that_matches_is_returned_and_paid_for() -> None:
    found = request("A06.09", OWN, COSTS)
    assert found.present
    assert found.files == (0, 2, 3)
    assert found.cost == 6.0  # 1.5 + 3 + 1.5


def test_an_absent_study_costs_too() -> None:
    found = request("B03.016.003", OWN, COSTS)
    assert (found.present, found.files, found.cost) == (False, (), 1.1)


def test_an_absent_group_costs_as_its_dearest_service_or_what_the_table_says_of_the_group() -> None:
    assert request("A06.09", [], COSTS).cost == 3.0
    assert request("A06.09", [], {**COSTS, "A06.09": 2.0}).cost == 2.0


def test_a_study_missing_in_the_organizers_table_costs_nothing() -> None:
    assert request("A03.09", ["A03.09.001"], COSTS).cost == 0.0
    assert request("A03.09", [], COSTS).cost == 0.0
    assert resource_cost(["7001902", "B03.016.003", "B03.016.003"], COSTS) == 2.2


def test_a_code_outside_the_table_is_no_request() -> None:
    with pytest.raises(LookupError):
        request("A99.99", OWN, COSTS)


# --- the dialogue ---------------------------------------------------------------------------------------------------


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


def test_asking_again_costs_again() -> None:
    turns = [preliminary(), study("A05.10"), study("A05.10"), diagnosis()]
    assert follow(turns, OWN, COSTS).cost == 1.5


def test_a_program_may_refuse_to_diagnose() -> None:
    found = follow([preliminary(), study("A05.10"), refusal()], OWN, COSTS)
    assert (found.end, found.code, found.cost) == (End.REFUSAL, None, 0.75)


def test_without_an_end_the_time_ran_out_and_what_was_asked_for_is_paid() -> None:
    found = follow([preliminary(), study("A05.10")], OWN, COSTS)
    assert (found.end, found.code, found.time_ms, found.cost) == (End.TIME_OUT, None, None, 0.75)
    assert follow([], OWN, COSTS).end is End.TIME_OUT


def test_the_minute_holds_for_the_whole_dialogue() -> None:
    in_time = follow([preliminary(1_000), diagnosis(60_000)], OWN, COSTS)
    late = follow([preliminary(1_000), study("A05.10", 60_001), diagnosis(60_002)], OWN, COSTS)
    assert (in_time.end, in_time.code) == (End.DIAGNOSIS, "C34")
    assert (late.end, late.code, late.cost) == (End.TIME_OUT, None, 0.0)


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


# --- steps and rules of the stages ----------------------------------------------------------------------------------


def test_the_selection_stage_has_one_step_of_a_minute() -> None:
    (step,) = STEPS["selection"]
    assert (step.limit_s, step_after(STEPS["selection"], "v1", "diagnosis")) == (60, None)


def test_in_the_semifinal_v2_follows_v3_whether_or_not_v3_was_answered() -> None:
    v3, v2 = STEPS["semifinal"]
    assert (v3.name, v3.unanswered, v2.name, v2.unanswered) == ("v3", "v2", "v2", None)
    assert v3.scheduled
    assert v2.scheduled
    assert step_after(STEPS["semifinal"], "v3", "diagnosis") == "v2"
    assert step_after(STEPS["semifinal"], "v2", "diagnosis") is None


def test_the_finals_dialogue_loops_over_studies_until_a_diagnosis_or_a_refusal() -> None:
    steps = STEPS["final"]
    assert (steps[0].limit_s, steps[1].limit_s, steps[1].scheduled) == (60, None, False)
    assert step_after(steps, "preliminary", "preliminary") == step_after(steps, "studies", "study") == "studies"
    for step in ("preliminary", "studies"):
        assert step_after(steps, step, "diagnosis") is step_after(steps, step, "refusal") is None


@pytest.mark.parametrize("mode", ["training", "algorithmic", "estimated-training", "challenge"])
def test_missed_and_late_joiners_files_are_wrong_in_every_mode(mode: str) -> None:
    rules = policies(mode)
    assert rules.missed is Missed.WRONG
    assert rules.late_joiner is LateJoiner.MISSES_OPENED
    assert rules.sessions_per_day == 10
    assert not rules.invalid_replaces_valid


def test_only_training_chooses_its_interval() -> None:
    assert policies("training").answer_limit_s == policies("estimated-training").answer_limit_s == (10, 30, 30)
    assert policies("challenge").answer_limit_s == (30, 30, 30)
    assert policies("algorithmic").answer_limit_s == (60, 60, 60)


def test_a_training_session_has_up_to_2000_epicrises_and_is_never_scored() -> None:
    training: Any = SESSIONS["semifinal", "training"]
    assert (training.fewest, training.usual, training.most) == (1, 100, 2000)
    assert training.scoring is Scoring.NEVER


def test_an_estimated_training_has_70_epicrises_per_nosology_and_a_challenge_at_least_500() -> None:
    estimated, challenge = SESSIONS["semifinal", "estimated-training"], SESSIONS["semifinal", "challenge"]
    assert (estimated.usual, estimated.per_nosology, estimated.scoring) == (70, True, Scoring.TWICE_A_DAY)
    assert (challenge.fewest, challenge.most) == (500, None)


def test_a_selection_session_is_one_epicrisis() -> None:
    for mode in ("training", "algorithmic"):
        kind = SESSIONS["selection", mode]
        assert (kind.fewest, kind.usual, kind.most) == (1, 1, 1)
