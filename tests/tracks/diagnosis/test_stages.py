"""The stages: steps of an epicrisis, rules of each kind of session (D 7.7–7.13, D-App3, D 9.10).

The selection stage from the hand-out to the result, step by step as whoever plays it would ask the track.

Stage 1 of the final: what the turns of a dialogue amount to (D 9.10.1).

Studies of the final: the table, what a request brings and what it costs (D-App4, D-App1а 3).

Stage 2 in numbers: completeness, clarity, interpretability, and what a clinician is shown (D-9, D-10).

Stage 2: the rounds and the lot (D 9.10.8).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tracks.samples import reply_to
from tracks.capabilities import Replayed, Reviewed
from tracks.diagnosis import stages
from tracks.diagnosis.score import End, draw, follow, rotation
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import Missed, Outcome, Turn, Verdict, step_after
from tracks.rules import LateJoin


@pytest.mark.clause("D 4.1", "D 7.12")
def test_the_selection_stage_has_one_step_of_a_minute() -> None:
    (step,) = stages.STEPS["selection"]
    assert (step.limit_s, step_after(stages.STEPS["selection"], "v1", "diagnosis")) == (60, None)


@pytest.mark.clause("D-App3", "D 4.1")
def test_in_the_semifinal_v2_follows_v3_whether_or_not_v3_was_answered() -> None:
    v3, v2 = stages.STEPS["semifinal"]
    assert (v3.name, v3.unanswered, v2.name, v2.unanswered) == ("v3", "v2", "v2", None)
    assert v3.scheduled
    assert v2.scheduled
    assert step_after(stages.STEPS["semifinal"], "v3", "diagnosis") == "v2"
    assert step_after(stages.STEPS["semifinal"], "v2", "diagnosis") is None


@pytest.mark.clause("D 9.10.1", "D 9.10.1.2", "D 9.10.1.3.1", "D 9.10.1.4", "D 4.1")
def test_the_finals_dialogue_loops_over_studies_until_a_diagnosis_or_a_refusal() -> None:
    steps = stages.STEPS["final"]
    assert (steps[0].limit_s, steps[1].limit_s, steps[1].scheduled) == (60, None, False)
    assert step_after(steps, "preliminary", "preliminary") == step_after(steps, "studies", "study") == "studies"
    for step in ("preliminary", "studies"):
        assert step_after(steps, step, "diagnosis") is step_after(steps, step, "refusal") is None


@pytest.mark.clause("D 8.11", "TS D-3")
@pytest.mark.parametrize("mode", ["training", "algorithmic", "estimated-training", "final"])
def test_missed_and_late_joiners_files_are_wrong_in_every_mode(mode: str) -> None:
    rules = stages.policies(mode)
    assert rules.missed is Missed.WRONG
    assert (rules.run.join_s, rules.run.late_join) == (0, LateJoin.BY_DECISION)
    assert rules.sessions_per_day == 10


def test_only_training_chooses_its_interval() -> None:
    assert (
        stages.policies("training").answer_limit_s
        == stages.policies("estimated-training").answer_limit_s
        == (10, 30, 30)
    )
    assert stages.policies("final").answer_limit_s == (30, 30, 30)
    assert stages.policies("algorithmic").answer_limit_s == (60, 60, 60)


@pytest.mark.clause("D-App3 training count", "D-App3 training timeout", "D-App3 estimated", "D-App3 challenge")
def test_the_semifinals_sessions_have_the_numbers_of_the_appendix() -> None:
    modes = {mode.name: mode for mode in stages.MODES}
    assert (modes["training"].counts, modes["training"].most, modes["training"].usual) == ("files", 2000, 100)
    estimated = modes["estimated-training"]
    assert (estimated.counts, estimated.most, estimated.usual, estimated.per_group) == ("nosologies", 6, None, 70)
    assert stages.policies("estimated-training").sessions_per_day == 10
    assert modes["final"].in_run


TRACK = DiagnosisTrack()
FILE_ID = "100000000000001"
PARAMETERS = TRACK.read_parameters({"stage": "selection"})[0]
CODES = dict(zip(stages.NAMES, ("A15.3", "C34.1", "J13", "J10.1", "J44.9", "I27.8"), strict=True))
XML = '<ClinicalDocument><value code="{}" codeSystem="1.2.643.5.1.13.13.11.1005"/></ClinicalDocument>'


def epicrisis(nosology: str) -> dict[str, Any]:
    return {"id": f"epicrisis-{nosology}", "nosology": nosology, "versions": {"v1": XML.format(CODES[nosology])}}


def answer(name: str) -> list[dict[str, str]]:
    return [{"xPath": "", "start": "", "end": "", "name": name, "decorCode": "diagnosisMain", "code": ""}]


def judged(item: dict[str, Any], given: Any) -> Verdict:
    (step,) = TRACK.steps(PARAMETERS)
    return TRACK.validate(item, FILE_ID, step.name, json.dumps(given).encode(), PARAMETERS)


def result(item: dict[str, Any], given: Any) -> Any:
    facts, reasons = TRACK.read_item(item, PARAMETERS)
    assert facts is not None, reasons
    record = TRACK.score(item, judged(item, given).canonical, [{"code": CODES[facts.group]}], PARAMETERS)
    return TRACK.aggregate([Outcome(facts, True, record)], PARAMETERS, 1)


@pytest.mark.clause("D 7.8")
@pytest.mark.parametrize("nosology", stages.NAMES)
def test_a_program_that_finds_the_code_in_the_epicrisis_passes(nosology: str) -> None:
    item = epicrisis(nosology)
    handed = TRACK.hand_out(item, FILE_ID, "v1")
    assert handed["version"] == "v1"
    code = next(code for code in CODES.values() if code in handed["xml"])
    outcome = result(item, answer(code))
    assert (outcome["right"], outcome["passed"]) == (1, True)
    other = result(item, answer("Z00"))
    assert (other["right"], other["passed"]) == (0, False)


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
    outcome = follow([preliminary(), study("A05.10"), refusal()], OWN, COSTS)
    assert (outcome.end, outcome.code, outcome.cost) == (End.REFUSAL, None, 0.75)


def test_without_an_end_the_time_ran_out_and_what_was_asked_for_is_paid() -> None:
    outcome = follow([preliminary(), study("A05.10")], OWN, COSTS)
    assert (outcome.end, outcome.code, outcome.time_ms, outcome.cost) == (End.TIME_OUT, None, None, 0.75)
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


@pytest.mark.clause("TS D-8", "D-App4 instrumental", "D-App4 laboratory")
def test_the_table_has_22_instrumental_and_9_laboratory_rows() -> None:
    assert (len(stages.INSTRUMENTAL), len(stages.LABORATORY)) == (22, 9)
    assert len(stages.SERVICES) == 30
    assert stages.SERVICES["A05.10"] == ("A05.10.006", "A05.10.008"), "it stands in two rows and asks for both"


# Query code → what follows it in the codes of the services returned; empty: the query code itself.
TABLE_OF_INSTRUMENTAL_STUDIES = {
    "A03.09": ".001",
    "A03.16": ".001",
    "A03.30": ".006",
    "A04.09": ".001",
    "A04.10": ".002",
    "A04.12": ".006.002",
    "A04.16": ".001",
    "A04.21": ".001",
    "A04.28": ".001",
    "A05.10": ".006 .008",
    "A05.23": ".009.001",
    "A06.03": ".024",
    "A06.08": ".003 .007.003",
    "A06.09": ".001 .005 .006.001 .007 .007.002 .008.001",
    "A06.12": ".001.001 .049 .010",
    "A06.16": ".001.002",
    "A06.20": ".004.006",
    "A06.30": ".005",
    "A07.09": ".003",
    "A12.09": ".001 .002 .002.001 .002.002",
    "A12.09.005": "",
}
TABLE_OF_LABORATORY_STUDIES = {
    **dict.fromkeys(("B03.005.006", "B03.016.003", "B03.016.004", "B03.016.006", "B03.016.011"), ""),
    **dict.fromkeys(("A09.05.209", "A26.09.010", "A26.30.028"), ""),
    "A11.01.003": ".001",
}


def written(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {query: tuple(query + rest for rest in returned.split() or [""]) for query, returned in table.items()}


@pytest.mark.clause("TS D-8", "D-App4 instrumental")
def test_instrumental_studies_return_the_services_of_the_table() -> None:
    actual: dict[str, tuple[str, ...]] = {}
    for study in stages.INSTRUMENTAL:
        actual[study.query] = (*actual.get(study.query, ()), *study.services)
    assert actual == written(TABLE_OF_INSTRUMENTAL_STUDIES)


@pytest.mark.clause("TS D-8", "D-App4 laboratory")
def test_laboratory_studies_return_the_services_of_the_table() -> None:
    assert {study.query: study.services for study in stages.LABORATORY} == written(TABLE_OF_LABORATORY_STUDIES)
    assert written(TABLE_OF_INSTRUMENTAL_STUDIES | TABLE_OF_LABORATORY_STUDIES) == stages.SERVICES


@pytest.mark.clause("TS D-8", "D 9.10.4", "D 9.10.1.3.2", "D-App1а 3", "tracks §1 absent study")
@pytest.mark.parametrize(
    ("asked", "own", "costs", "expected"),
    [
        ("A06.09", OWN, COSTS, (True, (0, 2, 3), 6.0)),  # every file that matches: 1.5 + 3 + 1.5
        ("B03.016.003", OWN, COSTS, (False, (), 1.1)),
        # An absent group costs as its dearest service, or what the table says of the group.
        ("A06.09", [], COSTS, (False, (), 3.0)),
        ("A06.09", [], {**COSTS, "A06.09": 2.0}, (False, (), 2.0)),
        # A study that the organizers' table lacks costs nothing.
        ("A03.09", ["A03.09.001"], COSTS, (True, (0,), 0.0)),
        ("A03.09", [], COSTS, (False, (), 0.0)),
    ],
)
def test_a_request_brings_what_matches_and_is_paid_for_found_or_not(
    asked: str, own: list[str], costs: dict[str, float], expected: tuple[bool, tuple[int, ...], float]
) -> None:
    outcome = stages.request(asked, own, costs)
    assert (outcome.present, outcome.files, outcome.cost) == expected
    assert stages.resource_cost(["7001902", "B03.016.003", "B03.016.003"], COSTS) == 2.2


def test_a_code_outside_the_table_is_no_request() -> None:
    with pytest.raises(LookupError):
        stages.request("A99.99", OWN, COSTS)


ITEM = {
    "id": "i",
    "nosology": "copd",
    "language": "rus",
    "versions": {"v3F": "<e/>"},
    "studies": [{"service": "A06.09.007", "xml": "<s/>"}],
}
PRELIMINARY = Turn("preliminary", "preliminary", [{"decorCode": "diagnosisPreliminary", "code": "C34"}], 1_000)
STUDY = Turn("studies", "study", {"study": "A06.09"}, 2_000)
REPLAYED = Turn("studies", "diagnosis", [{"decorCode": "diagnosisMain", "code": "J44"}], 3_000)
EMPTY = Turn("studies", "diagnosis", [{"decorCode": "diagnosisMain", "code": ""}], 3_000)
REFUSAL = Turn("studies", "refusal", {"refusal": True}, 3_000)
YES = {"preliminary": True, "requests": True, "final": True}


def rules() -> Any:
    return TRACK.read_parameters({"stage": "final"})[0]


def judged_pair(*works: tuple[tuple[Turn, ...], Any]) -> Any:
    return TRACK.judged([Reviewed(ITEM, turns, answers) for turns, answers in works], rules())


@pytest.mark.clause("TS D-9", "D 1.12", "D 1.13")
@pytest.mark.parametrize(
    ("turns", "answers", "complete", "clear"),
    [
        ((PRELIMINARY, STUDY, REPLAYED), YES, 3, 3),
        ((PRELIMINARY, STUDY, REPLAYED), {**YES, "requests": False}, 3, 2),
        ((PRELIMINARY, STUDY, REPLAYED), {"final": True}, 3, 1),
        ((PRELIMINARY, REPLAYED), YES, 2, 3),
        ((PRELIMINARY, STUDY, EMPTY), YES, 2, 3),
        ((PRELIMINARY, STUDY, REFUSAL), YES, 2, 3),
        ((PRELIMINARY,), YES, 1, 3),
    ],
)
def test_completeness_counts_three_things_and_clarity_three_answers(
    turns: tuple[Turn, ...], answers: Any, complete: int, clear: int
) -> None:
    outcome = judged_pair((turns, answers))
    assert (outcome["completeness"], outcome["clarity"]) == (complete, clear)
    assert outcome["interpretability"] == pytest.approx((complete + clear) / 6)


@pytest.mark.clause("TS D-9", "D 9.10.5")
def test_without_a_preliminary_diagnosis_everything_is_zero() -> None:
    first = Turn("preliminary", "study", {"study": "A06.09"}, 1_000)
    outcome = judged_pair(((first, REPLAYED), YES))
    assert (outcome["completeness"], outcome["clarity"], outcome["interpretability"], outcome["reviews"]) == (
        0,
        0,
        0,
        1,
    )


@pytest.mark.clause("TS D-9")
def test_a_mean_is_over_reviews_and_who_said_nothing_is_missing() -> None:
    whole = (PRELIMINARY, STUDY, REPLAYED)
    outcome = judged_pair((whole, YES), ((PRELIMINARY,), {**YES, "final": False}), (whole, None), (whole, {}))
    assert (outcome["reviews"], outcome["missing"]) == (2, 2)
    assert (outcome["completeness"], outcome["clarity"]) == (2.0, 2.5)
    assert outcome["interpretability"] == pytest.approx((6 + 3) / 12)
    nothing = judged_pair((whole, None))
    assert [nothing[name] for name in ("completeness", "clarity", "interpretability")] == [None, None, None]


@pytest.mark.clause("TS D-10", "D 9.10.8.3")
def test_a_clinician_is_shown_the_first_data_then_every_turn_with_what_it_brought() -> None:
    assert isinstance(TRACK, Replayed)
    parts = TRACK.replayed(ITEM, "01", (PRELIMINARY, STUDY, REPLAYED), rules())
    assert [each["kind"] for each in parts] == ["first_data", "preliminary", "study", "diagnosis"]
    assert [bool(each.get("response")) for each in parts] == [False, False, True, False]
    assert "copd" not in str(parts)
    assert [each["kind"] for each in TRACK.replayed(ITEM, "01", (PRELIMINARY,), rules())][-1] == "time_out"
    assert [each["kind"] for each in TRACK.replayed(ITEM, "01", (), rules())] == ["first_data", "time_out"]


@pytest.mark.clause("TS D-10", "D 9.10.8.4", "D 9.10.8.6")
def test_the_rules_of_stage_2_are_data() -> None:
    outcome = TRACK.replay_rules()
    assert (outcome.fewest_programs, outcome.most_programs, outcome.people) == (2, 4, 8)
    assert (outcome.fewest_rounds, outcome.most_rounds, outcome.limit_s) == (16, 32, 600)
    assert [key for key, _ in outcome.questions] == ["preliminary", "requests", "final"]


@pytest.mark.clause("TS D-9")
def test_the_table_has_a_row_a_system_by_name() -> None:
    table = TRACK.judgements({"b": judged_pair(((PRELIMINARY, STUDY, REPLAYED), YES)), "a": judged_pair(((), None))})
    assert table.rows == (("a", None, None, None, 0, 1), ("b", 1.0, 3.0, 3.0, 1, 0))


@pytest.mark.clause("D 9.10.8.5", "D 9.10.8.4")
def test_the_first_four_rounds_are_those_of_the_regulations_table() -> None:
    printed = [
        [(1, 5), (2, 6), (3, 7), (4, 8)],
        [(2, 6), (3, 7), (4, 8), (1, 5)],
        [(3, 7), (4, 8), (1, 5), (2, 6)],
        [(4, 8), (1, 5), (2, 6), (3, 7)],
    ]
    assert [list(pairs) for pairs in rotation(16)[:4]] == printed


@pytest.mark.parametrize("rounds", [16, 32])
def test_the_operation_gives_as_many_rounds(rounds: int) -> None:
    reply = reply_to({"op": "diagnosis.rotation", "rounds": rounds})
    assert len(reply["result"]["pairs"]) == rounds
    assert reply["result"]["pairs"][4] == [[1, 5], [2, 6], [3, 7], [4, 8]]


@pytest.mark.clause("D 9.10.8.6")
@pytest.mark.parametrize("rounds", [15, 33, 16.0, "16", None, True])
def test_other_numbers_of_rounds_are_refused(rounds: object) -> None:
    reply = reply_to({"op": "diagnosis.rotation", "rounds": rounds})
    assert reply["error"]["details"]["field"] == "rounds"


PEOPLE = [f"clinician {number}" for number in range(8)]


@pytest.mark.clause("D 9.10.8.5")
def test_the_lot_gives_every_name_once_and_the_same_for_the_same_seed() -> None:
    lot = draw(["red", "green", "blue", "white"], PEOPLE, seed=2024)
    assert sorted(lot.systems.values()) == ["С1", "С2", "С3", "С4"]
    assert sorted(lot.clinicians.values()) == [f"КС{number}" for number in range(1, 9)]
    assert lot == draw(["white", "blue", "green", "red"], PEOPLE[::-1], seed=2024)


def test_another_seed_draws_otherwise() -> None:
    lots = {tuple(sorted(draw(["red", "blue"], PEOPLE, seed).clinicians.items())) for seed in range(5)}
    assert len(lots) == 5


@pytest.mark.parametrize(
    ("teams", "people"),
    [(["a"], PEOPLE), (list("abcde"), PEOPLE), (["a", "a"], PEOPLE), (["a", "b"], PEOPLE[:7]), (["a", "b"], ["x"] * 8)],
)
def test_a_lot_of_other_numbers_or_of_doubles_is_refused(teams: list[str], people: list[str]) -> None:
    with pytest.raises(ValueError, match="the lot needs"):
        draw(teams, people, seed=1)
