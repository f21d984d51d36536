"""Every scored submission is recomputed independently; wrongs planted in what is stored are each found, and named, and
the private test is not published (T13, platform §4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from contest import stored_names
from contest.adapters import aws
from contest.people.rules import Role
from contest.submissions import private
from local.submissions.engines import strongest
from tests.contest.submissions.submitting import (
    Desk,
    Machine,
    Submitter,
    fusion_cycle,
    privately,
    program,
    submitted,
    submitted_runs,
)
from tests.stage import Stage, staged
from tests.stage_services import BUCKET
from tracks import registry

Json = Any


class Tried:
    """A private test of two teams, with everything run and nothing published."""

    def __init__(self, stage: Stage) -> None:
        self._undo: list[Callable[[], Any]] = []
        self.stage, self.desk, self.machine = stage, Desk(stage), Machine(strongest())
        stage.platform.__dict__["runner"] = self.machine
        self.red, self.blue = (Submitter(stage, stage.team(name)) for name in ("red", "blue"))
        self.own = {
            "red": submitted(self.red, self.machine, privately(("C2C", "HTR", "zsOD", "VQA")))["submission_id"],
            "blue": submitted(self.blue, self.machine, privately(("HTR",)))["submission_id"],
        }
        self.worse = submitted(self.red, self.machine, program(answers={}))["submission_id"]
        self.third = submitted(self.red, self.machine, privately(("C2C",)))["submission_id"]
        runs = self.desk.post("private-test", {"set": "private"}).json["runs"]
        submitted_runs(stage, self.machine, runs)
        self.runs = {run["team_id"]: run["submission_id"] for run in runs}
        assert stage.recompute() == []

    def found(self) -> Json:
        self.stage.recompute()
        commission = self.stage.person(Role.COMMISSION)
        return self.stage.request("GET", "/v1/conduct/submissions/recomputation", token=commission).json

    def again(self) -> None:
        commission = self.stage.person(Role.COMMISSION)
        told = self.stage.request("POST", "/v1/conduct/submissions/recomputation", None, commission)
        assert told.status == 200

    def publish(self) -> Any:
        return self.desk.post("private-test/publication", {"reason": "all is checked"})

    def read(self, name: str) -> bytes:
        content: bytes = aws.client("s3").get_object(Bucket=BUCKET, Key=name)["Body"].read()
        return content

    def write(self, name: str, content: bytes) -> None:
        self._put_back_later(name)
        aws.client("s3").put_object(Bucket=BUCKET, Key=name, Body=content)

    def swap(self, one: str, other: str) -> None:
        first, second = self.read(one), self.read(other)
        self.write(one, second)
        self.write(other, first)

    def lose(self, name: str) -> None:
        self._put_back_later(name)
        aws.client("s3").delete_object(Bucket=BUCKET, Key=name)

    def _put_back_later(self, name: str) -> None:
        before = self.read(name)
        self._undo.append(lambda: aws.client("s3").put_object(Bucket=BUCKET, Key=name, Body=before))

    def undo(self) -> None:
        while self._undo:
            self._undo.pop()()

    def change_report(self, submission_id: str, change: Callable[[Json], None]) -> None:
        name = stored_names.submission_report_name(submission_id)
        report = json.loads(self.read(name))
        change(report)
        self.write(name, json.dumps(report).encode())

    def change_item(self, table: str, pk: str, sk: str, attribute: str, change: Callable[[Json], None]) -> None:
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        item = aws.client("dynamodb").get_item(TableName=table, Key=key)["Item"]
        value = json.loads(item[attribute]["S"])
        change(value)
        dynamo = aws.client("dynamodb")
        dynamo.put_item(TableName=table, Item={**item, attribute: {"S": json.dumps(value)}})
        self._undo.append(lambda: dynamo.put_item(TableName=table, Item=item))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    with staged(tmp_path_factory.mktemp("fusion"), "fusion-1") as stage:
        stage.load(fusion_cycle(submissions_per_day=100, unscored_per_day=100))
        yield Tried(stage)


@pytest.fixture
def tried(played: Tried) -> Iterator[Tried]:
    yield played
    played.undo()


def reports_swapped(tried: Tried) -> None:
    names = [stored_names.submission_report_name(tried.runs[each]) for each in ("red", "blue")]
    tried.swap(*names)


def runs_swapped(tried: Tried) -> None:
    folders = [stored_names.submission_run_folder(f"{tried.runs[each]}-1") for each in ("red", "blue")]
    tried.swap(*(f"{folder}order.json" for folder in folders))


def table_altered(report: Json) -> None:
    report["sections"][0]["rows"][0][1] = 77.0


def missed_left_out(report: Json) -> None:
    report |= {"counts": {"items": 1, "answered": 1, "missing": 0}, "missing": []}


def of_red(tried: Tried, change: Callable[[Json], None]) -> None:
    tried.change_report(tried.runs["red"], change)


BOARD = "BOARD#fusion-1#qualification#all"
WRONGS: dict[str, dict[str, Callable[[Tried], None]]] = {
    "numbers": {
        "result.subtasks.c2c.score": lambda tried: of_red(
            tried, lambda report: report["result"]["subtasks"]["c2c"].update(score=99.0)
        ),
        "result.s": lambda tried: tried.change_report(
            tried.runs["blue"], lambda report: report["result"].update(s=3.0)
        ),
        "counts.items": lambda tried: tried.change_report(tried.third, missed_left_out),
        "value": lambda tried: tried.change_item(
            "exchange", f"SUBMISSION#{tried.own['blue']}", "STATE", "body", lambda body: body.update(value=4.0)
        ),
        "report": lambda tried: tried.lose(stored_names.submission_report_name(tried.own["red"])),
    },
    "tables": {
        "table.": lambda tried: of_red(tried, table_altered),
        "entry[all].s": lambda tried: tried.change_item(
            "scores", BOARD, "blue", "entry", lambda entry: entry["result"].update(s=4.0)
        ),
    },
    "reports": {"report.submission_id": reports_swapped},
    "runs": {"run.name": runs_swapped},
    "an output": {
        "output[prediction_HTR.json]": lambda tried: tried.write(
            stored_names.submission_run_folder(tried.runs["red"] + "-1") + "output/prediction_HTR.json", b"{}"
        )
    },
    "the choice": {
        "chosen": lambda tried: tried.change_item(
            "exchange", f"SUBMISSION#{tried.runs['red']}", "STATE", "body", lambda body: body.update(of=tried.third)
        )
    },
}
"""Alterations by the quantity that differs; in a row the submissions differ, so that none hides another."""


@pytest.mark.clause("platform §4 shadow", "TS T13", "TS F-7")
@pytest.mark.parametrize("name", WRONGS)
def test_a_planted_wrong_stops_publication(tried: Tried, name: str) -> None:
    for wrong in WRONGS[name].values():
        wrong(tried)
    tried.again()
    found = tried.found()
    assert found["state"] == "different"
    names = [each["quantity"] for each in found["differences"]]
    assert [each for each in WRONGS[name] if not any(quantity.startswith(each) for quantity in names)] == [], names
    for difference in found["differences"]:
        assert difference["team_id"] in {"red", "blue"}
        assert difference["team_id"] in difference["message"]
    refused = tried.publish()
    assert refused.refusal == (409, "results_differ")
    assert "contest submission shadow" in refused.json["error"]["message"]
    assert tried.red.ask("GET", "/v1/private-test").code == "results_not_published"


@pytest.mark.clause("platform §4 shadow", "TS T13")
def test_what_was_altered_after_its_recomputation_is_not_published_by_it(tried: Tried) -> None:
    tried.again()
    assert tried.found()["state"] == "clean"
    tried.change_report(tried.runs["red"], lambda report: report["result"].update(s=2.25))
    refused = tried.publish()
    assert refused.code == "results_not_verified", "what was found is about another report"
    tried.stage.recompute()
    assert tried.publish().code == "results_differ"


@pytest.mark.clause("platform §4 shadow", "TS T13")
@pytest.mark.parametrize("lost", ["", "whole/"], ids=["all", "the whole alone"])
def test_whom_nobody_was_sent_for_is_sent_for_by_whoever_publishes(tried: Tried, lost: str) -> None:
    prefix = f"{stored_names.SUBMISSION_SHADOWS}{lost}"
    for each in aws.client("s3").list_objects_v2(Bucket=BUCKET, Prefix=prefix)["Contents"]:
        tried.lose(each["Key"])
    assert tried.publish().code == "results_not_verified"
    assert tried.stage.recompute() == []
    assert tried.found()["state"] == "clean"


@pytest.mark.clause("platform §4 shadow", "TS F-7")
def test_a_place_by_another_rule_is_found(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    really = private._places
    tried.again()
    tried.stage.recompute()

    def all_first(*args: Any) -> list[private.Place]:
        return [replace(each, place=1) for each in really(*args)]

    monkeypatch.setattr(private, "_places", all_first)
    refused = tried.publish()
    assert refused.code == "results_differ"
    assert "place" in refused.json["error"]["message"]


@pytest.mark.clause("platform §4 shadow", "TS T13", "TS F-7")
def test_what_was_recomputed_to_the_same_numbers_is_published(tried: Tried) -> None:
    tried.again()
    assert tried.found() == {
        "state": "clean", "submissions": 5, "made": 5, "checked": {"submissions": 5, "items": 20}, "total": 0,
        "differences": [],
    }  # fmt: skip
    assert tried.publish().status == 200


@pytest.mark.clause("TS F-7")
def test_f7_the_private_test_begun_again_runs_no_second_submission_of_who_has_improved(tried: Tried) -> None:
    better = submitted(tried.blue, tried.machine, privately(("C2C", "HTR")))
    assert better["state"] == "scored"
    runs = tried.desk.post("private-test", {"set": "private"}).json["runs"]
    assert sorted(each["of"] for each in runs) == sorted(tried.own.values())


@pytest.mark.clause("TS F-9")
def test_f9_the_prize_of_a_subtask_goes_to_whoever_is_first_on_its_board_whatever_is_better_in_the_sum() -> None:
    def run(team: str, name: str, s: float, htr: float) -> tuple[str, Json]:
        subtasks = {key: {"score": 0.0, "rounded": 0.0, "reached": False} for key in ("c2c", "zsod", "vqa")}
        subtasks["htr"] = {"score": htr, "rounded": htr, "reached": htr >= 0.6}
        return f"{team}-{name}", {"s": s, "smin": 1.3, "reached": False, "subtasks": subtasks}

    aggregates = dict([run("red", "a", 2.0, 0.1), run("red", "b", 0.9, 0.9), run("blue", "a", 1.0, 0.8)])
    owners = {each: each.partition("-")[0] for each in aggregates}
    track: Any = registry.get("fusion")
    runs: Any = [SimpleNamespace(submission_id=name, team_id=owners[name], of="source") for name in aggregates]
    places = private._places(track, runs, aggregates, frozenset())
    platform: Any = SimpleNamespace(submissions=SimpleNamespace(get=lambda _: SimpleNamespace(declaration=None)))
    money = private._awards(platform, track, runs, places, aggregates)  # type: ignore[arg-type]
    assert [(each.board, each.team, each.roubles) for each in money] == [("htr", "red", 300_000)]
