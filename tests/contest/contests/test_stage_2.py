"""Stage 2 of the diagnosis contest: choice, lot, rounds, replay turn by turn, reviews, interpretability (D-9, D-10)."""

from __future__ import annotations

from typing import Any

import pytest

from contest.people.rules import Role
from contest.results import publishing
from contest.run.rules.run import Run
from tests.contest.contests.stage_two import PEOPLE, SEED, asked, doctor, played
from tests.stage import Answered, Stage
from tests.stage_kept import Setting, played_once
from tracks.diagnosis.score import draw, rotation

pytestmark = [pytest.mark.integration, pytest.mark.slow]
STAGE = Setting("contest-1")


@pytest.fixture
def run(stage: Stage) -> Run:
    return played_once(stage, played)


def begun(stage: Stage, run: Run, role: Role = Role.COMMISSION, **said: Any) -> Answered:
    wish = {"run_id": run.run_id, "files": list(range(1, 17)), "people": list(PEOPLE), "seed": SEED}
    return asked(stage, role, "POST", "/v1/replays", {**wish, "reason": "the experts' protocol", **said})


def opened(stage: Stage, run: Run, role: Role = Role.ORGANIZER) -> Answered:
    return asked(stage, role, "POST", f"/v1/replays/{run.run_id}/rounds")


@pytest.mark.clause("TS D-10", "D 9.10.7", "D 9.10.8.5", "D 9.10.8.6")
def test_the_commission_chooses_and_the_lot_is_drawn_once_from_a_published_seed(stage: Stage, run: Run) -> None:
    bounds = {"fewest_programs": 2, "most_programs": 4, "people": 8, "fewest_rounds": 16, "most_rounds": 32}
    answer = asked(stage, Role.COMMISSION, "GET", "/v1/conduct/cycle").json["replay"]
    assert answer == {**bounds, "limit_s": 600}
    staff = asked(stage, Role.COMMISSION, "GET", "/v1/staff").json["staff"]
    assert {each["person_id"] for each in staff if each["role"] == "clinician"} == set(PEOPLE)
    for wrong, code in (
        ({"files": list(range(1, 16))}, "wrong_items"),
        ({"files": [*range(1, 17), 16]}, "wrong_items"),
        ({"files": [*range(1, 16), 19]}, "wrong_items"),
        ({"teams": ["red"]}, "wrong_teams"),
        ({"teams": ["red", "grey"]}, "wrong_teams"),
        ({"people": [*PEOPLE[:7], "person-judge"]}, "wrong_people"),
        ({"people": list(PEOPLE[:7])}, "wrong_people"),
    ):
        asked(stage, Role.JUDGE, "GET", "/v1/qualification")
        assert begun(stage, run, **wrong).refusal == (409, code), wrong
    assert begun(stage, run, Role.JUDGE).status == 403
    assert asked(stage, Role.COMMISSION, "GET", f"/v1/replays/{run.run_id}/lot").refusal == (404, "no_replay")
    assert opened(stage, run).code == "no_replay"
    assert begun(stage, run).status == 201
    assert begun(stage, run, seed=1).code == "lot_drawn"
    answer = asked(stage, Role.CLINICIAN, "GET", f"/v1/replays/{run.run_id}/lot", who=PEOPLE[0]).json
    drawn = draw(("blue", "red"), PEOPLE, SEED)
    assert answer["seed"] == SEED
    assert {system["id"]: system["name"] for system in answer["systems"]} == dict(drawn.systems)
    assert answer["people"] == [f"КС{number}" for number in range(1, 9)], "people by their names in the lot alone"
    assert asked(stage, Role.CLINICIAN, "GET", f"/v1/replays/{run.run_id}", who=PEOPLE[0]).status == 403
    led = asked(stage, Role.COMMISSION, "GET", f"/v1/replays/{run.run_id}").json
    assert {each["id"]: each["name"] for each in led["people"]} == dict(drawn.clinicians)
    assert [each["key"] for each in led["questions"]] == ["preliminary", "requests", "final"]


