"""Programs that the platform runs (F-1 … F-7), over HTTP: from the archive to the boards, and the private test."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contest import reading, stored_names
from contest.adapters import aws
from contest.cycle.rules.cycle import SetKind
from contest.people import teams
from contest.people.rules import Decision, Role, TeamStatus
from contest.results.rules import set_access
from contest.results.rules.qualification import Annulled, Annulment
from contest.stored_names import Figure
from contest.submissions import private, scoring, worker
from contest.submissions.private import chosen_of
from contest.submissions.rules import Order, Submission, SubmissionKind, SubmissionState, SubmissionTask
from contest.values import Upload
from pku import archive as checking
from tests.contest.submissions.submitting import (
    FOLDER,
    RIGHT,
    SUBTASKS,
    TEAMS,
    Desk,
    Machine,
    Submitter,
    privately,
    program,
    sha,
    submitted,
    submitted_runs,
)
from tests.documented import conforms
from tests.fakes import FakePlatform
from tests.stage import Stage
from tests.stage_services import BUCKET
from tracks import registry
from tracks.protocol import Reason, Text


@pytest.mark.clause("TS T13", "TS F-2")
def test_t13_a_lost_message_a_worker_that_comes_twice_and_a_running_program(
    red: Submitter, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    looks, read = [None], scoring.ending_of
    monkeypatch.setattr(scoring, "ending_of", lambda *run: looks.pop() if looks else read(*run))  # just written
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
@pytest.mark.clause("F nominations", "D 6.10")
def test_the_private_test_makes_the_boards(loaded: tuple[Stage, Machine], machine: Machine, tmp_path: Path) -> None:
    stage = loaded[0]
    desk = Desk(stage)
    red, blue = (Submitter(stage, stage.team(next(TEAMS))) for _ in range(2))
    public_only = program()  # right in the public test, wrong in the private one
    first, named = (submitted(red, machine, each) for each in (public_only, privately(SUBTASKS)))
    assert (first["value"], named["value"]) == (4.0, 4.0)
    best_of_blue = submitted(blue, machine, privately(("HTR",)))
    names_and_declares(red, named["submission_id"], desk)

    begun = desk.post("private-test", {"set": "private"}).body()
    runs = {run["team_id"]: run for run in begun["runs"]}
    own = {runs[team]["of"] for team in runs} & {first["submission_id"], named["submission_id"]}
    assert own == {named["submission_id"]}
    assert runs[best_of_blue["team_id"]]["of"] == best_of_blue["submission_id"]
    assert len(desk.post("private-test", {"set": "private"}).json["runs"]) == len(begun["runs"])
    assert desk.post("private-test/publication", {"reason": "early"}).code == "private_runs_wait"
    assert red.ask("POST", "/v1/submissions/named", {"submissions": []}).code == "private_test_begun"
    places = [stage.platform.submissions.lane(team_id) for team_id in runs]
    submitted_runs(stage, machine, begun["runs"])
    assert [stage.platform.submissions.lane(team_id) for team_id in runs] == places, "a private run takes no place"
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
    counts_nothing_that_is_annulled(desk, named)
    gives_a_baseline_no_place_and_no_prize(desk, best_of_blue["team_id"], named["team_id"])
    del by_team[named["team_id"]]  # disqualified
    has_an_archive_without_the_test(stage, by_team, tmp_path / "without_a_team.zip")


def counts_nothing_that_is_annulled(desk: Desk, named: Mapping[str, Any]) -> None:
    """Annul a submission, its private run and the private set: each takes the team off the boards and from the prizes
    until it is restored. The archive follows the commission's word on a declaration at once."""
    archives = []
    for confirmed in (False, True):
        ruled = {"confirmed": confirmed, "reason": "counted again"}
        desk.post(f"submissions/{named['submission_id']}/declaration", ruled, desk.commission).body()
        desk.stage.advance(10)
        archives.append(desk.stage.request("GET", "/v1/private-test/archive").content)
    assert archives[0] != archives[1]
    seen = desk.get("private-test").json
    run = next(run["submission_id"] for run in seen["runs"] if run["of"] == named["submission_id"])
    for kind, subject in (("session", named["submission_id"]), ("session", run), ("set", "private")):
        body = {"of": kind, "subject": subject, "reason": "copied answers"}
        assert desk.post("annulments", {**body, "annulled": True}).status == 200
        out = desk.get("private-test").json
        assert named["team_id"] not in {row["team_id"] for row in (*out["places"], *out["awards"])}
        assert kind != "set" or desk.post("private-test", {"set": subject}).code == "set_annulled"
        assert desk.post("annulments", {**body, "annulled": False}).status == 200
    assert desk.get("private-test").json["places"] == seen["places"]


