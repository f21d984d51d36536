"""The organizer's command on emulated services; every command of it is documented."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result

from contest.commands.main import DIFFERENCE, main
from contest.people.rules import Role
from contest.submissions import commands as submissions_commands
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.commands.test_cycle_folders import fill
from tests.stage import Program, Stage
from tests.stage_kept import Setting
from tests.toys import ToyTrack, toy_cycle
from tracks.protocol import Need, Policies, Quota

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[3]


STAGE = Setting()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path / "cycle", toy_cycle())


@pytest.fixture
def token(stage: Stage, folder: Path) -> str:
    assert run("cycle", "load", "--direct", str(folder)).exit_code == 0
    assert run("team", "add", "red", "Red Team").exit_code == 0
    return run("token", "issue", "red").stdout.strip()


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name)


def test_every_command_is_documented() -> None:
    documented, listed = (ROOT / "docs" / "organizer.md").read_text("utf-8"), sorted(commands(main))
    assert len(listed) > 100
    assert [words for words in listed if f"`contest {' '.join(words)}" not in documented] == []
    assert [words for words in listed if run(*words, "--help").exit_code != 0] == []


@pytest.mark.clause("TS T1")
def test_a_contest_not_playable_is_refused(stage: Stage, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contest takes submissions, but does not define how they are read."""
    demanding = Policies(quota=Quota.SCORED, further=frozenset({Need.SUBMISSIONS}))
    monkeypatch.setattr(ToyTrack, "policies", lambda *_: demanding)
    refused = run("cycle", "load", "--direct", str(folder))
    assert refused.exit_code == 1
    for policy in ("quota_scored", "submissions"):
        assert policy in refused.stderr
    assert "nothing was loaded" in refused.stderr
    assert not any(json.loads(stage.everything_stored()))


@pytest.mark.clause("R 2.7", "R 2.8")
def test_leaks_are_shown_as_faults_of_essays_and_as_warnings_elsewhere(stage: Stage, tmp_path: Path) -> None:
    def shown(files: dict[str, Any], name: str) -> Result:
        return run("cycle", "load", "--direct", str(fill(tmp_path / name, files)))

    toys = toy_cycle(final=1)
    toys["final/final-000.json"] |= {"question": toys["train/train-001.json"]["question"].upper()}
    warned = shown(toys, "toys")
    assert (warned.exit_code, "final-000 (final/final-000.json)" in warned.stderr) == (0, True)
    assert "train-001 (train/train-001.json)" in warned.stderr

    def essay(item_id: str, text: str) -> dict[str, Any]:
        return {"meta": {"id": item_id, "subject": "rus"}, "criteria": {}, "selections": [], "text": text}

    essays: dict[str, Any] = {
        "cycle.json": {
            "cycle": "toy-1",
            "name": {"ru": "Сочинения", "en": "Essays"},
            "languages": {"rus": ["rus"]},
            "sets": {"train": {"kind": "training"}, "final": {"kind": "final"}},
        },
        "train/open.json": essay("open", "Он писал о войне.\nЯ согласен."),
        "train/other.json": essay("other", "Он писал о мире."),
        "final/secret.json": essay("secret", "Он писал о войне. Я согласен. "),
        "final/second.json": essay("second", "он писал о мире."),
    }
    refused = shown(essays, "essays")
    assert (refused.exit_code, "2 faults; nothing was loaded" in refused.stderr) == (1, True)
    for file in ("train/open.json", "train/other.json", "final/secret.json", "final/second.json"):
        assert file in refused.stderr
    assert stage.platform.catalogue.cycle() is not None  # the first one, as it was
    assert '"final-000"' not in run("cycle", "show").stdout
    assert "toy" in run("cycle", "show").stdout


def test_refusals_are_sentences_and_a_cycle_is_loaded(stage: Stage, folder: Path) -> None:
    for words in (("token", "issue", "nobody"), ("team", "add", "Bad Id", "x"), ("board",), ("verify", "z" * 20)):
        refused = run(*words)
        assert refused.exit_code == 1, words
        assert refused.stderr.startswith("Error: ")
    loaded = run("cycle", "load", "--direct", str(folder))
    assert (loaded.exit_code, loaded.stdout) == (0, "cycle toy-1: test 5, train 4 files, parameters version 1\n")
    assert "300" in loaded.stderr