@pytest.mark.clause("TS D-10", "D 9.10.8.3", "D 9.10.8.4", "D 9.10.8.5")
def test_a_clinician_sees_the_work_turn_by_turn_of_the_system_that_the_rotation_gives(stage: Stage, run: Run) -> None:
    assert begun(stage, run).status == 201
    assert doctor(stage, PEOPLE[0]).code == "no_round"
    assert opened(stage, run, Role.COMMISSION).status == 403, "organizers open rounds"
    assert opened(stage, run).status == 200
    names = draw(("blue", "red"), PEOPLE, SEED)
    of_system = {f"С{place + 1}": pair for place, pair in enumerate(rotation(16)[0])}
    seeing = {}
    for who in PEOPLE:
        found, number = doctor(stage, who), int(names.clinicians[who].removeprefix("КС"))
        system = next(each for each, pair in of_system.items() if number in pair)
        if system not in {"С1", "С2"}:
            assert found.code == "no_round", "two systems alone take part"
            continue
        assert (found.json["system"], found.json["person"], found.json["round"]) == (system, names.clinicians[who], 1)
        seeing[who] = found.json
        assert "red" not in found.text
        assert "blue" not in found.text
    assert len(seeing) == 4
    who = next(each for each in seeing if seeing[each]["system"] == names.systems["red"])
    shown = seeing[who]
    assert [each["kind"] for each in shown["parts"]] == ["first_data"]
    assert shown["parts"][0]["content"]["version"] == "v3F"
    assert shown["total"] == 4
    kinds = []
    for _ in range(5):  # beyond the end nothing changes
        kinds = [each["kind"] for each in doctor(stage, who, "POST", "/turns").json["parts"]]
    assert kinds == ["first_data", "preliminary", "study", "diagnosis"]
    last = doctor(stage, who).json["parts"]
    assert last[2]["response"]["files"][0]["service"] == "A06.09.007"
    other = next(each for each in seeing if seeing[each]["system"] == names.systems["blue"])
    assert [each["kind"] for each in doctor(stage, other, "POST", "/turns").json["parts"]] == ["first_data", "time_out"]
    assert opened(stage, run).code == "round_running"


@pytest.mark.clause("TS D-10", "D 9.10.8.7", "D 9.11")
def test_a_review_saves_itself_within_ten_minutes_to_the_millisecond(stage: Stage, run: Run) -> None:
    assert begun(stage, run, limit_s=None).status == 201
    round_ = opened(stage, run).json
    who = next(each for each in PEOPLE if doctor(stage, each).status == 200)
    assert round_["limit_s"] == 600
    first = doctor(stage, who, "PUT", "/review", {"revision": 0, "answers": {"final": True}})
    assert (first.status, first.json["revision"]) == (200, 1)
    stale = doctor(stage, who, "PUT", "/review", {"revision": 0, "answers": {"final": False}})
    assert stale.refusal == (409, "review_changed")
    again = doctor(stage, who, "PUT", "/review", {"revision": 0, "answers": {"final": True}})
    assert (again.status, again.json["revision"]) == (200, 1), "the same once more changes nothing"
    unknown = doctor(stage, who, "PUT", "/review", {"revision": 1, "answers": {"nothing": True}})
    assert unknown.json["error"]["details"][0]["code"] == "unknown_question"
    known = stage.platform.replays.of_run("contest-1", run.run_id)
    assert known is not None
    until = known.until
    stage.set_clock(until - 200)
    assert opened(stage, run).code == "round_running", "in its last millisecond, too"
    stage.set_clock(until - 200)
    body = {"revision": 1, "answers": {"final": False, "requests": True}, "comment": "долго"}
    assert doctor(stage, who, "PUT", "/review", body).status == 200
    late = doctor(stage, who, "PUT", "/review", {**body, "revision": 2, "comment": "поздно"})
    assert late.refusal == (409, "round_over")
    assert doctor(stage, who, "POST", "/turns").code == "round_over"
    assert doctor(stage, who).json["comment"] == "долго", "what was saved until then counts"
    told = asked(stage, Role.ORGANIZER, "GET", f"/v1/replays/{run.run_id}").json["reviews"]
    assert [(each["answers"], each["comment"]) for each in told] == [(body["answers"], "долго")]


@pytest.mark.clause("TS D-10", "D 9.10.8.7")
def test_what_was_said_of_one_round_never_becomes_a_review_of_the_next(stage: Stage, run: Run) -> None:
    assert begun(stage, run).status == 201
    assert opened(stage, run).status == 200
    stage.advance(601)
    assert opened(stage, run).status == 200
    who = next(each for each in PEOPLE if doctor(stage, each).status == 200)
    body = {"revision": 0, "answers": {"final": True}}
    assert doctor(stage, who, "PUT", "/review", {**body, "round": 1}).refusal == (409, "round_over")
    assert doctor(stage, who, "PUT", "/review", {**body, "round": 3}).code == "no_round"
    assert doctor(stage, who).json["answers"] == {}
    assert doctor(stage, who, "PUT", "/review", {**body, "round": 2}).json["answers"] == {"final": True}