def gives_a_baseline_no_place_and_no_prize(desk: Desk, team_id: str, other_id: str) -> None:
    """Recomputed with its rank, it is no difference."""
    teams.decide_on_team(desk.stage.platform, "tests", team_id, Decision("the organizers' own", baseline=True))
    out = desk.post("private-test/publication", {"reason": "a baseline"}).json
    assert {each["place"] for each in out["places"] if each["team_id"] == team_id} == {None}
    assert team_id not in {each["team_id"] for each in out["awards"]}
    lets_a_disqualified_team_leave_the_boards(desk, other_id, team_id)


def lets_a_disqualified_team_leave_the_boards(desk: Desk, team_id: str, other_id: str) -> None:
    """Disqualify a team: the teams behind it move up, prizes included; its runs stay with the organizers."""
    platform = desk.stage.platform
    teams.decide_on_team(platform, "tests", other_id, Decision("a team again", baseline=False))
    teams.decide_on_team(platform, "tests", team_id, Decision("copied answers", TeamStatus.DISQUALIFIED))
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


def names_and_declares(team: Submitter, submission_id: str, desk: Desk) -> None:
    """Let a team nominate one submission for the private test, fail with three, and declare shared parameters.

    Nothing can be published yet.
    """
    refused = desk.post("private-test/publication", {"reason": "nothing is begun"}).json["error"]
    assert refused["message_ru"].startswith("закрытый тест ещё не начат")
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
    annulments = [Annulment(Annulled.SESSION, name, "", "copied", 1) for name in ("x", "best")]
    known = [submission("best", 4.0, 9), named[0], worse, best]
    assert [each.submission_id for each in chosen_of(known, 10, annulments)] == ["b"], "annulled ones are none of them"


