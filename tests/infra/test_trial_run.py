"""The trial of a deployment, from its creation to its end, on a machine that only records its commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from infra import trial_run
from infra.config import CYCLES
from infra.deploy import Answer
from infra.trial_run import NOT_HERE, STEPS, TEAMS, Trial, go_through


class Recorder:
    """A machine on which every command succeeds, unless ``refuse`` names its first words."""

    def __init__(self, refuse: Callable[[str], bool] = lambda _: False) -> None:
        self.refuse = refuse
        self.typed: list[str] = []
        self.told: list[str] = []
        self.moment = datetime(2027, 4, 1, 12, tzinfo=UTC)
        self.record = json.dumps({"record": {"sessions": [{"team_id": team} for team in TEAMS]}}).encode()

    def run(self, words: Sequence[str], environment: Mapping[str, str], stdin: str = "") -> Answer:
        line = " ".join(words)
        self.typed.append(line)
        if self.refuse(line):
            return Answer(1, "", "no")
        return Answer(0, f"secret-of-{words[-1]}" if "issue" in words else "run-1")

    def get(self, url: str) -> bytes:
        assert url.endswith("/v1/runs/run-1/record")
        return self.record

    def address(self, cycle: str) -> str:
        return f"https://{cycle}.example"

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)

    def say(self, line: str) -> None:
        self.told.append(line)

    def make_targets(self) -> list[str]:
        return [line.split()[2] for line in self.typed if line.startswith("make")]


@pytest.fixture
def cycles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(CYCLES / "demo.yaml", tmp_path)
    monkeypatch.setattr(trial_run, "CYCLES", tmp_path)
    return tmp_path


def trial(machine: Recorder, home: Path, url: str = "") -> Trial:
    return Trial("demo", Path("a-cycle"), home, machine, url)


def test_a_trial_deploys_plays_deploys_restores_and_ends_with_nothing_left(cycles: Path) -> None:
    machine = Recorder()
    assert go_through(trial(machine, cycles))
    stages = ["preflight", "deploy", "deploy", "restore", "deploy", "destroy", "deploy", "destroy"]
    assert machine.make_targets() == stages
    assert "make --no-print-directory restore AT=2027-04-01T12:00:00Z CYCLE=demo" in machine.typed
    played = [line for line in machine.typed if line.startswith("pku pilot")]
    assert len(played) == len(TEAMS)
    assert len([line for line in machine.typed if line.startswith("pku verify-run")]) == 3 * len(TEAMS)
    assert len(machine.told) == len(STEPS) + 1


def test_without_an_account_each_step_that_needs_one_says_so(cycles: Path) -> None:
    machine = Recorder()
    assert go_through(trial(machine, cycles, "http://127.0.0.1:1"))
    assert machine.make_targets() == []
    assert sum(NOT_HERE in line for line in machine.told) == sum(not step.is_local for step in STEPS) == 9
    assert all(line.startswith(("contest --lang en --local", "pku")) for line in machine.typed)


def test_a_record_that_is_another_after_the_restore_ends_the_trial(cycles: Path) -> None:
    machine = Recorder()

    def altered(line: str) -> bool:
        if "restore" in line:
            machine.record += b" "
        return False

    machine.refuse = altered
    assert not go_through(trial(machine, cycles))
    assert "9. compare the record after the restore: FAILED" in machine.told[-2]
    assert "make destroy CYCLE=demo" in machine.told[-1]
    assert machine.make_targets()[-1] == "deploy"


def test_a_moment_that_cannot_be_restored_yet_is_waited_for_but_not_for_ever(cycles: Path) -> None:
    machine = Recorder()
    open_from = machine.moment + timedelta(seconds=300)
    machine.refuse = lambda line: "restore" in line and machine.moment < open_from
    assert go_through(trial(machine, cycles))
    assert machine.make_targets().count("restore") == 11
    never = Recorder(lambda line: "restore" in line)
    assert not go_through(trial(never, cycles))
    assert never.moment - Recorder().moment == timedelta(seconds=trial_run.RECOVERABLE_S)


def test_what_a_restore_wrote_is_forgotten_when_all_is_gone(cycles: Path) -> None:
    machine, path = Recorder(), cycles / "demo.yaml"
    before = path.read_text("utf-8")

    def restored(line: str) -> bool:
        if "restore" in line:
            path.write_text(before + "restored:\n  Objects: hurdle-demo-at-1\n", "utf-8")
        return False

    machine.refuse = restored
    assert go_through(trial(machine, cycles))
    assert path.read_text("utf-8") == before
    assert any("hurdle-demo-at-1" in line for line in machine.told), "what is in no stack is told of"


def test_a_cycle_that_keeps_its_data_is_not_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from infra.config import CycleConfig

    real = CycleConfig(cycle="spring-2027", alarm_email="a@example.org")
    monkeypatch.setattr(trial_run, "for_cycle", lambda _: real)
    assert trial_run.main(["spring-2027"]) == 2
    assert "retain_data: false" in capsys.readouterr().err