@pytest.mark.clause("TS D-10", "D 9.11")
def test_a_rounds_whole_work_is_told_to_organizers_and_commission_alone(stage: Stage, run: Run) -> None:
    assert begun(stage, run).status == 201
    assert opened(stage, run).status == 200
    names, path = draw(("blue", "red"), PEOPLE, SEED), f"/v1/replays/{run.run_id}"
    who = next(
        each
        for each in PEOPLE
        if doctor(stage, each).status == 200 and doctor(stage, each).json["system"] == names.systems["red"]
    )
    while (seen := doctor(stage, who, "POST", "/turns").json)["total"] > len(seen["parts"]):
        pass
    said = {"revision": seen["revision"], "answers": {"final": False}, "comment": "the study came too late"}
    assert doctor(stage, who, "PUT", "/review", said).status == 200
    for role in (Role.ORGANIZER, Role.COMMISSION):
        told = asked(stage, role, "GET", f"{path}?round=1")
        assert told.status == 200, told.text
        works = {each["system"]["id"]: each["parts"] for each in told.json["works"]}
        assert set(works) == {"red", "blue"}
        assert works["red"] == seen["parts"]
        assert (len(works["red"]), len(works["blue"])) == (4, 2)
        assert [each["comment"] for each in told.json["reviews"]] == ["the study came too late"]
    assert asked(stage, Role.COMMISSION, "GET", path).json["works"] == []
    assert asked(stage, Role.COMMISSION, "GET", f"{path}?round=17").status == 422
    assert doctor(stage, who).status == 200
    assert asked(stage, Role.CLINICIAN, "GET", f"{path}?round=1", None, who).status == 403


@pytest.mark.clause("TS D-9", "TS D-10", "D 1.12", "D 1.13", "D 9.9", "D 9.10.5", "D 9.10.8.7")
def test_interpretability_stands_beside_the_board_and_not_in_its_criterion(stage: Stage, run: Run) -> None:
    assert begun(stage, run).status == 201
    names = draw(("blue", "red"), PEOPLE, SEED)
    yes = {"preliminary": True, "requests": True, "final": False}
    for number in range(1, 17):
        assert opened(stage, run).status == 200
        for who in PEOPLE if number <= 3 else ():
            found = doctor(stage, who)
            if found.status == 200 and not (number == 1 and found.json["system"] == names.systems["blue"]):
                assert doctor(stage, who, "PUT", "/review", {"revision": 0, "answers": yes}).status == 200
        closing = {"reason": "the protocol of stage 2"}
        assert (
            asked(stage, Role.COMMISSION, "POST", f"/v1/replays/{run.run_id}/close", closing).code == "rounds_not_over"
        )
        stage.advance(600)
    assert opened(stage, run).code == "no_more_rounds"
    stage.pass_minutes(3)
    live = f"/v1/conduct/boards/{run.run_id}"
    before = asked(stage, Role.COMMISSION, "GET", live).json
    assert "interpretability" not in [each["key"] for each in before["tables"]]
    done = asked(stage, Role.COMMISSION, "POST", f"/v1/replays/{run.run_id}/close", closing)
    assert done.status == 200, done.text
    assert asked(stage, Role.COMMISSION, "POST", f"/v1/replays/{run.run_id}/close", closing).code == "closed_already"
    # Red by two reviews each: file 1 complete in 3, clear in 2; file 2 has no preliminary diagnosis; file 3 is 1 and 2.
    mean = (5 + 0 + 3) / 6 / 3
    rows = {
        "Team red": ["Team red", round(mean, 3), round(4 / 3, 3), round(4 / 3, 3), 6, 26],
        "Team blue": ["Team blue", 0.0, 0.0, 0.0, 4, 28],
    }
    board = asked(stage, Role.COMMISSION, "GET", live).json
    table = next(each for each in board["tables"] if each["key"] == "interpretability")
    assert {row[0]: row for row in table["rows"]} == rows
    assert [row["value"] for row in board["rows"]] == [row["value"] for row in before["rows"]]
    assert done.json["results"]["rows"][0][0] in {"red", "blue"}
    said = {"reason": "revised"}
    asked(stage, Role.COMMISSION, "POST", f"/v1/conduct/runs/{run.run_id}/protocols/commission", said)
    publishing.publish(stage.platform, "olga", run.run_id)
    stage.advance(20)
    public = stage.request("GET", "/v1/boards/criterion?of=final").json
    assert table in public["tables"]
