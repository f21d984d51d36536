"""The timer's visits to programs under way, which programs go to the private test of fusion's contest, and the test
itself (F-7)."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest.cycle.rules.cycle import SetKind
from contest.people import teams
from contest.people.rules import Decision, Role, TeamStatus
from contest.submissions.private import chosen_of
from contest.submissions.rules import Order, Submission, SubmissionKind, SubmissionState, SubmissionTask
from contest.values import Upload
from pku import archive as checking
from tests.contest.submissions.fusion_programs import (
    FOLDER,
    SUBTASKS,
    TEAMS,
    Desk,
    privately,
    program,
    submitted,
)
from tests.contest.submissions.running import Machine
from tests.contest.submissions.submitting import Submitter
from tests.stage import Stage


@pytest.mark.clause("TS T13", "TS F-2")
def test_t13_a_lost_message_a_worker_that_comes_twice_and_a_running_program(red: Submitter, machine: Machine) -> None:
    name = red.hand_in(program(), "program")
    assert red.stage.judge() == []
    assert red.look(name)["state"] == "queued"
    red.stage.tick(after=130)
    assert red.stage.judge(deliveries=3) == []
    assert red.look(name)["state"] == "running"
    assert [each for each in machine.orders if each.startswith(name)] == [f"{name}-1"]
    machine.run_all()
    red.stage.advance(130)
    red.stage.tick()  # nobody has told that the job is over
    assert red.stage.judge() == []
    assert red.look(name)["state"] == "scored"


@pytest.mark.clause("TS T13", "platform §7 doctor")
def test_t13_a_run_that_never_ends_is_named_by_the_doctor(red: Submitter, machine: Machine) -> None:
    name = red.hand_in(program(), "program")
    assert red.stage.judge() == []
    red.stage.tick()
    red.stage.advance(89 * 60)
    assert red.stage.tick()["stuck"] == 0
    red.stage.advance(2 * 60)
    assert red.stage.tick()["stuck"] == 1, "organizers are called, too"
    organizer = red.stage.person(Role.ORGANIZER)
    found = red.stage.request("GET", "/v1/doctor", token=organizer).json["findings"]
    assert ("submission_stuck", name) in {(each["ailment"], each["subject"]) for each in found}
    machine.run_all()
    assert red.stage.request("POST", "/v1/doctor/mend", {}, organizer).status == 200
    assert red.stage.judge() == []
    assert red.look(name)["state"] == "scored"
    assert red.stage.tick()["stuck"] == 0


@pytest.mark.clause("TS F-7", "TS F-8", "TS F-9", "TS F-4", "F multitask 1", "F multitask 2", "F test public")
@pytest.mark.clause("F nominations")
def test_the_private_test_makes_the_boards(loaded: tuple[Stage, Machine], machine: Machine, tmp_path: Path) -> None:
    stage = loaded[0]
    desk = Desk(stage)
    red, blue = (Submitter(stage, stage.team(next(TEAMS))) for _ in range(2))
    public_only = program()  # right in the public test, wrong in the private one
    first, named = (submitted(red, machine, each) for each in (public_only, privately(SUBTASKS)))
    assert (first["value"], named["value"]) == (4.0, 4.0)
    best_of_blue = submitted(blue, machine, privately(("HTR",)))
    names_and_declares(red, named["submission_id"])

    begun = desk.post("private-test", {"set": "private"})
    assert begun.status == 200, begun.text
    runs = {each["team_id"]: each for each in begun.json["runs"]}
    own = {runs[team]["of"] for team in runs} & {first["submission_id"], named["submission_id"]}
    assert own == {named["submission_id"]}
    assert runs[best_of_blue["team_id"]]["of"] == best_of_blue["submission_id"]
    assert len(desk.post("private-test", {"set": "private"}).json["runs"]) == len(begun.json["runs"])
    assert desk.post("private-test/publication", {"reason": "early"}).code == "private_runs_wait"
    assert red.ask("POST", "/v1/submissions/named", {"submissions": []}).code == "private_test_begun"
    assert stage.judge() == []
    machine.run_all()
    for each in begun.json["runs"]:
        stage.platform.submission_tasks.send([SubmissionTask(each["submission_id"])])
    assert stage.judge() == []

    hides_a_private_run(red, desk, runs[named["team_id"]]["submission_id"])
    confirms_the_declaration(desk, named["submission_id"])
    assert desk.post("private-test/publication", {"reason": "at once"}).code == "results_not_verified"
    assert stage.recompute() == []
    assert desk.post("private-test/publication", {"reason": "all is checked"}).status == 200
    out = red.ask("GET", "/v1/private-test").json
    assert out["runs"] == []
    places = {(each["board"], each["team_id"]): (each["place"], each["value"]) for each in out["places"]}
    assert places["s", named["team_id"]] == (1, 4.0)
    assert places["htr", named["team_id"]][0] == places["htr", best_of_blue["team_id"]][0] == 1
    money = {(each["board"], each["team_id"]): each["roubles"] for each in out["awards"]}
    assert money["s", named["team_id"]] == 3_000_000
    assert money["htr", best_of_blue["team_id"]] == money["htr", named["team_id"]] == 150_000
    assert money["c2c", named["team_id"]] == 300_000
    assert ("s", best_of_blue["team_id"]) not in money
    by_team = {each: runs[each]["submission_id"] for each in runs}
    has_an_archive_without_the_test(stage, by_team, tmp_path / "archive.zip")
    gives_a_baseline_no_place_and_no_prize(desk, best_of_blue["team_id"], named["team_id"])
    has_an_archive_without_the_test(stage, by_team, tmp_path / "with_a_baseline.zip")


def gives_a_baseline_no_place_and_no_prize(desk: Desk, team_id: str, other_id: str) -> None:
    """Recomputed with its rank, it is no difference."""
    teams.decide(desk.stage.platform, "tests", team_id, Decision("the organizers' own", baseline=True))
    out = desk.post("private-test/publication", {"reason": "a baseline"}).json
    assert {each["place"] for each in out["places"] if each["team_id"] == team_id} == {None}
    assert team_id not in {each["team_id"] for each in out["awards"]}
    lets_a_disqualified_team_leave_the_boards(desk, other_id, team_id)


def lets_a_disqualified_team_leave_the_boards(desk: Desk, team_id: str, other_id: str) -> None:
    """Disqualify a team: the teams behind it move up, prizes included; its runs stay with the organizers."""
    platform = desk.stage.platform
    teams.decide(platform, "tests", other_id, Decision("a team again", baseline=False))
    teams.decide(platform, "tests", team_id, Decision("copied answers", TeamStatus.DISQUALIFIED))
    out = desk.post("private-test/publication", {"reason": "a disqualification"}).json
    assert team_id in {run["team_id"] for run in out["runs"]}
    assert team_id not in {row["team_id"] for row in (*out["places"], *out["awards"])}
    assert {place["place"] for place in out["places"] if (place["team_id"], place["board"]) == (other_id, "htr")} == {1}


def has_an_archive_without_the_test(stage: Stage, runs: Mapping[str, str], path: Path) -> None:
    """Everybody may have the results of the private test, and neither the test nor programs or predictions."""
    stage.advance(10)
    content = stage.request("GET", "/v1/private-test/archive").content
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        files = {each: found.read(each).decode() for each in found.namelist()}
    assert {each for each in files if each.startswith("runs/")} == {f"runs/{each}.json" for each in runs.values()}
    rows = json.loads(files["board.json"])["rows"]
    assert {each["team_id"]: each["run"] for each in rows} == runs
    assert json.loads(files["prizes.json"])["prizes"]
    everything = "".join(files.values())
    hidden = [json.loads(each.read_text("utf-8")) for each in (FOLDER / "private").rglob("*.json")]
    words = [str(value) for each in hidden if isinstance(each, dict) for value in each.values()]
    assert [each for each in words if len(each) > 8 and each in everything] == []
    assert "registry.example" not in everything
    path.write_bytes(content)
    verdict = checking.verify(path)
    assert (verdict.faults, verdict.unit, verdict.markups) == ((), "runs", len(runs))


def names_and_declares(team: Submitter, submission_id: str) -> None:
    """Let a team nominate one submission for the private test, fail with three, and declare shared parameters."""
    told = team.ask("POST", "/v1/submissions/named", {"submissions": [submission_id]})
    assert [each["named"] for each in told.json["submissions"]] == [True, False]
    assert team.ask("POST", "/v1/submissions/named", {"submissions": [submission_id] * 3}).status == 422
    assert team.ask("GET", "/v1/private-test").code == "results_not_published"
    sizes = {"total_parameters": 100, "shared_parameters": 30}
    declared = team.ask("POST", f"/v1/submissions/{submission_id}/declaration", sizes)
    assert declared.json["declaration"]["confirmed"] is None


def hides_a_private_run(team: Submitter, desk: Desk, run_id: str) -> None:
    """Assert that the team sees nothing of a private run, and that nobody gets a log of it."""
    for what in ("", "/logs", "/report"):
        assert team.ask("GET", f"/v1/submissions/{run_id}{what}").code == "unknown_submission"
    logs = desk.stage.request("GET", f"/v1/submissions/{run_id}/logs", token=desk.organizer)
    assert logs.code == "logs_absent"
    assert run_id not in team.ask("GET", "/v1/submissions").text


def confirms_the_declaration(desk: Desk, submission_id: str) -> None:
    """Before the commission has, the board of multitask models has no prize."""
    seen = desk.get("private-test").json
    assert [each for each in seen["awards"] if each["board"] == "s"] == []
    ruled = {"confirmed": True, "reason": "the weights were looked at"}
    confirmed = desk.post(f"submissions/{submission_id}/declaration", ruled, desk.commission)
    assert confirmed.json["declaration"]["confirmed"] is True


ORDER = Order(SubmissionKind.PROGRAM, Upload(1, "0" * 64, ("0" * 64,)), "test", SetKind.TEST, "1" * 64)


def submission(name: str, value: float | None, at: int, **more: Any) -> Submission:
    result = Submission(name, "red", "fusion", "fusion", ORDER, "k", 0, SubmissionState.SCORED, value=value)
    return replace(result, completed_at=at, **more)


def chosen(*known: Submission) -> list[str]:
    return [each.submission_id for each in chosen_of(known, 10)]


@pytest.mark.clause("TS F-7")
def test_f7_a_team_that_names_none_has_its_best_scored_program_run_and_at_most_two_that_it_named() -> None:
    worse, best, later = submission("a", 1.2, 1), submission("b", 2.1, 2), submission("c", 2.1, 3)
    assert chosen(later, worse, best) == ["b"]
    assert chosen(worse, submission("d", None, 0)) == ["a"]
    named = [submission(name, 1.0, at, named_at=at) for at, name in enumerate("xyz")]
    assert chosen(submission("best", 4.0, 9), *named) == ["x", "y"]
    assert chosen(submission("best", 4.0, 9), named[0]) == ["x"]


@pytest.mark.clause("TS F-7")
def test_f7_what_is_not_scored_is_no_program_of_another_set_or_ended_too_late_is_not_run() -> None:
    failed = replace(submission("failed", 4.0, 1), state=SubmissionState.FAILED)
    answers = submission("answers", 4.0, 1, order=replace(ORDER, kind=SubmissionKind.ANSWERS))
    private = submission("private", 4.0, 1, order=replace(ORDER, set_kind=SetKind.FINAL))
    assert chosen(failed, answers, private) == []
    assert chosen(failed, answers, private, submission("own", 0.1, 2)) == ["own"]
    late = submission("late", 4.0, 5, changed_at=11)
    assert chosen(submission("early", 1.0, 1), late) == ["early"]
    assert chosen(late) == []
    assert chosen(replace(late, named_at=12)) == ["late"], "what a team has named is named before it is begun"
