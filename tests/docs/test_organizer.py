"""``docs/organizer.md`` and its Russian page: the way from three essays to a board, run as it is printed.

The local cloud is the one that ``hurdle up --cycle`` starts, in this process, so that its clock can be driven: it runs
with the system's while the team's program plays, and ten times as fast while everybody waits for the timers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from io import StringIO
from pathlib import Path

import pytest

from contest.commands.main import main
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import CYCLE_VARIABLE, Organizer, read_cycle
from local.running import contest_finds
from rehearsal import show
from rehearsal.play.wire import Trick
from tests.docs.terminals import ROOT, Terminal, flying
from tests.exchange_programs import FUNCTIONS

DOCS = ROOT / "docs"
PAGES = ("organizer.md", "organizer.ru.md")
HEADINGS = {"organizer.md": "From three essays of one's own", "organizer.ru.md": "От трёх своих эссе"}
UP, PLAYED = "hurdle up --cycle my-cycle\n", "pku pilot"
ADDRESS = "http://127.0.0.1:8700"


def blocks(page: str) -> list[str]:
    """List the programs of the chapter, in their order."""
    text = (DOCS / page).read_text("utf-8")
    chapter = re.split(r"^## ", text, flags=re.MULTILINE)
    (found,) = [each for each in chapter if each.startswith(HEADINGS[page])]
    return re.findall(r"^```sh\n(.*?)^```$", found, re.MULTILINE | re.DOTALL)


def test_both_pages_print_the_same_commands() -> None:
    english, russian = (blocks(page) for page in PAGES)
    assert english == russian
    assert UP in english
    assert sum(len(block) for block in english) > 1000


@pytest.mark.integration
@pytest.mark.long
def test_three_essays_become_a_board_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path / "home"))
    terminal, cycle, screen = Terminal(tmp_path, tmp_path / "home"), tmp_path / "my-cycle", StringIO()
    program = blocks(PAGES[0])
    up, played = program.index(UP), next(index for index, each in enumerate(program) if PLAYED in each)
    for each in program[:up]:
        terminal.run(each)
    named = {CYCLE_VARIABLE: read_cycle(cycle)[0]}
    cloud = LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, logs=Logs(screen=screen), warm=True, variables=named)
    with ExitStack() as stack:
        stack.enter_context(cloud)
        stack.enter_context(contest_finds(cloud))
        Organizer(cloud).load(cycle)
        for each in program[up + 1 : played + 1]:
            printed = terminal.run(each.replace(ADDRESS, cloud.url))
        assert "3" in printed, "the pilot answers all three files"
        with flying(cloud.clock):
            for each in program[played + 1 :]:
                printed = terminal.run(each)
    board = printed.partition("are published\n")[2]
    assert "Owls of Omsk" in board
    assert "3/3" in board


def commands() -> Iterator[tuple[str, set[str]]]:
    """Yield every command with its options."""

    def below(name: str, command: object) -> Iterator[tuple[str, set[str]]]:
        children = getattr(command, "commands", None)
        if children is None:
            yield name, {opt for each in command.params for opt in each.opts if opt.startswith("--")}  # type: ignore[attr-defined]
        for child, each in (children or {}).items():
            yield from below(f"{name} {child}", each)

    yield from below("contest", main)


@pytest.mark.parametrize("page", PAGES)
def test_the_options_of_the_ways_commands_are_told(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    told = dict(commands())
    for name in ("contest cycle create", "contest run publish", "contest run watch"):
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name} "))
        assert {option for option in told[name] - {"--json", "--every"} if option not in row} <= {"--reason"}, name
    assert "`contest --local" in text


ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^[│┃] (?:[✓✗ ] [│┃] )?(?P<text>.*?) +[│┃]", re.MULTILINE)
CONTINUED = re.compile(r"\n│ +│ (?P<text>\S.*?) +│ +│ +│")


@pytest.mark.parametrize("name", ["docs/rehearsal.md", "docs/rehearsal.ru.md"])
def test_the_rows_of_the_rehearsal_are_the_commands_own(name: str) -> None:
    page = (ROOT / name).read_text("utf-8")
    result = "\n".join(re.findall(r"```text\n(.*?)```", page[page.index("make rehearse") :], re.DOTALL)[:2])
    whole = re.sub(r" +│ (\d+) +│ 0 +│" + CONTINUED.pattern, r" \g<text> │ \1 │ 0 │", result)
    rows = [each.strip() for each in ROW.findall(whole)]
    assert len(rows) > 15
    heads = {
        "What was injected",
        "What happened to the files",
        "what is promised",
        "times",
        "channel away",
        "tick missed",
    }
    words = {*show.TEXTS.values(), *heads, *(trick.replace("_", " ") for trick in Trick)}
    assert not set(rows) - words
    assert "GREEN: every check passed" in result