@pytest.mark.clause("TS F-7")
def test_f7_the_private_run_of_a_rescored_submission_goes_by_no_rescoring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its report is that of its own first scoring, and is looked for under that name."""
    platform, runs = FakePlatform(), list[Submission]()
    submissions = SimpleNamespace(add=lambda run, key: runs.append(run))
    monkeypatch.setattr(platform, "submissions", submissions, raising=False)
    chosen = submission("a", 2.1, 2, rescored="r1", parameters_version=3, receipt="signed", day="2026-09-21")
    private._begun(platform, "person:olga", chosen, 10)
    (run,) = runs
    assert (run.of, run.parameters_version, run.run) == ("a", 3, f"{run.submission_id}-1")
    assert (run.rescored, run.receipt, run.day, run.value) == ("", "", "", None)


@pytest.mark.clause("TS F-7")
def test_f7_only_a_scored_program_of_the_public_set_in_time_has_a_private_run() -> None:
    failed = replace(submission("failed", 4.0, 1), state=SubmissionState.FAILED)
    answers = submission("answers", 4.0, 1, order=replace(ORDER, kind=SubmissionKind.ANSWERS))
    private = submission("private", 4.0, 1, order=replace(ORDER, set_kind=SetKind.FINAL))
    assert chosen(failed, answers, private) == []
    assert chosen(failed, answers, private, submission("own", 0.1, 2)) == ["own"]
    late = submission("late", 4.0, 5, changed_at=11)
    assert chosen(submission("early", 1.0, 1), late) == ["early"]
    assert chosen(late) == []
    assert chosen(replace(late, named_at=12)) == ["late"], "what a team has named is named before it is begun"


@pytest.mark.clause("TS F-1", "TS F-2", "TS T13")
def test_f2_a_program_is_checked_run_and_scored(red: Submitter, machine: Machine) -> None:
    submission = submitted(red, machine, program("print('hello'); print('oh', file=sys.stderr)"))
    assert (submission["state"], submission["cause"], submission["attempt"]) == ("scored", None, 1)
    assert submission["value"] == 4.0
    answered = red.report_of(submission["submission_id"])
    conforms(answered, "get", "/v1/submissions/{submission_id}/report")
    report = answered.json
    assert report["run"]["machine"].startswith("a machine")
    assert report["run"]["exit_code"] == 0
    assert report["result"]["subtasks"]["c2c"]["score"] == 100
    logs = red.ask("GET", f"/v1/submissions/{submission['submission_id']}/logs").json
    assert (logs["stdout"], logs["stderr"]) == ("hello\n", "oh\n")


@pytest.mark.clause("TS F-2", "F test private", "F input")
def test_f2_no_input_of_a_job_holds_a_true_answer(red: Submitter, machine: Machine) -> None:
    """The program looks at every byte that it is given, and none of it is an answer."""
    look = "print(sorted(str(each) for each in pathlib.Path('input').rglob('*') if each.is_file()))"
    secret = (
        "print([each for each in pathlib.Path('input').rglob('*') if each.is_file() and b'true_' in each.read_bytes()])"
    )
    submission = submitted(red, machine, program(look, secret))
    (order,) = machine.orders.values()
    references = _references(red)
    assert references
    assert not references & {file.sha256 for file in (*order.inputs, *order.archive)}
    assert all("/inputs/" in file.name for file in order.inputs)
    logs = red.ask("GET", f"/v1/submissions/{submission['submission_id']}/logs").json["stdout"]
    assert "input/C2C/requests.json" in logs
    assert "input/HTR/images/" in logs
    assert "input/VQA/questions.json" in logs
    assert logs.endswith("[]\n")


def _references(red: Submitter) -> set[str]:
    cycle = reading.written_cycle(red.stage.platform)
    public_set = cycle.set_named("public")
    assert public_set is not None
    items = reading.manifest(red.stage.platform, cycle.name, public_set.manifest).items
    return {reference for item in items for reference in item.references}


@pytest.mark.clause("TS F-1")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"no zip", "not_a_zip"),
        (program()[:-30], "not_a_zip"),
        (program(**{"../escape": "x"}), "path_escape"),
    ],
    ids=["no zip", "cut off", "escaping"],  # an archive as a name has the second in it, and workers collect apart
)
def test_broken_archives_are_refused(red: Submitter, machine: Machine, content: bytes, code: str) -> None:
    submission = submitted(red, machine, content)
    assert (submission["state"], [reason["code"] for reason in submission["reasons"]]) == ("refused", [code])
    assert machine.orders == {}
    assert red.ask("GET", f"/v1/submissions/{submission['submission_id']}/logs").code == "logs_absent"


@pytest.mark.clause("TS F-1")
def test_an_archive_of_parts_is_one_stream(red: Submitter, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a kilobyte stand for those of 64 MiB."""
    monkeypatch.setattr("contest.values.PART", 1024)
    monkeypatch.setattr("contest.submissions.uploading.PART", 1024)
    content = program("print('read'); sys.exit(1)")
    pieces = [content[start : start + 1024] for start in range(0, len(content), 1024)]
    assert len(pieces) > 3
    begun = red.announce(content, "program", parts=[sha(piece) for piece in pieces]).body(201)
    name = begun["submission_id"]
    assert begun["missing_parts"] == list(range(1, len(pieces) + 1))
    for number, piece in enumerate(pieces, 1):
        red.put(name, number, piece)
        red.stage.advance(1)
    assert red.complete(name).status == 200
    assert red.stage.judge() == []
    machine.run_all()
    red.stage.platform.submission_tasks.send([SubmissionTask(name)])
    assert red.stage.judge() == []
    assert red.look(name)["cause"] == "exit_code"
    assert red.ask("GET", f"/v1/submissions/{name}/logs").json["stdout"] == "read\n"


