"""``docs/operations.md`` and its Russian page: every printed command is one that its program takes, and those that need
no AWS account are typed on a local cloud.

What AWS' own command is given cannot be tried here; ``make deploy`` is read as ``make`` would run it.
"""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from contest.commands.main import main as contest
from local.cli import main as hurdle
from pku.cli import main as pku
from tests.contest.commands.test_people import Person
from tests.docs.terminals import BLOCK, ROOT, Terminal, typed
from tests.exchange_programs import exchange_cloud

PAGES = ("operations.md", "operations.ru.md")
PROGRAMS = {"contest": contest, "pku": pku, "hurdle": hurdle}
KNOWN = (*PROGRAMS, "make", "python", "aws", "npx")
FOREIGN = ("aws", "npx")
INVITED = 'contest --cycle spring-2027 staff invite olga@example.org "Olga Ivanova" organizer'
ANSWERS = {
    "contest deadletters list": "letter",
    "contest deadletters redrive --queue relay": "0 letters redriven, 0 left",
    "contest deadletters redrive --queue scoring": "0 letters redriven, 0 left",
    "contest doctor": "nothing is stuck",
    "contest doctor --mend": "nothing is stuck",
    "contest run plan --trial --set train --start MOMENT": r"^\w{20}$",
    "contest run show RUN": "unknown_run",
    "contest run shadow RUN --again": "unknown_run",
    "contest run dismiss RUN --reason TEXT": "unknown_run",
    "contest run replace RUN --proposal --reason TEXT": "unknown_run",
    "contest rescore resume RESCORING": "unknown_rescoring",
    "contest submission rerun SUBMISSION --reason TEXT": "unknown_submission",
    "contest submission shadow --again": "0 differences in 0 submissions|0 of 0 submissions",
    "contest verify SESSION": "1 scores, 1 reports compared",
}
"""Pattern of the platform's answer to each printed line, with a session, a moment and a reason filled in."""
ELSEWHERE = (
    "contest --cycle spring-2027 cycle load --direct my-cycle/",
    "contest cycle load --direct FOLDER",
    "contest kit publish build/kit",
    "contest login https://HOST",
)
"""`test_readme` loads and signs in, `test_outside` works on a deployed cycle, `test_kits` publishes."""
RUSSIAN = ("ПОСЫЛКА", "МОМЕНТ", "ТЕКСТ", "ПАПКА", "Ольга", "Иванова")
MOMENTS = {"MOMENT": "2026-12-11T12:00:00Z", "МОМЕНТ": "2026-12-11T12:00:00Z"}


def printed(page: str) -> list[str]:
    """Return every command of a page, from its terminals and from its sentences."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    spans = re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))
    return sorted({*typed(text), *(span for span in spans if span.split(" ")[0] in KNOWN)})


ALL = sorted({line for page in PAGES for line in printed(page)})


@pytest.mark.parametrize("line", [line for line in ALL if not line.startswith(FOREIGN)])
def test_a_printed_line_is_taken(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that is named without anything behind it has to exist; one that is printed whole has to be taken."""
    for folder in ("my-cycle", "build/kit", "FOLDER", "ПАПКА"):
        (tmp_path / folder).mkdir(parents=True)
    program, *words = (MOMENTS.get(word, word) for word in shlex.split(line))
    if program == "make":
        assert Terminal(tmp_path, tmp_path).run(f"make --silent -n -B -C {shlex.quote(str(ROOT))} {shlex.join(words)}")
    elif program == "python":
        assert words[0] == "-m"
        assert find_spec(words[1]) is not None
    else:
        monkeypatch.chdir(tmp_path)
        take(PROGRAMS[program], words, line)


def take(command: click.Command, words: list[str], line: str) -> None:
    """Parse a line as its program would; it raises what a person would be told."""
    context = click.Context(command)
    if words[:1] == ["--cycle"]:
        words = words[2:]
    while isinstance(command, click.Group) and words:
        inner = command.get_command(context, words[0])
        assert inner is not None, line
        command, words = inner, words[1:]
    if words:
        with command.make_context(command.name, words, parent=context) as context_made:
            assert not context_made.args


def test_what_is_no_command_would_be_found() -> None:
    for wrong in ("deadletters look", "run dismiss RUN", "deadletters redrive --kew letters"):
        with pytest.raises((AssertionError, click.UsageError)):
            take(contest, wrong.split(" "), wrong)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_the_platform_answers_is_typed_here_or_elsewhere(page: str) -> None:
    words = dict(zip(RUSSIAN, ("SUBMISSION", "MOMENT", "TEXT", "FOLDER", "Olga", "Ivanova"), strict=True))
    lines = [line for line in printed(page) if line.startswith("contest ") and is_whole(line)]
    english = {re.sub("|".join(words), lambda match: words[match[0]], line) for line in lines}
    assert english == {INVITED, *ANSWERS, *ELSEWHERE}


def is_whole(line: str) -> bool:
    """Return True if a line is a complete command to be typed, not just a command's name."""
    command: click.Command = contest
    for word in shlex.split(line)[1:]:
        if not isinstance(command, click.Group) or word not in command.commands:
            return True
        command = command.commands[word]
    return not any(parameter.required for parameter in command.params)


@pytest.mark.long
@pytest.mark.integration
def test_what_an_operator_types_is_answered_as_it_should_be(prepared: Path, tmp_path: Path) -> None:
    with exchange_cloud(prepared) as exchange:
        program = exchange.program()
        program.open(files=1)
        program.play()
        exchange.clock.advance(121)  # timers that have not come yet are what the doctor finds
        exchange.cloud.drain()
        deployed = Terminal(tmp_path, tmp_path / "nobody", exchange.cloud.environment("FunctionsCommand"))
        assert "invited" in deployed.run(INVITED)
        olga = Person(tmp_path / "home")
        olga.clock = exchange.clock
        olga.login(exchange.cloud.url, "olga@example.org")
        filled = {"SESSION": program.session_id, "MOMENT": "2026-12-11T12:00:00Z", "TEXT": "mended"}
        for line, pattern in ANSWERS.items():
            words = [filled.get(word, word) for word in shlex.split(line)[1:]]
            printed_text = olga.contest(*words, fails="unknown" in pattern)
            assert re.search(pattern, printed_text), (line, printed_text)
