"""Studies of stage 1 on the platform: those that may be ordered, their results and their costs (D-8)."""

from __future__ import annotations

from typing import Any

import pytest

from contest.values import iso
from tests.contest.contests.epicrises import STUDY, Trial, diagnosis, folder, in_hand
from tests.contest.contests.played import Contest
from tests.stage import Program, Stage
from tests.stage_kept import Setting

pytestmark = [pytest.mark.integration, pytest.mark.slow]
FINAL = "diagnosis-final"
PRICES = {  # units of work, the doctor's and the nurse's together
    "A06.09.007": 3.0,
    "B03.016.003": 1.5,
    "A12.09.001": 0.5,
    "A12.09.002": 2.5,
    "A06.30": 4.0,
    "A06.30.005": 9.0,
}

STAGE = Setting("contest-1")


@pytest.fixture
def trial(stage: Stage) -> Trial:
    """Stage 1 with prices and one program, at the opening of the first epicrisis, which it has taken."""
    files = folder(Contest.named(FINAL))
    prices = {code: {"doctor": units - 0.5, "nurse": 0.5} for code, units in PRICES.items()}
    files["cycle.json"]["parameters"]["costs"] = prices
    return in_hand(stage, FINAL, cycle=files)[0]


def asked(program: Program, study: Any) -> Any:
    """Order a study and return its results."""
    answered = program.answer(1, study)
    assert answered.status == 200, answered.text
    return answered.json["dialogue"]["turns"][-1]["response"]


@pytest.mark.clause("TS D-8", "D 9.10.1.3.2", "D 9.10.4", "D 9.10.6", "tracks §1 absent study")
def test_d_8_every_study_asked_for_costs_found_or_not_and_as_often_as_it_is_asked_for(trial: Trial) -> None:
    red = trial.programs["red"]
    found = asked(red, STUDY)
    assert (found["study"], found["found"]) == ("A06.09", True)
    assert [(each["number"], each["service"]) for each in found["files"]] == [(1, "A06.09.007")]
    assert "Рентгенография" in found["files"][0]["xml"]
    assert asked(red, {"study": "B03.016.003"})["found"] is True
    assert asked(red, STUDY) == found, "again after another one: the same, and paid for again"
    for absent in ("A12.09", "A06.30"):
        assert asked(red, {"study": absent}) == {"study": absent, "found": False, "files": []}
    trial.at(1, 30_000)
    assert red.answer(1, {"refusal": True}).json["dialogue"]["step"] is None
    trial.at(12, 60_001)
    trial.end()
    nosologies = red.get("report").json["result"]["nosologies"]
    spent = sum(each["cost"] for each in nosologies.values())
    # Twice 3, once 1.5; the dearest of the services of one that is absent; the absent query's own price.
    assert spent == 2 * 3.0 + 1.5 + 2.5 + 4.0
    right, others = nosologies[trial.files[0].group], [each for each in nosologies.values() if not each["cost"]]
    assert (right["cost"], len(others)) == (spent, 5)
    assert (right["tp"], right["tn"]) == (0, 0), "who refuses has no diagnosis"


@pytest.mark.clause("TS D-8", "D 9.10.2", "D 9.10.3", "D-App4 instrumental")
def test_d_8_what_is_no_study_of_the_table_is_refused_and_is_no_turn(trial: Trial) -> None:
    red = trial.programs["red"]
    for wrong, code in (("A06.09.007", "unknown_study"), ("A06.09, A12.09", "one_study_per_request")):
        refused = red.answer(1, {"study": wrong})
        assert (refused.status, [each["code"] for each in refused.json["error"]["details"]]) == (422, [code])
    assert red.get("files/1").json["dialogue"]["turns"] == []
    studies = {each["query"] for each in trial.stage.request("GET", "/v1/classifier").json["classifier"]["studies"]}
    assert len(studies) == 30, "31 rows, one query of which stands in two"
    for number, study in enumerate(sorted(studies), start=1):
        trial.at(1, number * 1000)
        asked(red, {"study": study})
    told = red.get("files/1").json["dialogue"]["turns"]
    opened_at = trial.stage.now - len(studies) * 1000
    assert [(each["kind"], each["received_at"], each["response"]["found"]) for each in told] == [
        ("study", iso(opened_at + number * 1000), study in {"A06.09", "B03.016.003"})
        for number, study in enumerate(sorted(studies), start=1)
    ]


@pytest.mark.long
@pytest.mark.clause("TS D-8")
def test_d_8_an_epicrisis_takes_99_turns(trial: Trial) -> None:
    red = trial.programs["red"]
    for number in range(98):
        trial.at(1, number * 500)
        asked(red, {"study": ("A06.09", "B03.016.003")[number % 2]})
    trial.at(1, 58_000)
    said = red.answer(1, diagnosis(trial.right(1)))
    assert (said.json["receipt"]["send"], said.json["receipt"]["status"]) == (99, "accepted")
    trial.at(2)
    assert red.get("files/2").status == 200
    for number in range(99):
        trial.at(2, number * 500)
        study = {"study": ("A06.09", "B03.016.003")[number % 2]}
        assert red.answer(2, study).json["receipt"]["status"] == "accepted"
    trial.at(2, 58_000)
    assert red.answer(2, diagnosis("J44")).json["receipt"]["reason"] == "too_many_sends"
