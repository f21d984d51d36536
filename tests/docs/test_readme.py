"""The READMEs' commands, typed as they stand there: one cycle, from its folder to a final that a team verifies.

What takes minutes has its own place: ``make demo`` in `tests.local.test_running`, the rehearsal in
`tests.rehearsal`. The rest of the page is typed here, by an organizer, by a team, by a researcher.
"""

from __future__ import annotations

import json
import re
import shutil
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import CYCLE_VARIABLE
from tests.contest.commands.test_people import Person
from tests.docs.terminals import BLOCK, ROOT, Terminal, flying, typed
from tests.exchange_programs import DEMONSTRATION, FUNCTIONS
from tests.rehearsal import test_bugs

README = (ROOT / "README.md").read_text("utf-8")  # that the Russian page prints the same is held for all pairs
ELSEWHERE = ("git clone", "make demo", "make rehearse", "pip install", "make cycle", "make deploy")
HERE = ("Take part", "Score", "Organize")
CYCLE, RUN = "spring-2027", "RUN"
LOADED_S, EARLY_S = 20 * 86_400, 5
FINAL, INTERVAL_S = ("rus-free-08", "rus-free-09", "rus-free-10"), 5
EXAMPLES = ROOT / "docs" / "examples"


def chapter(name: str) -> str:
    """Return a chapter of the page."""
    (text,) = [part for part in re.split(r"^## ", README, flags=re.MULTILINE) if part.startswith(f"{name}\n")]
    return text


def commands(name: str) -> list[str]:
    """List a chapter's commands, without those that are tested elsewhere."""
    return [line for line in typed(chapter(name)) if not line.startswith(ELSEWHERE)]


def test_every_command_of_the_page_is_typed_here_or_elsewhere() -> None:
    here = [line for name in HERE for line in commands(name)]
    assert [line for line in typed(README) if line not in here and not line.startswith(ELSEWHERE)] == []
    assert len(here) > 15


def make_folder(folder: Path) -> None:
    """Write the demonstration as a cycle of its own, with a final whose essays no expert has marked up yet."""
    shutil.copytree(DEMONSTRATION, folder, ignore=shutil.ignore_patterns("final", "reserve", "practice"))
    (folder / "final").mkdir()
    for name in FINAL:
        (folder / "test" / f"{name}.json").rename(folder / "final" / f"{name}.json")
        for markup in folder.glob(f"test/{name}_exp*.json"):
            markup.unlink()
    cycle = json.loads((folder / "cycle.json").read_text("utf-8"))
    cycle |= {"cycle": CYCLE, "parameters": {"final": {"interval_s": INTERVAL_S}, "technical": {"enabled": False}}}
    del cycle["sets"]["reserve"]
    (folder / "cycle.json").write_text(json.dumps(cycle), "utf-8")


def mark_up(folder: Path) -> None:
    """Add the experts' markups of the final's essays."""
    for name in FINAL:
        for markup in DEMONSTRATION.glob(f"test/{name}_exp*.json"):
            shutil.copy(markup, folder / "final")


def write_program(folder: Path) -> None:
    """Write the shortest program of the kit's page, under the README's name."""
    page = (ROOT / "docs" / "pku.md").read_text("utf-8")
    (program,) = [block["body"] for block in BLOCK.finditer(page) if block["body"].startswith("import json, sys")]
    folder.mkdir()
    (folder / "my_program.py").write_text(program, "utf-8")


def when_over(organizer: Terminal, command: str) -> None:
    """Type a command until the run's record is made, by one of the timer's next visits."""
    for _ in range(20):
        done = organizer.tried(command)
        if "run_not_over" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.slow
def test_a_cycle_is_organized_and_played_by_the_commands_as_printed(tmp_path: Path) -> None:
    load, invite, enter, admit, plan, watch, mark, publish = commands("Organize")
    login, get, trial, train, report, doctor, join, verify = commands("Take part")
    (moment,) = re.findall(r"--start (\S+)", plan)
    start_ms = int(datetime.fromisoformat(moment).timestamp() * 1000)
    office, desk = tmp_path / "office", tmp_path / "desk"
    office.mkdir()
    make_folder(office / "my-cycle")
    write_program(desk)
    screen, clock = StringIO(), Clock(start_ms - LOADED_S * 1000)
    options: Any = {"logs": Logs(screen=screen), "warm": True, "variables": {CYCLE_VARIABLE: CYCLE}}
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, clock=clock, **options) as cloud:
        clock.release()
        deployed = Terminal(office, office / "nobody", cloud.environment("FunctionsCommand"))
        organizer, team = Terminal(office, office / "home"), Terminal(desk, desk / "home")
        assert "warning" in deployed.run(load)
        assert "invited" in deployed.run(invite)
        (olga,) = re.findall(r"\S+@\S+", invite)
        Person(office / "home").login(cloud.url, olga)
        (token,) = re.findall(r"hrd_\S+", organizer.run(enter))
        assert "owls" in organizer.run(admit)

        assert "Logged in" in team.run(login, f"{cloud.url}\n{token}\n")
        assert "96 files" in team.run(get)
        assert "Validly answered: 32 of 32 essays (100%)" in team.run(trial)
        assert "30 of 30 files answered in time" in team.run(train)
        assert "Ready for a final" in team.run(report)

        run_id = organizer.run(plan).split()[0]
        assert run_id in team.run(doctor)
        clock.hold(start_ms - EARLY_S * 1000)
        clock.release()
        assert "3 of 3 files answered in time" in team.run(join)
        Person(office / "home").login(cloud.url, olga)  # days later, and a sign-in lasts twelve hours
        with flying(clock):
            assert "finished" in organizer.run(watch.replace(RUN, run_id))
            mark_up(office / "my-cycle")
            when_over(organizer, mark.replace(RUN, run_id))
            board = organizer.run(publish.replace(RUN, run_id))
            assert "Owls of Omsk" in board
            assert "3/3" in board
            assert "as promised" in team.run(verify.replace(RUN, run_id))


def test_two_annotations_and_other_contests_files_are_scored_by_the_commands_as_printed(tmp_path: Path) -> None:
    compare, of_corrections, batch = commands("Score")
    terminal = Terminal(ROOT, tmp_path)
    assert re.search(r"pair accuracy +68\.77", terminal.run(compare))
    assert re.search(r"F0\.5", terminal.run(of_corrections))
    answers = terminal.run(batch).splitlines()
    assert len(answers) == len((EXAMPLES / "tracks-requests.jsonl").read_text("utf-8").splitlines())
    assert json.loads(answers[0])["ok"]


def test_so_many_bugs_are_planted_by_the_gate_as_is_said() -> None:
    number = {1: ("one", "одну"), 2: ("two", "две"), 3: ("three", "три")}[len(test_bugs.IN_THE_GATE)]
    assert f"`make test` plants {number[0]} |" in (ROOT / "docs/index.md").read_text("utf-8")
    assert f"make test plants {number[0]}\n" in (ROOT / "Makefile").read_text("utf-8")
    assert f"`make test` вносит {number[1]} |" in (ROOT / "docs/index.ru.md").read_text("utf-8")