@pytest.mark.clause("TS T13", "TS F-1")
@pytest.mark.parametrize(
    ("size", "parts", "status", "code"),
    [
        (160 * 64 * 1024**2, 160, 201, None),
        (160 * 64 * 1024**2 + 1, 160, 413, "submission_too_large"),
        (160 * 64 * 1024**2, 161, 422, "invalid_request"),
        (160 * 64 * 1024**2, 159, 422, "wrong_parts"),
        (64 * 1024**2, None, 201, None),
        (64 * 1024**2 + 1, None, 422, "wrong_parts"),
        (64 * 1024**2 + 1, 2, 201, None),
    ],
)
def test_ten_gibibytes_at_most(red: Submitter, size: int, parts: int | None, status: int, code: str | None) -> None:
    announcement: dict[str, Any] = {"kind": "program", "bytes": size, "sha256": "1" * 64}
    if parts is not None:
        announcement["parts"] = [f"{number:064x}" for number in range(parts)]
    announced = red.ask("POST", "/v1/submissions", announcement)
    assert (announced.status, announced.code if code else None) == (status, code), announced.text


@pytest.mark.clause("TS F-4", "TS F-5")
@pytest.mark.parametrize(
    ("lines", "answers", "cause"),
    [
        (["sys.exit(3)"], None, "exit_code"),
        (["pass"], {}, "no_output"),
        (["pathlib.Path('output/readme.txt').write_text('x')"], {}, "no_output"),
        (["pass"], {"C2C": [1, 2]}, "bad_output"),
        (["import os; os.symlink('/etc/passwd', 'output/prediction_C2C.json')"], {}, "bad_output"),
    ],
)
def test_f4_a_failure_has_its_cause_and_takes_no_scored_submission(
    red: Submitter, machine: Machine, lines: list[str], answers: dict[str, Any] | None, cause: str
) -> None:
    submission = submitted(red, machine, program(*lines, answers=answers))
    assert (submission["state"], submission["cause"], submission["value"]) == ("failed", cause, None)
    left_today = red.ask("GET", "/v1/submissions").json["left_today"]
    assert (left_today["scored"], left_today["unscored"]) == (100, 99)
    assert red.report_of(submission["submission_id"]).code == "submission_not_scored"


@pytest.mark.clause("TS F-4", "TS F-5")
def test_a_vanished_job_costs_nothing(red: Submitter, machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.loses_endings = True
    submission = submitted(red, machine, program())
    assert (submission["state"], submission["cause"]) == ("failed", "platform")
    logged = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith('{"_aws"')]
    assert sum(sum(figures.get(Figure.RUNS_LOST, ())) for figures in logged) == 1, "organizers are called"
    left_today = red.ask("GET", "/v1/submissions").json["left_today"]
    assert (left_today["scored"], left_today["unscored"]) == (100, 100)
    name = red.announce(program(), "program").json["submission_id"]
    red.put(name, 1, program())
    assert red.complete(name).status == 200  # the place is free again
    assert red.stage.judge() == []


@pytest.mark.clause("TS F-4")
def test_f4_logs_hold_the_last_mebibyte_of_each_stream(red: Submitter, machine: Machine) -> None:
    """Whatever a job has left there."""
    name = submitted(red, machine, program("sys.exit(1)"))["submission_id"]
    folder = stored_names.submission_run_folder(f"{name}-1")
    for stream in ("stdout", "stderr"):
        aws.client("s3").put_object(Bucket=BUCKET, Key=f"{folder}{stream}", Body=b"a" + b"b" * 2**20)
    logs = red.ask("GET", f"/v1/submissions/{name}/logs").json
    assert (logs["stdout_bytes"], logs["stderr_bytes"]) == (2**20, 2**20)
    assert "a" not in logs["stdout"] + logs["stderr"]


