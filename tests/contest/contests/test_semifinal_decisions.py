"""Decisions in a run of items in pairs: who comes late, mass failure by the epicrisis, pauses in a pair (D-3…D-5)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from contest import reading
from contest.people.rules import Role
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from contest.values import from_iso
from tests.contest.contests.epicrises import Trial, diagnosis, folder, turn
from tests.contest.contests.played import Contest
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting
from tests.tracks.diagnosis.test_answers import document, entry

pytestmark = pytest.mark.integration


SEMIFINAL = "diagnosis-semifinal"

STAGE = Setting("contest-1")


def decided(trial: Trial, **said: Any) -> Answered:
    """Send a decision about the run as an organizer."""
    token = trial.stage.person(Role.ORGANIZER)
    path = f"/v1/conduct/runs/{trial.run.run_id}/decisions"
    return trial.stage.request("POST", path, {"reason": "the judges agreed", **said}, token)


def answered(trial: Trial, program: Program, number: int, code: str) -> dict[str, Any]:
    """Take a file and answer it in time; the turn that it makes."""
    assert program.get(f"files/{number}").status == 200
    assert program.answer(number, diagnosis(code)).json["receipt"]["status"] == "accepted"
    return turn(("v3", "v2")[(number - 1) % 2], diagnosis(code))


@pytest.mark.slow
@pytest.mark.clause("TS D-3", "D 6.7", "D 13.2", "platform §1 policies")
def test_who_comes_late_is_admitted_by_a_signed_decision_and_everything_before_is_wrong(stage: Stage) -> None:
    trial = Trial.of(stage, SEMIFINAL, ("red",), files=5)
    red, late = trial.programs["red"], Program(stage, stage.team("late"))
    run_id, expected = trial.run.run_id, {"red": {}, "late": {}}
    for number, file in enumerate(trial.files, start=1):
        trial.at(number)
        for team, program in (("red", red), ("late", late)):
            told, _ = expected[team].setdefault(file.file_id, ([], True))
            if program.session_id:
                told.append(answered(trial, program, number, trial.right(number)))
            else:
                expected[team][file.file_id] = (told, False)
        if number == 1:
            stage.advance(1)
            refused = late.join(run=run_id)
            assert (refused.status, refused.code, late.join().code) == (409, "run_not_joinable", "no_run")
            made = decided(trial, kind="admit", team_id="late")
            assert (made.status, made.json["details"]) == (200, {"team_id": "late"})
            stage.set_clock(from_iso(made.json["effective_at"]) - 1)
            assert late.join(run=run_id).code == "run_not_joinable", "a decision holds from its moment on"
        if number == 5:  # in between v3 and v2 of the third epicrisis
            assert late.join(run=run_id).status == 201
    public = stage.request("GET", f"/v1/runs/{run_id}").json["amendments"]
    assert [(each["amendment"]["amendment"], each["amendment"]["details"]) for each in public] == [
        ("admit", {"team_id": "late"})
    ]
    trial.end()
    rows = trial.published()
    assert rows["late"]["result"] == trial.aggregate(expected["late"])
    assert [rows["late"]["result"][name] for name in ("files", "answered", "voided")] == [5, 2, 0]


@pytest.mark.clause("TS D-3")
@pytest.mark.parametrize("late_join", ["until_end", "by_decision", "refused"])
def test_the_cycle_says_who_may_come_late(stage: Stage, late_join: str) -> None:
    files = folder(Contest.named(SEMIFINAL))
    files["cycle.json"]["parameters"]["final"] = {"late_join": late_join}
    stage.load(files)
    run = stage.plan(in_s=600, interval_s=None, files=3)
    late = Program(stage, stage.team("late"))
    joined_at = reading.schedule_now(stage.platform, run.run_id).opens_at(3)
    stage.set_clock(joined_at)
    said = {"kind": "admit", "team_id": "late", "reason": "the power failed"}
    made = stage.request("POST", f"/v1/conduct/runs/{run.run_id}/decisions", said, stage.person(Role.ORGANIZER))
    stage.advance(6)
    expected = {"until_end": ("joining_open", 201), "by_decision": (None, 201), "refused": ("late_refused", 409)}
    assert (made.code if made.status != 200 else None, late.join(run=run.run_id).status) == expected[late_join]
    stage.set_clock(reading.schedule_now(stage.platform, run.run_id).ends_at + 1)
    assert Program(stage, stage.team("later")).join(run=run.run_id).code == "run_not_joinable"


@pytest.mark.clause("TS D-3")
def test_who_is_there_unknown_or_not_of_the_run_is_not_admitted_late(stage: Stage) -> None:
    trial = Trial.of(stage, SEMIFINAL, ("red",), files=3)
    assert decided(trial, kind="admit", team_id="red").code == "takes_part_already"
    assert decided(trial, kind="admit", team_id="nobody").code == "unknown_team"
    stage.team("late")
    assert decided(trial, kind="admit", team_id="late").status == 200
    assert decided(trial, kind="admit", team_id="late").code == "admitted_already"
    other = stage.plan(in_s=600, interval_s=None, files=3, admitted=("red",))
    said = {"kind": "admit", "team_id": "late", "reason": "they asked"}
    path = f"/v1/conduct/runs/{other.run_id}/decisions"
    assert stage.request("POST", path, said, stage.person(Role.ORGANIZER)).code == "team_not_admitted"
    assert stage.request("POST", path, said, stage.person(Role.COMMISSION)).status == 403


def missed_in_turn(trial: Trial, missing: Mapping[str, set[int]], last: int) -> dict[str, dict[str, Any]]:
    """Play files up to ``last``: everybody right, but for what each team misses; the turns by team and epicrisis."""
    told: dict[str, dict[str, Any]] = {team: {} for team in trial.programs}
    for number in range(1, last + 1):
        file = trial.files[number - 1]
        trial.at(number)
        for team, program in trial.programs.items():
            turns, whole = told[team].setdefault(file.file_id, ([], True))
            if number in missing[team]:
                told[team][file.file_id] = (turns, False)
            else:
                turns.append(answered(trial, program, number, trial.right(number) if team == "red" else "Z00"))
                told[team][file.file_id] = (turns, whole)
    return told


def proposed(trial: Trial) -> Any:
    trial.stage.tick()
    token = trial.stage.person(Role.COMMISSION)
    return trial.stage.request("GET", f"/v1/conduct/runs/{trial.run.run_id}", token=token).json["mass_failure"]


@pytest.mark.slow
@pytest.mark.clause("TS D-4", "D 1.7", "D 8.12")
def test_three_epicrises_late_for_all_in_any_version_are_replaced_and_leave_every_matrix(stage: Stage) -> None:
    trial = Trial.of(stage, SEMIFINAL, ("red", "blue"), files=5)
    # Red misses v3 of the first, blue its v2; of the second both v3, of the third both both, of the fourth red alone.
    told = missed_in_turn(trial, {"red": {1, 3, 5, 6, 7}, "blue": {2, 3, 5, 6}}, 8)
    trial.at(9)
    assert proposed(trial)["numbers"] == [1, 2, 3, 4, 5, 6]
    made = decided(trial, kind="replace", proposal=True)
    assert (made.json["details"]["numbers"], made.json["details"]["first"]) == ([1, 2, 3, 4, 5, 6], 11)
    replaced = {each.file_id for each in trial.files[:6]}
    for number in range(9, 17):
        file = trial.files[number - 1]
        trial.at(number)
        for team, program in trial.programs.items():
            turns, _ = told[team].setdefault(file.file_id, ([], True))
            turns.append(answered(trial, program, number, trial.right(number) if team == "red" else "Z00"))
    trial.end()
    rows = trial.published()
    for team in trial.programs:
        kept = {name: turns for name, turns in told[team].items() if name not in replaced}
        assert len(kept) == 5
        assert rows[team]["result"] == trial.aggregate(kept), team


@pytest.mark.slow
@pytest.mark.clause("TS T5", "TS D-4")
@pytest.mark.parametrize("lost", [1, 2])
def test_t5_an_epicrisis_counts_for_nobody_when_the_platform_lost_one_of_its_versions(stage: Stage, lost: int) -> None:
    trial = Trial.of(stage, SEMIFINAL, ("red",), files=3)
    told = missed_in_turn(trial, {"red": {lost, 3, 4}}, 6)
    trial.at(6, 30_001)
    stage.decide(trial.run, Kind.RULE, numbers=(lost,), team_id="red", cause=Cause.PLATFORM)
    trial.end()
    records = stage.platform.scores.of_session(trial.programs["red"].session_id)
    assert {each.number: each.answer_sha256 == "missed" for each in records} == {4: True, 6: False}
    kept = {name: turns for name, turns in told["red"].items() if name != trial.files[0].file_id}
    assert trial.published()["red"]["result"] == trial.aggregate(kept)


@pytest.mark.clause("TS T8", "TS D-4", "D 8.12")
def test_the_cycle_says_how_many_epicrises_reserve_ones_may_replace(stage: Stage) -> None:
    files = folder(Contest.named(SEMIFINAL))
    files["cycle.json"]["parameters"]["final"] = {"most_replaced": 1}
    stage.load(files)
    run = stage.plan(in_s=600, interval_s=None, files=3)
    path = f"/v1/conduct/runs/{run.run_id}/decisions"
    said = {"kind": "replace", "reason": "the judges agreed", "numbers": [1, 3]}
    refused = stage.request("POST", path, said, stage.person(Role.ORGANIZER))
    assert refused.refusal == (409, "too_many_replaced")
    assert "at most 1 items" in refused.text
    made = stage.request("POST", path, said | {"numbers": [3]}, stage.person(Role.ORGANIZER))
    assert (made.status, made.json["details"]["numbers"]) == (200, [3, 4])
    assert stage.request("GET", "/v1/cycle").json["parameters"]["final"]["most_replaced"] == 1


@pytest.mark.clause("TS D-4", "D 1.7")
@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ({"red": {1, 2, 3, 4}, "blue": {1, 2, 3, 4}}, "two epicrises are four files and no three elements"),
        ({"red": {1, 3, 5}, "blue": {1, 3}}, "the third is not late for everybody"),
        ({"red": {1, 2, 3, 4, 5, 6}}, "one session alone"),
    ],
)
def test_two_epicrises_or_one_team_propose_nothing(stage: Stage, missing: dict[str, set[int]], why: str) -> None:
    trial = Trial.of(stage, SEMIFINAL, tuple(missing), files=4)
    missed_in_turn(trial, missing, 6)
    trial.at(8)
    assert proposed(trial) is None, why


@pytest.mark.slow
@pytest.mark.clause("TS D-5", "D 6.16")
def test_a_pause_may_fall_between_v3_and_v2(stage: Stage) -> None:
    trial = Trial.of(stage, SEMIFINAL, ("red",), files=4)
    program = trial.programs["red"]
    trial.at(3)
    planned = reading.schedule_now(stage.platform, trial.run.run_id).opens_at(4)
    told = answered(trial, program, 3, "Z00")
    stage.advance(10)
    assert decided(trial, kind="pause").status == 200
    stage.advance(6)
    # The answer to v3 is in time during the pause, v2 does not open in it.
    again = program.answer(3, diagnosis(trial.right(3)))
    assert again.json["receipt"]["status"] == "accepted"
    stage.set_clock(planned + 120_000)
    assert program.get("files/4").code == "not_open_yet"
    went_on = from_iso(decided(trial, kind="resume").json["effective_at"])
    paused = went_on - (planned - 30_000 + 15_000)
    trial.at(4)
    assert stage.now == planned + paused
    stage.advance(-0.001)
    assert program.get("files/4").code == "not_open_yet"
    trial.at(4)
    told = answered(trial, program, 4, trial.right(4))
    assert told["step"] == "v2"
    trial.at(4, 30_001)
    assert program.answer(4, diagnosis("Z00")).json["receipt"]["reason"] == "deadline_passed"
    for number in range(5, 9):
        trial.at(number)
        answered(trial, program, number, trial.right(number))
    trial.end()
    report = json.loads(program.get("report").text)
    of_pair = [each for each in report["files"] if each["number"] in {3, 4}]
    assert [each["state"] for each in of_pair] == ["answered", "answered"]
    assert trial.published()["red"]["result"]["answered"] == 3


MINIMAL, MAXIMAL = 1.25, 4.0
"""Units of work of the studies of v3, and of v2."""
ANSWERS = ("rr", "rw", "wr", "-r", "r-", "--")
"""Answers to v3 and v2 (r: right, w: wrong, -: none), one pair for each of six ill and of six healthy patients."""


@pytest.mark.slow
@pytest.mark.clause("TS D-2", "D-App1б table", "D 8.11", "D-App1а 3")
def test_d_2_a_missed_v3_costs_the_most_and_a_missed_v2_is_an_error(stage: Stage) -> None:
    files = folder(Contest.named(SEMIFINAL), "final")
    files["cycle.json"]["parameters"]["costs"] = {"11": {"doctor": 1, "nurse": 0.25}, "12": {"doctor": 2.75}}
    for name, content in files.items():
        if "versions" in content:
            first, second = entry("11", f'<id root="1" extension="{name}"/>'), entry("12")
            content["versions"] = {"v3": document(first), "v2": document(first + second)}
    trial = Trial.of(stage, SEMIFINAL, ("red",), files)
    red = trial.programs["red"]
    of_kind: Counter[bool] = Counter()
    for number in range(1, 25):
        trial.at(number)
        assert red.get(f"files/{number}").status == 200
        right = trial.right(number)
        ill = right != "another"
        result = ANSWERS[of_kind[ill]][(number - 1) % 2]
        if result != "-":
            assert red.answer(number, diagnosis(right if result == "r" else "Z00")).status == 200
        of_kind[ill] += number % 2 == 0
    trial.end()
    answer = red.get("report").json["result"]["nosologies"].values()
    cells = {name: sum(content[name] for content in answer) for name in ("tp", "fn", "tn", "fp")}
    assert cells == {"tp": 3, "fn": 3, "tn": 3, "fp": 3}, "v2 alone decides"
    assert sum(content["cost"] for content in answer) == 2 * MINIMAL + 10 * MAXIMAL, (
        "the least where both were right alone"
    )


@pytest.mark.slow
@pytest.mark.clause("TS D-12", "D 8.5.2", "D-App1б 5", "D-App1б 6")
def test_d_12_complications_and_comorbidities_are_those_of_the_answer_to_v2(stage: Stage) -> None:
    files = folder(Contest.named(SEMIFINAL), "final")
    for name in (filename for filename in files if "_exp" in filename):
        files[name] = {**files[name], "complications": ["J96.0"], "comorbidities": ["E11", "I10"]}
    trial = Trial.of(stage, SEMIFINAL, ("red",), files, files=1)
    red = trial.programs["red"]
    for number, named in enumerate(({"diagnosisSup": "E11"}, {"attendDisease": "J96.1", "diagnosisSup": "I10"}), 1):
        trial.at(number)
        assert red.get(f"files/{number}").status == 200
        beside = [{"decorCode": decor, "code": code} for decor, code in named.items()]
        assert red.answer(number, [*diagnosis(trial.right(number)), *beside]).status == 200
    trial.end()
    answer = red.get("report").json["result"]["board"]
    assert (answer["se_complications"], answer["se_comorbidities"]) == (1.0, 0.5)
