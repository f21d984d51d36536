"""What an epicrisis of the semifinal counts as and costs, whichever of its two versions were answered (D-2)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.contest.contests.epicrises import Trial, diagnosis, folder
from tests.contest.contests.played import Contest
from tests.stage import Program, Stage
from tests.stage_kept import Setting
from tests.tracks.diagnosis.test_answers import document, entry

STAGE = Setting("contest-1")

pytestmark = [pytest.mark.integration, pytest.mark.slow]
SEMIFINAL = "diagnosis-semifinal"
MINIMAL, MAXIMAL = 1.25, 4.0
"""Units of work of the studies of v3, and of v2."""
ANSWERS = ("rr", "rw", "wr", "-r", "r-", "--")
"""To v3 and to v2: right, wrong, none. Of the six ill patients one each, and of the six healthy."""


@pytest.mark.clause("TS D-2", "D-App1б table", "D 8.11", "D-App1а 3")
def test_d_2_a_missed_v3_costs_the_most_and_a_missed_v2_is_an_error(stage: Stage) -> None:
    contest = Contest.named(SEMIFINAL)
    files = folder(contest, "final")
    files["cycle.json"]["parameters"]["costs"] = {"11": {"doctor": 1, "nurse": 0.25}, "12": {"doctor": 2.75}}
    for name, each in files.items():
        if "versions" in each:
            first, second = entry("11", f'<id root="1" extension="{name}"/>'), entry("12")
            each["versions"] = {"v3": document(first), "v2": document(first + second)}
    stage.load(files)
    trial = Trial(stage, contest, stage.plan(in_s=600, interval_s=None), {"red": Program(stage, stage.team("red"))})
    red = trial.programs["red"]
    stage.advance(590)
    assert red.join().status == 201
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
    cells = {name: sum(each[name] for each in answer) for name in ("tp", "fn", "tn", "fp")}
    assert cells == {"tp": 3, "fn": 3, "tn": 3, "fp": 3}, "v2 alone decides"
    assert sum(each["cost"] for each in answer) == 2 * MINIMAL + 10 * MAXIMAL, "the least where both were right alone"


@pytest.mark.clause("TS D-12", "D 8.5.2", "D-App1б 5", "D-App1б 6")
def test_d_12_complications_and_comorbidities_are_those_of_the_answer_to_v2(stage: Stage) -> None:
    contest = Contest.named(SEMIFINAL)
    files = folder(contest, "final")
    for name in (each for each in files if "_exp" in each):
        files[name] = {**files[name], "complications": ["J96.0"], "comorbidities": ["E11", "I10"]}
    stage.load(files)
    run = stage.plan(in_s=600, interval_s=None, files=1)
    trial = Trial(stage, contest, run, {"red": Program(stage, stage.team("red"))})
    red = trial.programs["red"]
    stage.advance(590)
    assert red.join().status == 201
    for number, named in enumerate(({"diagnosisSup": "E11"}, {"attendDisease": "J96.1", "diagnosisSup": "I10"}), 1):
        trial.at(number)
        assert red.get(f"files/{number}").status == 200
        beside = [{"decorCode": decor, "code": code} for decor, code in named.items()]
        assert red.answer(number, [*diagnosis(trial.right(number)), *beside]).status == 200
    trial.end()
    answer = red.get("report").json["result"]["board"]
    assert (answer["se_complications"], answer["se_comorbidities"]) == (1.0, 0.5)