@pytest.fixture(params=["interface", "deployment"])
def asked(stage: Stage, token: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return how the command works once the cycle is loaded: by the interface or by the deployment's credentials."""
    if request.param == "interface":
        sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"), a_request_s=0)
    return str(request.param)


def scored(stage: Stage, token: str, letters: str = "abcd") -> Program:
    """Return a program with a scored session on the test set."""
    program = Program(stage, token)
    program.open(set="test")
    program.play(letters)
    stage.score_all()
    stage.tick()
    return program


def test_the_board_is_printed(stage: Stage, token: str, asked: str) -> None:
    scored(stage, token, "abxx")
    printed = run("board").stdout
    assert "Red Team" in printed
    assert "50.00" in printed
    assert "On other days" not in printed
    files = toy_cycle()
    files["cycle.json"]["stages"] = {"qualification": {"first": "2026-09-01", "last": "2026-09-30"}}
    stage.load(files)
    stage.advance(61)
    assert "On other days test sets are closed" in " ".join(run("board").stdout.split())
    assert run("board", "--language", "deu").exit_code == 1


def test_the_cycle_is_shown_and_waiting_answers_are_listed_and_redriven(stage: Stage, token: str, asked: str) -> None:
    shown = json.loads(run("cycle", "show").stdout)
    assert shown["sets"]["train"] == {
        "kind": "training",
        "files": {"eng": 2, "rus": 2},
        "runs": ["technical"],
    }
    program = Program(stage, token)
    program.open(set="test")
    program.play()
    assert program.session_id[:10] in run("scoring", "status").stdout
    assert run("scoring", "redrive").stdout == "5 answers enqueued\n"
    assert stage.work() == []
    assert program.session_id[:10] not in run("scoring", "status").stdout


def test_boards_are_frozen_shown_and_withdrawn(stage: Stage, token: str, asked: str) -> None:
    scored(stage, token, "abxx")
    frozen = run("results", "freeze", "qualification", "--reason", "the last day")
    assert (frozen.exit_code, frozen.stdout) == (0, "the board qualification is frozen\n")
    shown = run("results", "show", "qualification")
    assert "qualification: frozen" in shown.stdout
    assert "Red Team" in shown.stdout
    assert "1 red" in run("results", "history", "qualification").stdout
    for command in ("show", "history"):
        refused = run("results", command, "qualification", "--nomination", "russian")
        assert (refused.exit_code, "nominations are of finals" in refused.output) == (2, True), refused.output
    assert run("results", "withdraw", "qualification", "--reason", "a protest").exit_code == 0
    stage.advance(10)
    refused = run("results", "history", "qualification")
    assert (refused.exit_code, "hidden this board" in refused.stderr) == (1, True)
    assert json.loads(run("results", "show", "qualification", "--json").stdout)["rows"][0]["team_id"] == "red"
    assert run("results", "publish", "qualification", "--reason", "resolved").exit_code == 0
    assert run("results", "publish", "qualification", "--reason", "resolved").exit_code == 1
    assert run("results", "publish", "qualification").exit_code == 2


def test_a_session_is_annulled_restored_and_verified(stage: Stage, token: str, asked: str) -> None:
    program = scored(stage, token, "abxx")
    name = program.session_id
    annulled = run("results", "annul", "session", name, "--reason", "a leak")
    assert (annulled.exit_code, annulled.stdout) == (0, f"session {name} is annulled\n")
    assert "red" not in run("results", "show", "qualification").stdout.lower()
    assert "a leak" in run("results", "annulled").stdout
    assert run("results", "annul", "session", name, "--reason", "a leak").exit_code == 1
    assert run("results", "annul", "result", "red", "--reason", "a leak").exit_code == 1, "a result is on a board"
    assert run("results", "restore", "session", name, "--reason", "no leak").stdout == f"session {name} is restored\n"
    (listed,) = json.loads(run("results", "annulled", "--json").stdout)["annulments"]
    assert (listed["annulled"], listed["reason"]) == (False, "no leak")
    verified = run("verify", program.session_id)
    assert (verified.exit_code, verified.stdout) == (0, "5 scores, 1 reports compared\n")
    stage.platform.blobs.put(f"reports/{program.session_id}/1.json", b"{}")
    assert run("verify", program.session_id).exit_code == DIFFERENCE


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([2.125, 2.135, 0.01], ["2.13", "2.14", "0.01"]),
        ([0.5, 0.50004, 0.00004], ["0.50000", "0.50004", "0.00004"]),
        ([None, 65.625, None], ["", "65.63", ""]),
        ([None, None, None], ["", "", ""]),
    ],
)
def test_figures_have_the_decimals_that_differ(values: list[float | None], shown: list[str]) -> None:
    assert submissions_commands._figures(values) == shown
