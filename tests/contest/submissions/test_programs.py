"""Programs that the platform runs, over HTTP: fusion's contest from the archive to the boards (F-1 … F-6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import reading, stored_names
from contest.adapters import aws
from contest.people.rules import Role
from contest.results.rules import set_access
from contest.stored_names import Figure
from contest.submissions import worker
from contest.submissions.rules import SubmissionTask
from tests.contest.submissions.fusion_programs import (
    RIGHT,
    SUBTASKS,
    TEAMS,
    Desk,
    program,
    submitted,
)
from tests.contest.submissions.running import Machine
from tests.contest.submissions.submitting import Submitter, sha
from tests.documented import conforms
from tests.stage import Stage
from tests.stage_services import BUCKET
from tracks import registry
from tracks.protocol import Reason, Text


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
def test_f2_the_true_answers_are_in_nothing_that_a_job_is_given(red: Submitter, machine: Machine) -> None:
    """The program looks at every byte that it is given, and none of it is an answer."""
    look = "print(sorted(str(each) for each in pathlib.Path('input').rglob('*') if each.is_file()))"
    secret = (
        "print([each for each in pathlib.Path('input').rglob('*') if each.is_file() and b'true_' in each.read_bytes()])"
    )
    submission = submitted(red, machine, program(look, secret))
    (order,) = machine.orders.values()
    references = {name for _, names in _references(red) for name in names}
    assert references
    assert not references & {file.sha256 for file in (*order.inputs, *order.archive)}
    assert all("/inputs/" in file.name for file in order.inputs)
    logs = red.ask("GET", f"/v1/submissions/{submission['submission_id']}/logs").json["stdout"]
    assert "input/C2C/requests.json" in logs
    assert "input/HTR/images/" in logs
    assert "input/VQA/questions.json" in logs
    assert logs.endswith("[]\n")


def _references(red: Submitter) -> list[tuple[str, tuple[str, ...]]]:
    cycle = red.stage.platform.catalogue.cycle()
    assert cycle is not None
    public_set = cycle.set_named("public")
    assert public_set is not None
    items = reading.manifest(red.stage.platform, cycle.name, public_set.manifest).items
    return [(item.item_id, item.references) for item in items]


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
    begun = red.announce(content, "program", parts=[sha(piece) for piece in pieces])
    assert begun.status == 201, begun.text
    name = begun.json["submission_id"]
    assert begun.json["missing_parts"] == list(range(1, len(pieces) + 1))
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
def test_f4_of_each_stream_the_last_mebibyte_is_told(red: Submitter, machine: Machine) -> None:
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
        board = red.stage.request("GET", f"/v1/boards/{key}")
        assert board.status == 200, board.text
        rows = {row["team_id"]: row["value"] for row in board.json["rows"]}
        assert rows[submission["team_id"]] == value


def varied(subtask: str, changed: int) -> dict[str, Any]:
    """Return true answers with wrong ones to so many requests of a subtask."""
    wrong = {"zsOD": {}}.get(subtask, "wrong")
    answers = {
        name: wrong if place < changed else right for place, (name, right) in enumerate(sorted(RIGHT[subtask].items()))
    }
    return {**RIGHT, subtask: answers}


@pytest.mark.clause("TS T10", "F test public")
def test_t10_of_programs_that_differ_in_few_requests_the_first_alone_is_told(red: Submitter, machine: Machine) -> None:
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
def test_t10_an_output_that_is_none_is_named_and_the_others_count(red: Submitter, machine: Machine) -> None:
    submission = submitted(red, machine, program(answers={**RIGHT, "HTR": ["no", "dictionary"]}))
    assert (submission["state"], submission["value"]) == ("scored", 3.0)
    report = red.report_of(submission["submission_id"]).json
    assert [output["item"] for output in report["invalid"]] == ["HTR"]
    assert report["missing"] == ["HTR"]


@pytest.mark.clause("TS T14")
def test_t14_faults_of_a_set_in_its_own_files_are_all_told() -> None:
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
def test_t10_what_is_withheld_of_a_program_is_rebuilt_to_the_same_bytes_and_recomputed(
    loaded: tuple[Stage, Machine], red: Submitter, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of this file: the fault that it plants would keep the private test from being published."""
    first = submitted(red, machine, program())["submission_id"]
    similar = submitted(red, machine, program(answers=varied("VQA", 3)))["submission_id"]
    assert red.report_of(similar).json["withheld"]["code"] == "too_similar"
    platform = loaded[0].platform
    rebuilt = worker.rebuilt(platform, similar)
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
    monkeypatch.setattr(set_access, "withheld", lambda *_: reason)
    unfair = submitted(red, machine, program(answers=varied("VQA", 12)))["submission_id"]
    assert loaded[0].recompute() == []
    assert quantities(unfair) == ["withheld"], "who withholds what is not of few requests is found out"
