"""Results of all teams: own results, revision, annulment, Table 2, admission, the final's board (D-6…D-12)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from contest import reading
from contest.people.rules import Role
from contest.results import publishing
from contest.results.rules.leaderboard import Visibility
from contest.run.rules.run import Run
from contest.values import DAY, canonical, iso
from tests.contest.contests.epicrises import Trial, diagnosis, folder
from tests.contest.contests.played import Contest
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting
from tests.tracks.samples import SAMPLES
from tracks.diagnosis.stages import NOSOLOGIES
from tracks.protocol import ItemFacts, Outcome

pytestmark = pytest.mark.integration
SEMIFINAL = "diagnosis-semifinal"

STAGE = Setting("contest-1")


def played(stage: Stage, wrong: Mapping[str, set[int]], items: int = 12, **parameters: Any) -> Trial:
    """Play a semifinal of so many epicrises; ``wrong`` are those whose v2 a team gets wrong."""
    files = folder(Contest.named(SEMIFINAL))
    files["cycle.json"]["parameters"] |= parameters
    trial = Trial.of(stage, SEMIFINAL, tuple(wrong), files, files=items)
    for number in range(2, 2 * items + 1, 2):  # v2 alone decides about the cell
        trial.at(number)
        right = trial.right(number)
        other = "Z00" if right != "another" and not right.startswith("Z") else "A15"
        for team, program in trial.programs.items():
            assert program.get(f"files/{number}").status == 200
            said = other if number // 2 in wrong[team] else right
            assert program.answer(number, diagnosis(said)).json["receipt"]["status"] == "accepted"
    trial.end()
    return trial


def asked(trial: Trial, role: Role, method: str, path: str, body: Any = None) -> Answered:
    return trial.stage.request(method, path, body, trial.stage.person(role))


def confirmed(trial: Trial, role: Role = Role.COMMISSION, **said: Any) -> Answered:
    path = f"/v1/conduct/runs/{trial.run.run_id}/protocols/commission"
    return asked(trial, role, "POST", path, {"reason": "the protocol of the revision", **said})


def published(trial: Trial) -> Answered:
    said = {"state": "published", "reason": "the jury has approved"}
    return asked(trial, Role.ORGANIZER, "POST", f"/v1/conduct/boards/{trial.run.run_id}/decision", said)


def tables(board: Answered) -> Mapping[str, list[list[Any]]]:
    return {each["key"]: each["rows"] for each in board.json["tables"]}


@pytest.mark.slow
@pytest.mark.clause(
    "TS D-6",
    "TS D-11",
    "TS D-12",
    "D-App1а (8)",
    "D 6.10",
    "D 6.11",
    "D 8.13",
    "D 8.14",
    "D 8.15",
    "D-App1б Table 2",
    "D 8.17",
)
def test_own_results_come_at_once_and_the_board_after_revision_and_publication(stage: Stage) -> None:
    trial = played(stage, {"red": set(), "blue": {1, 2}, "grey": {3}})
    run_id = trial.run.run_id
    own = {team: program.get("report").json for team, program in trial.programs.items()}
    assert own["red"]["result"]["nosologies"]["lung_cancer"]["se"] == 1.0
    assert (own["red"]["barrier"]["overcome"], own["red"]["session"]["team_id"]) == (None, "red")
    assert {each["key"] for each in own["red"]["sections"]} >= {"nosologies", "overall"}
    assert stage.request("GET", "/v1/boards/criterion?of=final").refusal == (403, "results_not_published")
    assert trial.programs["blue"].ask("GET", f"/v1/sessions/{trial.programs['red'].session_id}/report").status == 404

    live = asked(trial, Role.COMMISSION, "GET", f"/v1/conduct/boards/{run_id}")
    rows = tables(live)["comparison"]
    assert len(rows) == 3 * 6, "all teams by all nosologies"
    of_red = next(row for row in rows if row[0] == "Team red")
    n = own["red"]["result"]["nosologies"]["tuberculosis"]
    assert n["se_lower"] == pytest.approx(1 / (1 + 1.64**2), abs=1e-12), "one of one, by the score interval with z"
    assert of_red[2:8] == [
        1.0,
        pytest.approx(n["se_lower"], abs=6e-4),
        1.0,
        1.0,
        pytest.approx(n["sp_lower"], abs=6e-4),
        1.0,
    ]
    path = f"/v1/conduct/boards/{run_id}/teams"
    told = asked(trial, Role.COMMISSION, "GET", f"{path}.csv")
    made = list(csv.reader(io.StringIO(told.text.lstrip("\ufeff"))))
    assert (len(made), made[0][3:5]) == (19, ["CI_min Se", "CI_max Se"])
    assert asked(trial, Role.COMMISSION, "GET", f"{path}.xlsx").content[:2] == b"PK"
    assert stage.request("GET", f"{path}.csv", token=trial.programs["red"].token).status == 403

    assert published(trial).code == "not_confirmed"
    assert confirmed(trial, Role.JUDGE).status == 403, "the commission revises"
    assert confirmed(trial).json["confirmed"] is True
    assert confirmed(trial).code == "stated_already"
    said = {
        "of": "result",
        "subject": "grey",
        "board": run_id,
        "annulled": True,
        "reason": "not in the contest's spirit",
    }
    assert asked(trial, Role.ORGANIZER, "POST", "/v1/conduct/annulments", said).status == 200
    assert published(trial).status == 200
    stage.advance(20)
    board = stage.request("GET", "/v1/boards/criterion?of=final")
    assert [(row["team_id"], row["place"]) for row in board.json["rows"]] == [("red", 1), ("blue", 2)]
    assert {row[0] for row in tables(board)["comparison"]} == {"Team red", "Team blue"}
    assert [row["barrier"] for row in board.json["rows"]] == [None, None], "a semifinal states no barrier"


def noticed(trial: Trial) -> list[tuple[str, str]]:
    told = asked(trial, Role.ORGANIZER, "GET", f"/v1/conduct/runs/{trial.run.run_id}").json["settlement"]["notices"]
    return [(each["code"], each["where"]["clause"]) for each in told]


@pytest.mark.clause("TS D-6", "D 6.11", "TS T17")
def test_own_reports_that_are_missing_a_day_after_the_end_are_told_of_until_they_are_there(stage: Stage) -> None:
    trial = Trial.of(stage, SEMIFINAL, ("red", "blue"), files=2)
    for number in range(1, 5):
        trial.at(number)
        for program in trial.programs.values():
            assert program.get(f"files/{number}").status == 200
            assert program.answer(number, diagnosis(trial.right(number))).status == 200
    assert noticed(trial) == []
    ends_at = reading.schedule_now(stage.platform, trial.run.run_id).ends_at
    for visits in (0, 2):  # nobody has closed the run; it is closed, and nothing is scored
        stage.set_clock(ends_at + DAY)
        for _ in range(visits):
            stage.tick()
        assert noticed(trial) == [], "the day is not over"
        stage.set_clock(ends_at + DAY + 1)
        assert noticed(trial) == [("own_reports_late", "D 6.11")]
    trial.end()
    assert noticed(trial) == [("protocol_none", "D 11.4"), ("protocol_none", "D 11.2")]
    assert confirmed(trial).status == 200
    assert noticed(trial) == [("protocol_none", "D 11.4")]


@pytest.mark.clause("TS D-6", "D 6.10", "D 8.14")
def test_a_later_decision_calls_for_another_confirmation(stage: Stage) -> None:
    trial = played(stage, {"red": set()}, items=3)
    path = f"/v1/conduct/runs/{trial.run.run_id}/decisions"

    def runs_without_protocol_once_void(number: int) -> list[int]:
        decision = {"kind": "void", "numbers": [number], "reason": "unreadable for everybody"}
        assert asked(trial, Role.ORGANIZER, "POST", path, decision).status == 200
        for _ in range(3):
            stage.tick(after=60)
        rows = asked(trial, Role.ORGANIZER, "GET", "/v1/waiting").json["waiting"]
        return [row["count"] for row in rows if row["subject"] == "protocols"]

    assert confirmed(trial).status == 200
    assert runs_without_protocol_once_void(1) == [1]
    assert published(trial).code == "not_confirmed"
    assert confirmed(trial).json["confirmed"] is True
    assert confirmed(trial, positive=False).json["confirmed"] is False
    assert published(trial).code == "not_confirmed"
    assert confirmed(trial).status == 200
    assert published(trial).status == 200
    assert runs_without_protocol_once_void(3) == [0], "no published run waits"


@pytest.mark.slow
@pytest.mark.clause("TS D-7", "D 8.16", "D-App1б SeКр")
def test_teams_below_the_bounds_of_admission_leave_the_ranking_named_as_such(stage: Stage) -> None:
    trial = played(stage, {"a": set(), "f": set(range(1, 13))}, admission={"lung_cancer": {"se": 0.5, "sp": 0.0}})
    board = asked(trial, Role.COMMISSION, "GET", f"/v1/conduct/boards/{trial.run.run_id}")
    assert [row["team_id"] for row in board.json["rows"]] == ["a"]
    told = tables(board)
    assert told["below_admission"] == [["Team f", "Lung cancer · Рак лёгкого"]]
    assert told["finalists"] == [["Team a", "to the final · в финал"]]
    held = {tuple(row[9:11]) for row in told["comparison"] if row[1].startswith("Lung cancer")}
    assert held == {(0.5, 0.0)}
    assert confirmed(trial).status == 200
    assert published(trial).status == 200, "the recomputation leaves the same team out"


def both_stages() -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return a cycle with a set of the semifinal and one of stage 1, and the references by the items' ids."""
    files = folder(Contest.named(SEMIFINAL), "final")
    files["cycle.json"]["parameters"]["stage"] = "by_set"
    files["cycle.json"]["sets"]["stage-1"] = {"kind": "final"}
    for name, value in folder(Contest.named("diagnosis-final"), "final").items():
        if name == "cycle.json":
            continue
        own = name.replace("final/", "stage-1/F")
        item = isinstance(value, dict) and "versions" in value
        versions = {"v3F": f"<epicrisis><text>{own}</text></epicrisis>"}
        files[own] = {**value, "id": Path(own).stem, "versions": versions} if item else value
    return files, {Path(name).stem.rsplit("_", 1)[0]: each for name, each in files.items() if "_exp" in name}


