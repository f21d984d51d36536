"""``contest run …``: plan, preview, decide, watch, publish, record; asked of the interface, and of the deployment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from contest import reading
from contest.commands.main import main
from contest.people import commands, teams
from contest.people.commands import LOOK_AGAIN_S
from contest.people.rules import Decision, Role, TeamStatus
from contest.results import commands as results_commands
from contest.values import MINUTE, iso
from tests.contest.commands.stage_desk import sit_down
from tests.run_stage import RunOnStage, run_cycle, three_missed
from tests.stage import Stage, staged
from tests.stage_kept import played_once

pytestmark = pytest.mark.integration

WHY = ("--reason", "a cable is cut")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["run", *words])


def told(*words: str) -> Any:
    printed = run(*words, "--json")
    assert printed.exit_code == 0, printed.output
    return json.loads(printed.stdout)


@pytest.fixture(params=["interface", "deployment"])
def stage(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """Prepare a stage for commands by the interface and on the deployment: their words and exit codes are equal."""
    with staged(tmp_path) as ready:
        if request.param == "interface":
            sit_down(monkeypatch, ready, ready.person(Role.ORGANIZER, "olga"), a_request_s=0)
        yield ready


@pytest.fixture
def played(stage: Stage, request: pytest.FixtureRequest) -> RunOnStage:
    return played_once(stage, three_missed, request.node.callspec.params["stage"])


def test_a_run_is_planned_by_the_cycles_rules_and_its_options(stage: Stage, tmp_path: Path) -> None:
    stage.load(run_cycle(4))
    for team in ("red", "blue", "grey"):
        stage.team(team)
    teams_file = tmp_path / "teams.txt"
    teams_file.write_text("# those who passed\nblue\n\ngrey\n")
    start = iso(stage.now + 10 * MINUTE)
    planned = run("plan", "--start", start, "--files", "3", "--interval", "30", "--trial", "--admit", "red", "--json")
    assert planned.exit_code == 0, planned.output
    said = json.loads(planned.stdout)
    assert (said["files"], said["interval_ms"], said["trial"], said["admitted"]) == (3, 30_000, True, ["red"])
    assert said["limits"] == {"request": 10_000, "answer": 50_000, "total": 60_000, "join": 120_000}
    second = run("plan", "--start", start, "--answer", "20", "--admit-file", str(teams_file), "--json")
    assert json.loads(second.stdout)["admitted"] == ["blue", "grey"]
    assert "short_notice" in second.stderr
    third = run("plan", "--mode", "technical", "--set", "train", "--start", start)
    assert third.stdout.strip() in {each["run_id"] for each in told("list")}
    assert [each["mode"] for each in told("list", "--mode", "technical")] == ["technical"]
    assert len(told("list", "--limit", "2")) == 2


@pytest.mark.parametrize("start", ["tomorrow", "2026-12-01T12:00:00", "2020-01-01T00:00:00Z"])
def test_a_start_needs_a_zone_and_a_future(stage: Stage, start: str) -> None:
    stage.load(run_cycle(4))
    refused = run("plan", "--start", start)
    assert refused.exit_code in {1, 2}
    assert "Error" in refused.stderr


def test_a_run_is_shown_and_restarted_under_another_name(played: RunOnStage) -> None:
    assert run("void", played.run_id, "4", *WHY).stdout.startswith("amendment 1: void, in effect at ")
    said = told("show", played.run_id)
    assert said["commitment"]["statement"]["run_id"] == played.run_id
    assert (said["mass_failure"]["numbers"], said["mass_failure"]["standing"]) == ([1, 2, 3], "open")
    (decided,) = said["amendments"]
    assert (decided["kind"], decided["details"], decided["reason"]) == ("void", {"numbers": [4]}, "a cable is cut")
    assert run("show", "z" * 20).exit_code == 1
    start = iso(played.stage.now + 60 * MINUTE)
    done = told("restart", played.run_id, "--start", start, "--files", "2", *WHY)
    new = reading.run_now(played.stage.platform, done["run_id"])
    assert (new.restarts, new.files, new.set_name) == (played.run_id, 2, "reserve")


@pytest.mark.parametrize("stage", ["interface"], indirect=True)
def test_previews_and_fields_of_a_run_are_readable(played: RunOnStage) -> None:
    shown = run("pause", played.run_id, "--preview", *WHY)
    assert (shown.exit_code, "nothing is written" in shown.stdout) == (0, True)
    stopped = run("stop", played.run_id, "--preview", *WHY).stdout
    assert played.programs["red"].session_id in stopped.replace("\n", "")
    start = iso(played.stage.now + 60 * MINUTE)
    restarted = run("restart", played.run_id, "--start", start, "--preview", *WHY).stdout
    assert "then a new run on the set reserve: 4 files" in restarted
    assert played.run.amendments == ()
    assert run("pause", played.run_id, *WHY).exit_code == 0
    fields = run("show", played.run_id).stderr
    assert re.findall(r"\b[a-z]+_ms\b|reason_ru|[{}]|[а-яё]", fields) == []
    assert "limits, ms" in fields


def test_decisions_follow_each_other_and_refused_ones_say_why(played: RunOnStage) -> None:
    name = played.run_id
    for words, why in (
        (("resume", name, *WHY), "not paused"),
        (("void", name, "9", *WHY), "files 1 to 4"),
        (("undo", name, "1", *WHY), "no amendment 1"),
        (("rule", name, "red", "4", "platform", *WHY), "not void"),
        (("publish", name), "record is not made"),
        (("hide", name), "not published"),
        (("record", name, "--out", "."), "not over"),
    ):
        refused = run(*words)
        assert (refused.exit_code, why in refused.stderr) == (1, True), refused.stderr
    for words in (("void", name, "1-", *WHY), ("replace", name, *WHY), ("pause", name)):
        assert run(*words).exit_code == 2
    for words in (
        ("pause", name, *WHY),
        ("resume", name, *WHY),
        ("void", name, "1-2,4", *WHY),
        ("undo", name, "3", *WHY),
        ("rule", name, "red", "1", "platform", *WHY),
    ):
        played.stage.advance(1)
        assert run(*words).exit_code == 0, run(*words).output
    kinds = [each.kind.value for each in played.run.amendments]
    assert kinds == ["pause", "resume", "void", "undo", "rule"]
    changes = played.stage.platform.audit_log.on(iso(played.stage.now)[:10])
    assert [each.what for each in changes][-5:] == [f"run amended: {kind}" for kind in kinds]


def test_a_proposal_is_previewed_and_dismissed(played: RunOnStage) -> None:
    result = run("dismiss", played.run_id, *WHY, "--preview")
    assert result.stdout == "everybody missed the files 1, 2, 3; they would stay as they are\n"
    assert told("show", played.run_id)["mass_failure"]["standing"] == "open"
    assert run("dismiss", played.run_id, "--reason", "their own fault").exit_code == 0
    assert told("show", played.run_id)["mass_failure"]["standing"] == "dismissed"


def test_a_run_is_watched(played: RunOnStage) -> None:
    printed = run("watch", played.run_id, "--once").stdout
    assert "running" in printed
    assert "mass failure (open): everybody missed the files 1, 2, 3" in " ".join(printed.split())
    said = told("watch", played.run_id)
    assert said["opened"] == 3
    red = said["teams"][1]
    assert (red["team_id"], red["voided"], red["solution_voided"]) == ("red", {"team_late": 3}, True)
    # red has asked for nothing since it joined, three minutes of openings ago; blue asked for every file
    assert [each["connected"] for each in said["teams"]] == [True, False]


def test_a_plan_is_previewed_and_not_made(stage: Stage) -> None:
    stage.load(run_cycle(4))
    start = iso(stage.now + 10 * MINUTE)
    shown = run("plan", "--start", start, "--files", "3", "--preview")
    assert (shown.exit_code, "3 of 4 files would be drawn; nothing is written" in shown.stdout) == (0, True)
    assert "short_notice" in shown.stderr
    assert told("plan", "--start", start, "--preview")["files"] == 4
    assert told("list") == []


@pytest.mark.parametrize("stage", ["interface"], indirect=True)
def test_in_a_pipe_the_watch_is_heard(played: RunOnStage, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    def waits(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 4:
            played.open(4)
            played.finish()

    monkeypatch.setattr("contest.run.commands.time.sleep", waits)
    watched = run("watch", played.run_id)
    lines = [line.partition(" ")[2] for line in watched.stderr.splitlines() if line.startswith("20")]
    going = "running, 3 of 4 files open; teams: 1 here, 1 away, 0 not joined; 0 answers, 6 void"
    assert (waited, lines) == ([2.0] * 4, [going, going]), "looks at 0, 2, 4, 6 s: heard at 0 and 4"
    assert "finished · 4 of 4 open" in watched.stdout
    assert "red" in watched.stdout


@pytest.mark.parametrize("stage", ["interface"], indirect=True)
def test_the_watch_aborts_nothing(played: RunOnStage, monkeypatch: pytest.MonkeyPatch, stage: Stage) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("contest.run.commands.time.sleep", interrupted)
    left = run("watch", played.run_id)
    assert left.exit_code == 130
    assert "Stopped." in left.stderr
    assert "Aborted" not in left.output
    played.open(4)
    stage.set_clock(played.schedule.ends_at + 1)
    assert played.run.closed_at is None
    monkeypatch.setattr("contest.run.commands.time.sleep", lambda _: pytest.fail("waited for a run that is over"))
    watched = run("watch", played.run_id)
    assert (watched.exit_code, "closes its last sessions" in watched.stderr) == (0, True)
    assert "finished · 4 of 4 open" in watched.stdout


def test_results_are_published_and_hidden_and_the_record_is_written(played: RunOnStage, tmp_path: Path) -> None:
    played.open(4)
    played.finish()
    assert run("publish", played.run_id).stdout == f"the results of {played.run_id} are published\n"
    assert played.board().status == 200
    assert run("hide", played.run_id).exit_code == 0
    assert played.board().status == 403
    folder = tmp_path / "record"
    assert run("record", played.run_id, "--out", str(folder)).exit_code == 0
    record = json.loads((folder / "record.json").read_text("utf-8"))
    assert len(record["record"]["sessions"]) == 2
    assert (folder / "timeline.svg").read_bytes().startswith(b"<?xml")
    lines = (folder / "sessions.csv").read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + 2 * 4


@pytest.mark.parametrize("stage", ["interface"], indirect=True)
def test_the_watch_names_teams_that_may_take_part_and_have_not_joined(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue")
    stage.team("grey")
    played.open(1)
    assert told("watch", played.run_id)["absent"] == [{"team_id": "grey", "name": "Team grey"}]
    printed = run("watch", played.run_id, "--once").stdout
    assert [line.split()[1] for line in printed.splitlines() if "not joined" in line] == ["grey"]


@pytest.mark.parametrize("stage", ["interface"], indirect=True)
def test_a_team_that_was_not_admitted_is_not_missed(stage: Stage) -> None:
    stage.load(run_cycle(2))
    for team in ("red", "blue", "grey"):
        stage.team(team)
    start = iso(stage.now + 10 * MINUTE)
    planned = run("plan", "--start", start, "--admit", "red,grey").stdout.strip()
    assert [each["team_id"] for each in told("watch", planned)["absent"]] == ["grey", "red"]
    teams.decide_on_team(stage.platform, "tests", "grey", Decision("asked for it", TeamStatus.SUSPENDED))
    assert [each["team_id"] for each in told("watch", planned)["absent"]] == ["red"]
    trial = run("plan", "--start", start, "--trial").stdout.strip()
    assert [each["team_id"] for each in told("watch", trial)["absent"]] == ["blue", "red"]


def waits(monkeypatch: pytest.MonkeyPatch, stage: Stage) -> list[int]:
    """Let workers work while a command waits; return the list of the moments of waiting."""
    times: list[int] = []

    def waited() -> None:
        assert len(times) < 20, "nothing comes of the waiting"
        times.append(stage.now)
        stage.score_all()
        stage.tick()
        stage.advance(30)

    monkeypatch.setattr(results_commands, "look_again_later", waited)
    return times


def test_markups_are_taken_when_the_runs_record_is_made(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played = RunOnStage(stage, 2, "red", "blue", marked=False)
    played.play()
    played.at(played.schedule.ends_at)
    assert "the run's record is not made yet" in run("mark", played.run_id).stderr
    times = waits(monkeypatch, stage)
    refused = run("mark", played.run_id, "--wait")
    assert (refused.exit_code, "the experts' markups of 2 essays are not there" in refused.stderr) == (1, True), refused
    assert times
    stage.load(run_cycle(2))
    assert run("mark", played.run_id).stdout.startswith(f"{played.run_id} has the present markups")
    assert played.run.markups != ()
    unknown = run("mark", "a" * 20, "--wait")
    assert (unknown.exit_code, "no run with this identifier" in unknown.stderr) == (1, True), unknown.output


def test_protocols_are_recorded_and_listed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played = RunOnStage(stage, 2, "red")
    played.play()
    played.finish()
    waits(monkeypatch, stage)
    said = ("--reason", "every report was read")
    done = run("protocol", played.run_id, "--by", "judges", *said, "--wait")
    assert done.exit_code == 0, done.output
    failure = run("protocol", played.run_id, "--by", "commission", "--matter", "mass_failure", "--against", *said)
    assert failure.exit_code == 0, failure.output
    found = json.loads(run("protocols", played.run_id, "--json").stdout)["protocols"]
    assert [(each["by"], each["matter"], each["positive"]) for each in found] == [
        ("commission", "mass_failure", False),
        ("judges", "results", True),
    ]
    shown = run("protocols", played.run_id).stdout
    assert "every report was read" in shown
    assert "mass_failure" in shown
    assert run("protocol", played.run_id, "--by", "jury", *said).exit_code == 2


@pytest.mark.parametrize("stage", ["interface"], indirect=True)
def test_who_waits_for_publication_sees_the_board(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played = RunOnStage(stage, 2, "red", "blue", marked=False)
    played.play()
    played.finish()
    times = waits(monkeypatch, stage)
    refused = run("publish", played.run_id, "--wait")
    assert (refused.exit_code, times, "markups" in refused.stderr) == (1, [], True), "they do not come by themselves"
    stage.load(run_cycle(2))
    run("mark", played.run_id)
    at_once = run("publish", played.run_id)
    assert (at_once.exit_code, times) == (1, []), at_once.output
    waited = run("publish", played.run_id, "--wait")
    assert waited.exit_code == 0, waited.output
    assert times != []
    assert "answers wait for their scores" in waited.stderr or "are being made" in waited.stderr
    shown = waited.stdout.partition(f"the results of {played.run_id} are published\n")[2]
    assert "Team red" in shown
    assert "2/2" in shown
    for words in (["--final"], ["--run", played.run_id]):
        assert CliRunner().invoke(main, ["board", *words]).stdout == shown


def test_slow_work_is_said_again(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    looks: list[float] = []

    class Slow:
        """Platform that takes eleven seconds for the board."""

        @staticmethod
        def get(*_: object, **__: object) -> Any:
            return {"settlement": {"state": "scoring", "reason": "answers wait", "reason_ru": "ответы ждут"}}

    def ask() -> None:
        if len(looks) < 11:
            raise click.ClickException("not yet")

    monkeypatch.setattr(results_commands, "look_again_later", lambda: looks.append(LOOK_AGAIN_S))
    results_commands.when_made(Slow(), "r", ask)  # type: ignore[arg-type]  # it asks for nothing else
    said = capsys.readouterr().err.splitlines()
    assert [line.rpartition("answers wait")[2] for line in said] == ["", " 0:05", " 0:10"]


def test_a_wait_for_an_errand_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    states, slept = [*["under_way"] * 12, "done"], list[float]()

    class Slow:
        """Answer like a platform whose worker needs thirteen looks."""

        @staticmethod
        def get(*_: object, **__: object) -> Any:
            return {"errand_id": "e", "state": states.pop(0), "refused": None}

    monkeypatch.setattr("time.sleep", slept.append)
    done = {"errand_id": "e", "state": "done", "refused": None}
    assert commands.finished(Slow(), {**done, "state": "under_way"}) == done  # type: ignore[arg-type]
    assert capsys.readouterr().err == "A worker is at it …\n"
    assert (slept[0], slept[-2:]) == (1.0, [15.0, 15.0])
    assert slept == sorted(slept)
    assert len(slept) == 13
    assert commands.finished(Slow(), done) == done  # type: ignore[arg-type]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stage", ["interface"], indirect=True)
@pytest.mark.parametrize("columns", ["80", None], ids=["80 columns", "a pipe"])
def test_ids_and_roots_are_never_cut(
    stage: Stage, played: RunOnStage, monkeypatch: pytest.MonkeyPatch, columns: str | None
) -> None:
    """Run ids and commitment roots, which other commands ask for, are printed in full, to be copied."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert played.run_id in run("list").output
    shown = run("show", played.run_id).output
    root = stage.request("GET", f"/v1/runs/{played.run_id}").json["commitment"]["statement"]["root"]
    assert "…" not in shown
    # On a terminal that is narrower than a hash it goes on in the next line.
    assert root in "".join(shown.split()).replace("│", "")
