"""``make demo`` as a newcomer sees it, from an empty cloud to the leaderboard."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from contest.commands.main import main as contest
from local import environment, running
from local.clock import Clock, system_ms
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.organizing import CAPTAIN, CYCLE_VARIABLE, ORGANIZER, ask
from local.running import contest_finds
from pku.cli import main as pku
from tests.contest.commands.test_people import Person
from tests.docs.terminals import REMARK, Terminal, flying

SOURCES = Path(__file__).resolve().parents[2] / "functions"
pytestmark = pytest.mark.integration


@pytest.mark.long
@pytest.mark.clause("R 7.2", "R 8.2.3")
def test_the_demonstration_qualifies_the_pilot_and_every_command_of_its_end_works_as_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The final is joined at its start and its files open in seconds, so that nobody waits for it.

    The platform plans its technical run before the final is planned, as it does on any loaded cycle at a full minute.
    """
    monkeypatch.setattr(running, "_LEFT_INTERVAL_S", 1)
    read = running.urlopen

    def after_a_minute(address: str) -> Any:
        cloud.invoke("FunctionsMinuteTimer", {})
        return read(address)

    monkeypatch.setattr(running, "urlopen", after_a_minute)
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path / "home"))
    clock = Clock(system_ms())
    with LocalCloud(DEFAULT_TEMPLATE, SOURCES, workers=2, warm=True, clock=clock) as cloud, ExitStack() as stack:
        clock.release()
        display = running.play_demonstration(cloud, tmp_path / "demo", "en")
        said, waited = capfd.readouterr()
        for each in ("Ready for a final", "32 of 32 files answered in time"):
            assert said.count(each) == 2, said
        assert "Pilot program" in said.rpartition("$ pku board")[2]
        assert "All files are checked and taken in …\n" in waited, "a pipe hears what is waited for"
        work = ask(cloud.url, "expert@example.org", "/v1/assignments", None, method="GET")["assignments"]
        assert [each["state"] for each in work] == ["assigned"]

        stack.enter_context(contest_finds(cloud))
        typed = commands_of(running.closing_words(cloud, display))
        terminal = Terminal(tmp_path, tmp_path / "home")
        assert '"sessions"' in terminal.run(typed.pop("Try"))
        assert "Logged in" in terminal.run(typed.pop("Log in as the team"))
        (run,) = ask(cloud.url, ORGANIZER, "/v1/conduct/runs?mode=final", None, method="GET")["runs"]
        clock.hold(
            round(datetime.fromisoformat(run["starts_at"]).timestamp() * 1000) - 30_000
        )  # a command may take ten seconds to start
        clock.release()
        assert "8 of 8 files answered in time" in terminal.run(typed.pop("Join the final"))
        clock.hold()
        clock.advance(600)
        assert "as promised" in terminal.run(typed.pop("Verify the final"))
        with flying(clock):
            assert "Pilot program" in terminal.run(typed.pop("Publish the final"))
        clock.hold(system_ms())
        assert re.fullmatch(r"(?s).*[a-z0-9]{20}\n.*", terminal.run(typed.pop("Plan another")))
        assert "pilot" in terminal.run(typed.pop("Organize"))
        for name, email in (("Staff sign in", ORGANIZER), ("The team's captain", CAPTAIN)):
            command, *words = typed.pop(name).removeprefix("contest login ").split()
            Person(tmp_path / name).login(command, email, *words)
        assert typed == {}


def commands_of(lines: Sequence[str]) -> dict[str, str]:
    """Return the commands among the closing words by the names before them, without the remarks behind them."""
    named = {line[:19].strip(): REMARK.sub("", line[19:]).strip() for line in lines}
    return {name: said for name, said in named.items() if said.startswith(("curl ", "echo ", "pku ", "contest "))}