BY_SET, _ = SAMPLES[SEMIFINAL].made().read_parameters({"stage": "by_set"})


def answered_run(stage: Stage, red: Program, run: Run, step: int) -> list[Outcome]:
    """Play a run of one stage, the first epicrisis wrong; what the library makes of each epicrisis."""
    files, references = both_stages()
    track, parameters = SAMPLES[SEMIFINAL].made(), BY_SET
    stage.advance(590)
    assert red.join(run=run.run_id).status == 201
    plan = reading.run_plan(stage.platform, reading.schedule(stage.platform, run.run_id))
    outcomes = []
    for number in range(step, len(plan) + 1, step):
        file = plan[number - 1]
        item, reference = files[f"{run.set_name}/{file.item_id}.json"], references[file.item_id]
        stage.set_clock(reading.schedule_now(stage.platform, run.run_id).opens_at(number))
        assert red.get(f"files/{number}").status == 200
        right = NOSOLOGIES[item["nosology"]].codes[0] if reference["ill"] else "another"
        main = diagnosis("Z00" if number == step else right)
        assert red.answer(number, main).json["receipt"]["status"] == "accepted"
        turns = [{"step": ("preliminary", "v2")[step - 1], "kind": "diagnosis", "answer": main, "after_ms": 0}]
        score = track.score(item, turns, [reference], parameters)
        outcomes.append(Outcome(ItemFacts(file.file_id, "rus", file.group), step == 1, score))
    stage.pass_minutes(8)
    return outcomes