@pytest.mark.clause("TS F-6")
def test_f6_a_unitask_program_counts_0_elsewhere_and_stands_on_its_own_board(red: Submitter, machine: Machine) -> None:
    submission = submitted(red, machine, program(answers={"HTR": RIGHT["HTR"]}), groups=["HTR"])
    assert (submission["state"], submission["value"], submission["groups"]) == ("scored", 1.0, ["HTR"])
    (order,) = machine.orders.values()
    assert {file.path.partition("/")[0] for file in order.inputs} == {"HTR"}
    subtasks = red.report_of(submission["submission_id"]).json["result"]["subtasks"]
    assert {name: subtask["score"] for name, subtask in subtasks.items()} == {"c2c": 0, "htr": 1, "zsod": 0, "vqa": 0}
    red.stage.advance(20)
    for key, value in (("htr", 1.0), ("s", 1.0), ("c2c", 0.0)):
        board = red.stage.request("GET", f"/v1/boards/{key}").body()
        rows = {row["team_id"]: row["value"] for row in board["rows"]}
        assert rows[submission["team_id"]] == value


def varied(subtask: str, changed: int) -> dict[str, Any]:
    """Return true answers with wrong ones to so many requests of a subtask."""
    wrong = {"zsOD": {}}.get(subtask, "wrong")
    answers = {
        name: wrong if place < changed else right for place, (name, right) in enumerate(sorted(RIGHT[subtask].items()))
    }
    return {**RIGHT, subtask: answers}


@pytest.mark.clause("TS T10", "F test public")
def test_t10_a_program_that_differs_in_few_requests_has_its_totals_withheld(red: Submitter, machine: Machine) -> None:
    """A program that changes one answer must not reveal whether the answer to that request was right."""
    first = submitted(red, machine, program())
    for subtask in SUBTASKS:
        red.stage.advance(20)
        similar = submitted(red, machine, program(answers=varied(subtask, 1)))
        assert (similar["state"], similar["value"]) == ("scored", None), subtask
        report = red.report_of(similar["submission_id"])
        conforms(report, "get", "/v1/submissions/{submission_id}/report")
        assert (report.json["result"], report.json["sections"], report.json["barrier"]["overcome"]) == (None, [], None)
        reason = report.json["withheld"]
        assert reason["code"] == "too_similar", subtask
        least = {"least": 10, "test": subtask}
        assert reason["where"] == {"name": first["submission_id"], "differing": 1, **least}
        red.stage.advance(20)
        for board in ("s", subtask.lower()):
            assert similar["submission_id"] not in red.stage.request("GET", f"/v1/boards/{board}").text, subtask
        far = submitted(red, machine, program(answers=varied(subtask, 10)))
        assert far["value"] is not None, subtask
        assert "withheld" not in red.report_of(far["submission_id"]).json, subtask
        few = submitted(red, machine, program(answers={subtask: dict(list(RIGHT[subtask].items())[:9])}))
        assert few["value"] is None, subtask
        assert red.report_of(few["submission_id"]).json["withheld"]["code"] == "too_few_items", subtask
    assert submitted(red, machine, program())["value"] == first["value"], "the same answers are the same totals"
    blue = Submitter(red.stage, red.stage.team(next(TEAMS)))
    assert submitted(blue, machine, program(answers=varied("VQA", 1)))["value"] is not None


@pytest.mark.clause("TS T10", "TS F-6")
def test_t10_a_malformed_output_is_listed_as_invalid_and_the_others_count(red: Submitter, machine: Machine) -> None:
    submission = submitted(red, machine, program(answers={**RIGHT, "HTR": ["no", "dictionary"]}))
    assert (submission["state"], submission["value"]) == ("scored", 3.0)
    report = red.report_of(submission["submission_id"]).json
    assert [output["item"] for output in report["invalid"]] == ["HTR"]
    assert report["missing"] == ["HTR"]