@pytest.mark.long
@pytest.mark.clause("TS T16", "TS T18")
@pytest.mark.parametrize(
    ("track", "files", "items", "board"),
    [
        ("exam", (60, 30), "Files", r"–  +people .* 0\.701.*\n1 +Pilot program +30/30 +0\.0\d\d"),
        ("gec", (40, 20), "Texts", r"qualification: All edits(?s:.*)1 +Pilot program +20/20 +0\.\d{3}"),
    ],
)
def test_t18_another_contest_is_shown_from_its_sets_to_its_board(
    track: str, files: tuple[int, int], items: str, board: str
) -> None:
    command = [str(Path(sys.executable).with_name("hurdle")), "demo", "--once", "--port", "0", "--track", track]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    trained, tested = done.stdout.split("$ pku pilot --set test")
    for said, count in ((trained, files[0]), (tested, files[1])):
        assert f"{count} of {count} files answered in time" in said
    # Every item of a training set, of a test set totals alone.
    assert f"\n{items}" in trained
    assert f"\n{items}" not in tested
    assert re.search(board, done.stdout.rpartition("$ pku board")[2])
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.clause("TS T16", "TS T18", "TS D-8", "D 1.14", "D 7.5", "D 6.2.3", "D 6.14")
def test_t18_the_diagnosis_contest_is_shown_from_dialogues_to_a_published_final(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = environment.folder_of("diagnosis")
    with LocalCloud(DEFAULT_TEMPLATE, SOURCES, workers=2, variables={CYCLE_VARIABLE: "diagnosis-demo"}) as cloud:
        running.play_demonstration(cloud, tmp_path, "en", folder, files_of_run=3)
    said, waited = capfd.readouterr()
    # Planning, the judges' and the commission's protocols and the publication take their time.
    assert waited.count("The platform is at work …\n") == 4
    trained, final = said.split("$ contest run plan")
    assert "24 of 24 files answered in time" in trained
    assert "By nosology" in trained
    assert "6 of 6 files answered in time" in final
    assert re.search(r"\n1 +Pilot program +3/3 ", said.rpartition("$ pku board")[2])


@pytest.mark.slow
@pytest.mark.clause("TS T16", "TS T18", "TS F-3")
@pytest.mark.long
def test_t18_the_contest_of_programs_is_shown_from_an_archive_to_its_board() -> None:
    command = [str(Path(sys.executable).with_name("hurdle")), "demo", "--once", "--port", "0", "--track", "fusion"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    submitted, board = done.stdout.rpartition("$ pku board")[::2]
    states = re.findall(r"UTC, state: (.*)", submitted)
    assert (states[0], states[-1]) == ("being checked", "scored")
    assert re.search(r"\nVQA +0\.400 +0\.400 +0\.350 +\+", submitted)
    assert "exit code 0" in submitted
    assert re.search(r"\n1 +Pilot program +4/4 +1\.908 ", board)
    assert "Traceback" not in done.stdout + done.stderr


def test_the_final_is_the_run_that_was_planned_and_not_the_first_of_the_list(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A technical run of the same cycle starts later than the final and stands before it in the list."""

    class Planning:
        def contest(self, *words: str) -> str:
            listed = json.dumps([{"run_id": "technical"}, {"run_id": "final"}])
            return "final" if words[:2] == ("run", "plan") else listed

    organizer: Any = Planning()
    assert running._plan(organizer, "final", datetime(2026, 11, 28, 9, tzinfo=UTC), 15) == "final"
    start, run = capsys.readouterr().out.splitlines()[-2:]
    assert (start, run) == ("$ contest run plan --set final --start 2026-11-28T09:00:00+00:00 --interval 15", "final")


def test_every_command_of_the_closing_words_is_one_that_its_program_takes() -> None:
    """Parsed and not run: their work is a walk of `make long`."""
    cloud: Any = SimpleNamespace(url="http://127.0.0.1:8700")
    display = running.Shown("hrd_x", "en", "finalfinalfinalfinal", "09:00:00 UTC")
    printed = commands_of(running.closing_words(cloud, display)).values()
    commands = [command for line in printed for command in line.split("; ")]
    programs = {"pku": pku, "contest": contest}
    parsed = [words for words in map(shlex.split, commands) if words[0] in programs]
    parsed += [words[words.index("|") + 1 :] for words in map(shlex.split, commands) if "|" in words]
    for program, *words in parsed:
        take(programs[program], program, words)
    assert len(parsed) == 9
    with pytest.raises(click.UsageError):
        take(contest, "contest", ["run", "publish", "--no-such-option"])


def take(command: click.Command, name: str, words: list[str], parent: click.Context | None = None) -> None:
    """Parse a command's words down to its last subcommand; :class:`click.UsageError` where one does not fit."""
    context = command.make_context(name, words, parent)
    if isinstance(command, click.Group):
        found, inner, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert inner is not None
        take(inner, str(found), rest, context)


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_closing_words_are_of_the_language_asked_for(language: str) -> None:
    cloud: Any = SimpleNamespace(url="http://here")
    words = running.closing_words(cloud, running.Shown("hrd_x", language))
    names = " ".join(line[:19] for line in words)
    assert bool(re.search("[а-яё]", names, re.IGNORECASE)) is (language == "ru")
    assert sum("http://here" in line for line in words) >= 5