def _of_earlier_freeze(stage: Stage, final: Run, path: str) -> Any:
    """Return the rows of a board as if an earlier version had frozen it, which stored its own entries alone."""
    blobs, state = stage.platform.blobs, stage.platform.boards.state(final.cycle, final.run_id)
    assert state is not None
    entries = json.loads(blobs.get(state.frozen))["entries"]
    blobs.put(state.frozen, canonical({"format": 2, "entries": entries}))
    stage.pass_minutes(2)
    return stage.request("GET", path).json["rows"]


@pytest.mark.slow
@pytest.mark.clause("TS D-11", "TS T9", "TS D-0", "D 9.12", "D-App1в (16)", "D 1.4", "D 8.17")
def test_the_final_counts_the_semifinal_and_stage_1_together(stage: Stage) -> None:
    stage.load(both_stages()[0])
    red = Program(stage, stage.team("red"))
    semifinal = stage.plan(in_s=600, interval_s=None, set_name="final")
    outcomes = answered_run(stage, red, semifinal, 2)
    final = stage.plan(in_s=600, interval_s=None, set_name="stage-1", continues=semifinal.run_id)
    outcomes += answered_run(stage, red, final, 1)
    runs = [semifinal.run_id, final.run_id]
    token = stage.person(Role.COMMISSION)
    joined = f"/v1/boards/final?of=final&run={runs[1]}"
    for run_id in reversed(runs):
        said = {"reason": "revised"}
        path = f"/v1/conduct/runs/{run_id}/protocols/commission"
        assert stage.request("POST", path, said, token).status == 200
        assert stage.request("GET", joined).code == "results_not_published", "both runs' results are published first"
        publishing.publish(stage.platform, "olga", run_id)
        stage.advance(20)
    (row,) = stage.request("GET", joined).json["rows"]
    whole = json.loads(canonical(SAMPLES[SEMIFINAL].made().aggregate(outcomes, BY_SET, 1)))
    assert row["result"] == {**whole, "answered": row["answered"]}
    assert (row["result"]["stage"], row["files"], row["barrier"]) == ("final", 24, False)
    (own,) = stage.request("GET", f"/v1/boards/criterion?of=final&run={runs[1]}").json["rows"]
    assert (own["files"], own["result"] == row["result"]) == (12, False)
    (before,) = stage.request("GET", f"/v1/boards/criterion?of=final&run={runs[0]}").json["rows"]
    assert before["barrier"] is None, "no semifinal states a barrier"
    nobody = stage.request("GET", f"/v1/boards/final?of=final&run={runs[0]}")
    assert nobody.code == "unknown_board", "a run that continues none is on no board of two"
    keys = [each["key"] for each in stage.request("GET", joined).json["tables"]]
    assert keys == ["comparison", "partial_barrier"]
    publishing.decide(stage.platform, "olga", runs[1], Visibility.FROZEN, "appeals")
    voided = {"kind": "void", "numbers": [2, 4], "reason": "unreadable for everybody"}
    organizer = stage.person(Role.ORGANIZER)
    assert stage.request("POST", f"/v1/conduct/runs/{runs[0]}/decisions", voided, organizer).status == 200
    stage.pass_minutes(3)
    assert stage.request("GET", f"/v1/boards/criterion?of=final&run={runs[0]}").json["rows"] != [before]
    assert stage.request("GET", joined).json["rows"] == [row], "frozen with its part of the semifinal"
    assert _of_earlier_freeze(stage, final, joined) not in ([], [row]), "its part of the semifinal is read as it is"
    said = {"of": "result", "subject": "red", "board": runs[0], "annulled": True, "reason": "not its own program"}
    assert stage.request("POST", "/v1/conduct/annulments", said, organizer).status == 200
    stage.advance(20)
    (left,) = stage.request("GET", joined).json["rows"]
    assert (left["files"], left["result"]) == (12, own["result"]), "what is annulled of the semifinal counts no more"


