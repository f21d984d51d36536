"""Programs are scored anew by what they have put out, after corrected references and other parameters (platform §2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest import stored_names
from contest.adapters import aws
from local.submissions.engines import strongest
from tests.contest.contests.test_gec import places, recomputed, rescored, stale, verified
from tests.contest.submissions.submitting import (
    RIGHT,
    Desk,
    Machine,
    Submitter,
    fusion_cycle,
    program,
    submitted,
    submitted_runs,
)
from tests.contest.submissions.test_programs import varied
from tests.stage import Stage, staged
from tests.stage_services import BUCKET

Json = Any

CORRECTED = {**RIGHT["HTR"], **{name: f"{word}!" for name, word in sorted(RIGHT["HTR"].items())[:10]}}
"""Corrects the words of ten images, half of them."""


class Corrected:
    """A public test whose true answers are corrected after two teams' programs were scored; nobody runs them again."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.machine = stage, Machine(strongest())
        self.files = fusion_cycle(submissions_per_day=100, unscored_per_day=100)
        stage.load(self.files)
        self._forget()
        self.red, self.blue, self.green = (Submitter(stage, stage.team(name)) for name in ("red", "blue", "green"))
        self.old, self.withheld, self.new = (
            self.run(self.red, each) for each in (RIGHT, varied("VQA", 3), {**RIGHT, "HTR": CORRECTED})
        )
        self.blues = self.run(self.blue, RIGHT)
        self.files["public/true/true_HTR.json"] = json.dumps(CORRECTED).encode()
        self.warned = stale(stage.load(self.files))
        self._forget()
        self.late = self.run(self.green, {**RIGHT, "HTR": CORRECTED})
        self.runs = dict(self.machine.orders)

    def _forget(self) -> None:
        self.stage.restart()
        self.stage.platform.__dict__["runner"] = self.machine

    def run(self, team: Submitter, answers: Json) -> str:
        """Submit a program with these answers; return the scored submission's name."""
        found = submitted(team, self.machine, program(answers=answers))
        assert found["state"] == "scored"
        return str(found["submission_id"])

    def change(self, **parameters: Any) -> None:
        """Load the cycle with other parameters of its contest."""
        self.files["cycle.json"]["parameters"] |= parameters
        self.stage.load(self.files)
        self._forget()

    @property
    def all_of_them(self) -> set[str]:
        """Return every submission to the public test."""
        return {self.old, self.withheld, self.new, self.blues, self.late}

    def rescore(self) -> Json:
        """Score all that was submitted to the set anew and accept it; nothing has been run for it."""
        found = rescored(self.stage, set="public")
        assert self.machine.orders == self.runs
        return found

    def faults(self) -> list[Json]:
        """Return what commands, the audit and the independent recomputation find wrong in what is stored."""
        found = list[Json]()
        for name in sorted(self.all_of_them):
            self.stage.advance(1)
            found += verified(self.stage, name)["differences"]
        self.stage.advance(1)
        unlike = recomputed(self.stage)
        return [*found, *self.stage.audit()["differences"], *([unlike] if unlike else [])]

    def board(self, key: str) -> dict[str, tuple[str, float]]:
        """Return which submission of each team stands on a board, and with what."""
        return {team: (name, value) for team, name, value in places(self.stage, key)}


@pytest.fixture
def corrected(tmp_path: Path) -> Iterator[Corrected]:
    with staged(tmp_path, "fusion-1") as stage:
        yield Corrected(stage)


@pytest.mark.long
@pytest.mark.clause("platform §2 rescoring", "platform §4 audit", "TS T13", "R 6.10")
def test_a_rescoring_takes_programs_along_by_what_they_have_put_out(corrected: Corrected) -> None:
    """Corrected references may make another program the team's best one, and the private test runs that one."""
    stage, red = corrected.stage, corrected.red
    assert corrected.warned == [{"results": 2, "of": 2}]
    mixed = stage.request("GET", "/v1/boards/s").json
    assert {row["team_id"]: (row["references"], row["value"]) for row in mixed["rows"]} == {
        "red": ("earlier", 4.0),
        "blue": ("earlier", 4.0),
        "green": ("present", 4.0),
    }
    assert mixed["several_rules"]["earlier_references"] == 2
    assert corrected.faults() == []
    before = red.report_of(corrected.old).json
    similar = corrected.run(red, varied("C2C", 1))
    assert red.look(similar)["value"] is None, "the rescoring tells the earlier one by these references as well"
    corrected.runs = dict(corrected.machine.orders)
    found = corrected.rescore()
    assert {each["session_id"]: each["mode"] for each in found["sessions"]} == dict.fromkeys(
        {*corrected.all_of_them, similar}, "program"
    )
    assert corrected.board("s") == {
        "red": (corrected.new, 4.0),
        "green": (corrected.late, 4.0),
        "blue": (corrected.blues, 3.5),
    }
    assert {team: value for team, (_, value) in corrected.board("htr").items()} == {"red": 1, "green": 1, "blue": 0.5}
    one_rule = stage.request("GET", "/v1/boards/s").json
    assert ({row["references"] for row in one_rule["rows"]}, one_rule["several_rules"]) == ({"present"}, None)
    after = red.report_of(corrected.old).json
    assert (after["run"], after["result"]["subtasks"]["htr"]["score"]) == (before["run"], 0.5)
    assert [red.look(each)["value"] for each in (corrected.old, corrected.withheld, corrected.new)] == [3.5, None, 4.0]
    assert red.report_of(corrected.withheld).json["withheld"]["code"] == "too_similar"
    assert corrected.faults() == []
    runs = Desk(stage).post("private-test", {"set": "private"}).json["runs"]
    assert {each["team_id"]: each["of"] for each in runs} == {
        "red": corrected.new,
        "blue": corrected.blues,
        "green": corrected.late,
    }
    submitted_runs(stage, corrected.machine, runs)
    private_test = Desk(stage).get("private-test").body()
    assert {place["team_id"] for place in private_test["places"] if place["board"] == "s"} == {"red", "blue", "green"}


@pytest.mark.long
@pytest.mark.clause("platform §2 rescoring", "platform §4 audit", "TS F-10")
def test_programs_are_rescored_by_other_parameters_of_their_contest_too(corrected: Corrected) -> None:
    """The minimum of a subtask is lowered; a wrong that is planted in what the rescoring wrote is found."""
    stage, red = corrected.stage, corrected.red
    corrected.rescore()
    corrected.change(minima={"htr": 0.4})

    def by_rules() -> tuple[int, bool]:
        report = red.report_of(corrected.old).json
        return report["parameters"]["version"], report["result"]["subtasks"]["htr"]["reached"]

    assert by_rules() == (1, False)
    corrected.rescore()
    assert by_rules() == (2, True)
    board = stage.request("GET", "/v1/boards/s").json
    assert ({row["parameters_version"] for row in board["rows"]}, board["several_rules"]) == ({2}, None)
    assert corrected.faults() == []
    found = stage.platform.submissions.get(corrected.old)
    assert found is not None
    name = stored_names.submission_report_name(corrected.old, found.rescored)
    report = json.loads(stage.platform.blobs.get(name))
    report["result"]["s"] = 4.0
    aws.client("s3").put_object(Bucket=BUCKET, Key=name, Body=json.dumps(report).encode())
    assert verified(stage, corrected.old)["differences"] == [f"report {corrected.old}"]
