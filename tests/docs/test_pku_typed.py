"""``docs/pku.md`` and its Russian page: every command is typed as it is printed there, and answers as it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.terminals import BLOCK, REMARK, ROOT, Terminal, typed
from tests.exchange_programs import Exchange, exchange_cloud

PAGES = ("pku.md", "pku.ru.md")
IN_THE_GATE = (PAGES[0], pytest.param(PAGES[1], marks=pytest.mark.long))
"""Both pages have the same commands, which another test compares."""
ADDRESS = "https://contest.example"
ELSEWHERE = ("pip install", "pku verify-run", "eval ", "pku doctor --archive")
"""Typed by `test_readme` (`verify-run` needs a whole run), `tests.docs.test_packages`, `tests.pku.test_archive`,
and below."""
RUSSIAN = {"pku.md": "", "pku.ru.md": " --lang ru"}
pytestmark = [pytest.mark.integration, pytest.mark.slow]


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def shown(name: str) -> dict[str, list[str]]:
    """Return the text below each command of a page, by the command; of a repeated one the last."""
    found: dict[str, list[str]] = {}
    for block in BLOCK.finditer(page(name)):
        if block["kind"] == "console":
            for part in re.split(r"^\$ ", block["body"], flags=re.MULTILINE)[1:]:
                command, *lines = part.splitlines()
                found[REMARK.sub("", command).strip()] = [line for line in lines if line.strip()]
    return found


def bare(line: str) -> str:
    """Remove from a line ids, numbers, moments, folders and addresses, which differ from run to run."""
    return re.sub(r"\s+", " ", re.sub(r"[\d,.]+|/\S+|https?://\S+", "#", line)).strip()


@pytest.fixture(scope="module")
def exchange(prepared: Path) -> Iterator[Exchange]:
    """Start a cloud with the demonstration cycle, on the system's time."""
    with exchange_cloud(prepared) as ready:
        ready.clock.release()
        yield ready


class Team:
    """A team that types what a page prints, in its language."""

    def __init__(self, name: str, exchange: Exchange, folder: Path) -> None:
        self._shown, self._russian, self._exchange = shown(name), RUSSIAN[name], exchange
        self._token = exchange.program().token
        self._terminal = Terminal(folder, folder / "home")
        self.left = {each for each in typed(page(name)) if not each.startswith(ELSEWHERE)}

    def types(self, command: str, *, code: int = 0, given: str = "", compared: int = 1, **filled: str) -> str:
        """Type a command of the page; the first so many lines below it there must come here, too."""
        line = f"{command}{self._russian}"
        self.left.discard(line)
        real = line.replace(ADDRESS, self._exchange.cloud.url)
        for was, becomes in filled.items():
            real = re.sub(rf"\b{was.lstrip('_')}\b", becomes, real)
        done = self._terminal.tried(real, given)
        assert done.returncode == code, f"{real}\n{done.stdout}\n{done.stderr}"
        printed = done.stdout + done.stderr
        came = {bare(each) for each in printed.splitlines()}
        assert [each for each in self._shown[line][:compared] if bare(each) not in came] == [], printed
        return printed

    def logs_in(self) -> None:
        """Log in as in the page's first terminal, which shows the output of a login that worked."""
        line = f"pku login {ADDRESS}"
        self.left.discard(line)
        real = f"{line.replace(ADDRESS, self._exchange.cloud.url)}{self._russian}"
        assert self._token not in self._terminal.run(real, f"{self._token}\n")


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_every_command_is_typed_and_answers_as_it_is_shown(name: str, exchange: Exchange, tmp_path: Path) -> None:
    program = next(each["body"] for each in BLOCK.finditer(page(name)) if each["body"].startswith("import json, sys"))
    (tmp_path / "marker.py").write_text(program, "utf-8")
    team = Team(name, exchange, tmp_path)
    team.logs_in()
    session = re.findall(r"\d{15}", team.types("pku pilot --set train --files 3 --language eng"))[0]
    (shown_session,) = re.findall(r"pku status (\d{15})", page(name))
    team.types(f"pku status {shown_session}", compared=1, **{f"_{shown_session}": session})
    team.types("pku report --sort M3", compared=3)
    team.types("pku compare 1", compared=2)
    team.types("pku receipts --verify", compared=1)
    team.types("pku start --set train --files 4 --language rus")
    team.types('pku run --solver "python marker.py {input} {output}"')
    refused = team.types('pku run --set train --files 1 --solver "python missing.py {input} {output}"', code=1)
    assert "[solver_fails_on_sample]" in refused
    team.types('pku doctor --solver "python marker.py {input} {output}"', compared=0)
    team.types("pku data list", compared=4)
    team.types("pku data get train")
    team.types("pku start --set train --files 4 --language rus")
    team.types("pku abort --yes")
    team.types("pku board", compared=0)  # nobody has answered the test set
    team.types(f"pku login {ADDRESS}", code=1, given="hrd_wrong\n", compared=0)
    assert team.left <= {f"pku try local/demonstration/train --entry-point pku.pilot:mark --files 8{RUSSIAN[name]}"}


@pytest.mark.parametrize("name", IN_THE_GATE)
def test_a_try_prints_what_the_page_shows(name: str, tmp_path: Path) -> None:
    (command,) = [each for each in typed(page(name)) if each.startswith("pku try")]
    printed = Terminal(ROOT, tmp_path).run(command).splitlines()
    expected, came = ([each.rstrip() for each in lines] for lines in (shown(name)[command], printed))
    # how long it took is the machine's
    assert [each for each in expected if each not in came and bare(each) not in map(bare, came)] == []
    assert len(expected) > 30


@pytest.mark.parametrize("name", IN_THE_GATE)
def test_a_shell_completes_commands_after_the_printed_line(name: str, tmp_path: Path) -> None:
    (line,) = [each for each in typed(page(name)) if each.startswith("eval ")]
    terminal = Terminal(tmp_path, tmp_path)
    assert "complete" in terminal.run(f"{line}; complete -p pku")
    completed = terminal.run("COMP_WORDS='pku ver' COMP_CWORD=1 _PKU_COMPLETE=bash_complete pku")
    assert {"verify-run", "verify-archive"} <= {each.partition(",")[2] for each in completed.splitlines()}