@pytest.mark.clause("TS D-11", "TS T9")
def test_what_does_not_count_is_not_continued(stage: Stage) -> None:
    stage.load(folder(Contest.named(SEMIFINAL)))
    trial = stage.plan(in_s=600, interval_s=None, files=3, trial=True)
    token = stage.person(Role.ORGANIZER)
    said = {"starts_at": iso(stage.now + 3_600_000), "files": 3}
    for run_id, code in ((trial.run_id, "does_not_count"), ("n" * 20, "nothing_to_continue")):
        assert stage.request("POST", "/v1/conduct/runs", {**said, "continues": run_id}, token).refusal == (409, code)


@pytest.mark.clause("D 8.6", "D 9.3", "D 9.12")
def test_each_set_of_a_cycle_of_all_stages_is_held_against_its_own_stages_least_number(stage: Stage) -> None:
    stage.load(both_stages()[0])
    told = stage.request("GET", "/v1/check", None, stage.person(Role.ORGANIZER))
    found = {
        each["name"]: (each["grade"], each["where"]["files"])
        for each in told.json["checks"]
        if each["name"][:4] == "set_"
    }
    assert found == {
        "set_final": ("failed", 24),
        "set_final_preliminary": ("failed", 12),
        "set_final_v3": ("failed", 12),
    }
