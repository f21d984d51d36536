"""``hurdle rehearse`` as a new user runs it: alone, with the user's own program, and in real time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from local.cli import main
from pku.answers import Order
from pku.exchange import Exchange
from pku.journal import Journals
from pku.runner import run
from pku.sessions import start
from rehearsal import command
from rehearsal.ending import Settings
from rehearsal.harm.bugs import BUGS
from rehearsal.history import History, read
from rehearsal.play.driver import Timing
from rehearsal.proof.checker import check
from rehearsal.show import TEXTS
from rehearsal.stages import staged

pytestmark = pytest.mark.integration

SMALL = ("--teams", "3", "--files", "3")
MARKER = """
seen = []

def mark(essay):
    seen.append(essay["meta"]["id"])
    if len(seen) == 2:
        raise ValueError("this one is too hard")
    return {**essay, "selections": []}
"""


def hurdle(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("hurdle")), "rehearse", *words]
    wide = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd, env=wide)


def test_the_bar_tells_how_much_of_the_run_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    timing = Timing("r", "final", 60_000, 60_000, 10_000, 50_000, 60_000, 120_000, 3)
    for elapsed, sentence in (
        (0, "The run: 1970-01-01T00:01:00.000Z"),
        (200_000, "The results are made: 1970-01-01T00:04"),
    ):
        with command._bar(timing) as tell:
            tell(60_000 + elapsed)
        assert capsys.readouterr().out.startswith(sentence)


def test_names_of_bugs_are_printed_where_they_are_asked_for_alone() -> None:
    help_text, listed = (CliRunner().invoke(main, ["rehearse", *words]) for words in (["--help"], ["--bug", "list"]))
    assert help_text.exit_code == listed.exit_code == 0
    assert "accept-late" not in help_text.stdout
    assert "accept-late: Ignore the deadline." in listed.stdout.splitlines()
    assert len(listed.stdout.splitlines()) == len(BUGS)


def test_each_act_after_the_run_is_named_and_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    passed = [0.0]
    monkeypatch.setattr(command, "monotonic_s", lambda: passed[0])
    with command._acts() as begin:
        begin("publishing")
        passed[0] = 7.0
        begin("checking")
        passed[0] = 9.0
    assert capsys.readouterr().err.splitlines() == [
        "The results are published …",
        "The results are published: 7 s",
        "The checks …",
        "The checks: 2 s",
    ]


def test_each_act_of_the_stage_has_its_sentence() -> None:
    source = "".join(path.read_text("utf-8") for path in Path(command.__file__).parent.rglob("*.py"))
    acts = {f"act.{name}" for name in re.findall(r"(?:on_act|begin)\(\"(\w+)\"\)", source)}
    assert acts | {"act.settling"} == {name for name in TEXTS if name.startswith("act.")}


@pytest.mark.long
@pytest.mark.slow
def test_one_command_plays_a_final_with_faults_and_proves_it(tmp_path: Path) -> None:
    report, history = tmp_path / "report.json", tmp_path / "history.jsonl"
    files = ("--report", str(report), "--history", str(history))
    done = hurdle(*SMALL, "--faults", "some", "--seed", "5", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "GREEN" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    told = json.loads(report.read_text("utf-8"))
    assert told["green"]
    assert told["rehearsal"]["seed"] == 5
    assert sum(told["files"].values()) == 9
    assert all(result.passed for result in check(read(history))), "the history can be checked again"


@pytest.mark.long
def test_without_faults_nothing_is_annulled_and_a_bug_is_found(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = hurdle(*SMALL, "--faults", "none", "--bug", "hand-out-another-file", "--report", str(report))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "RED" in done.stdout
    failed = {row["name"] for row in json.loads(report.read_text("utf-8"))["checks"] if not row["passed"]}
    assert "files_as_committed" in failed


@pytest.mark.long
def test_a_program_of_ones_own_hears_what_would_have_been_annulled_and_why(tmp_path: Path) -> None:
    (tmp_path / "marker.py").write_text(MARKER, "utf-8")
    words = ("--teams", "2", "--files", "4", "--faults", "disconnects", "--entry-point", "marker:mark")
    done = hurdle(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    mine = done.stdout.rpartition("Your program")[2]
    assert "3 of 4 files answered in time" in mine
    assert "this one is too hard" in mine
    assert "the solution would have been annulled" in mine


@pytest.mark.long
def test_any_program_may_join_in_real_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three files, two seconds apart; the joined program is the kit's runner, which knows nothing of the rehearsal.

    It makes two requests for each file, and a few before the first and after the last: of a final's thirty, 2.2 each.
    """
    asked: list[tuple[str, str, str]] = []
    send = httpx.Client.send

    def sent(client: httpx.Client, request: httpx.Request, **more: Any) -> httpx.Response:
        asked.append((request.headers.get("authorization", ""), request.method, request.url.path))
        return send(client, request, **more)

    monkeypatch.setattr(httpx.Client, "send", sent)
    settings = Settings(
        teams=2, files=3, interval=2, request=5, answer=6, total=8, join=10, driven=False, lead=8, workers=2
    )
    outcomes, own = [], list[str]()
    with closing(History()) as history, staged(settings, history) as stage:
        teams, (mine,) = stage.admit("guest")
        timing = stage.plan()

        def join() -> None:
            with Exchange(stage.cloud.url, mine.token) as exchange:
                order = Order(mode="final", run=timing.run_id)
                _, journal = start(exchange, Journals(tmp_path), order)
                outcomes.append(run(exchange, journal, lambda essay: {**essay, "selections": []}))
            made = [(method, path) for token, method, path in asked if mine.token in token]
            own.extend(f"{method} {path.rpartition('/')[2]}" for method, path in made)

        guest = threading.Thread(target=join)
        guest.start()
        stage.play(timing, teams, lambda _: None)
        guest.join(timeout=60)
        mine.session_id = stage.wire.get("/v1/sessions?mode=final", mine.token).json()["sessions"][0]["session_id"]
        stage.conclude(timing, [*teams, mine])
    assert [outcome.accepted for outcome in outcomes] == [3]
    assert own.count("PUT answer") >= 3
    # Two for each file and six around them; a loaded machine may make a program ask again.
    assert len(own) <= 15, own
    assert [result for result in check(history.story()) if not result.passed] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--faults", "typo"), "choose from none, some, all"),
        (("--solver", "x {input} {output}", "--join"), "choose one of"),
        (("--solver", "nothing"), "{input}"),
        (("--entry-point", "no.such:thing"), "no.such:thing"),
        (("--bug", "typo"), "there is no bug typo"),
    ],
)
def test_what_cannot_be_rehearsed_is_said_at_once(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(main, ["rehearse", *words], env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert said in done.stderr