@pytest.mark.clause("TS T14")
def test_t14_all_faults_of_a_sets_own_files_are_listed_with_their_files() -> None:
    track: Any = registry.get("fusion")
    files = {
        "input/C2C/requests.json": b"{",
        "input/VQA/questions.json": b'{"0": {"file_name": "9.jpg", "question": "?"}}',
        "true/true_VQA.json": b'{"0": {"answer": "a"}}',
        "true/true_HTR.json": b"{}",
    }
    unpacked = track.unpack(files, {})
    assert unpacked.files == {}
    assert sorted((reason.code, reason.where["file"]) for reason in unpacked.reasons) == [
        ("malformed_json", "input/C2C/requests.json"),
        ("missing_image", "input/VQA/questions.json"),
        ("missing_requests", "true/true_HTR.json"),
        ("missing_true", "input/C2C/requests.json"),
    ]


@pytest.mark.clause("TS F-4", "TS F-5")
def test_f5_what_the_platform_failed_at_is_run_again_by_the_organizers(red: Submitter, machine: Machine) -> None:
    desk = Desk(red.stage)
    machine.loses_endings = True
    name = submitted(red, machine, program())["submission_id"]
    machine.loses_endings = False
    listed = desk.get("submissions").json["submissions"]
    assert {submission["submission_id"]: submission["cause"] for submission in listed}[name] == "platform"
    again = desk.post(f"submissions/{name}/rerun", {"reason": "the machine was lost"})
    assert (again.status, again.json["state"], again.json["attempt"]) == (200, "queued", 2)
    assert red.stage.judge() == []
    machine.run_all()
    red.stage.platform.submission_tasks.send([SubmissionTask(f"{name}-2")])
    assert red.stage.judge() == []
    assert red.look(name)["state"] == "scored"
    assert desk.post(f"submissions/{name}/rerun", {"reason": "once more"}).code == "not_the_platforms"
    bad = submitted(red, machine, program("sys.exit(1)"))["submission_id"]
    assert desk.post(f"submissions/{bad}/rerun", {"reason": "its own fault"}).code == "not_the_platforms"


@pytest.mark.clause("TS T10", "TS T13")
def test_t10_a_programs_withheld_report_is_rebuilt_to_the_same_bytes_and_recomputed(
    loaded: tuple[Stage, Machine], red: Submitter, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of this file: the fault that it plants would keep the private test from being published."""
    first = submitted(red, machine, program())["submission_id"]
    similar = submitted(red, machine, program(answers=varied("VQA", 3)))["submission_id"]
    assert red.report_of(similar).json["withheld"]["code"] == "too_similar"
    platform = loaded[0].platform
    rebuilt = worker.rebuild(platform, similar)
    assert (rebuilt.differences, rebuilt.missing) == ((), ()), rebuilt
    assert loaded[0].recompute() == []
    commission = loaded[0].person(Role.COMMISSION)

    def quantities(name: str) -> list[str]:
        recomputation = loaded[0].request("GET", "/v1/conduct/submissions/recomputation", token=commission).json
        assert recomputation["made"] == recomputation["submissions"]
        return [
            difference["quantity"] for difference in recomputation["differences"] if difference["submission_id"] == name
        ]

    assert quantities(similar) == []
    reason = Reason(
        "too_similar", Text("similar", "похожа"), {"name": first, "differing": 1, "least": 10, "test": "VQA"}
    )
    monkeypatch.setattr(set_access, "reason_to_withhold", lambda *_: reason)
    unfair = submitted(red, machine, program(answers=varied("VQA", 12)))["submission_id"]
    assert loaded[0].recompute() == []
    assert quantities(unfair) == ["withheld"], "who withholds what is not of few requests is found out"
