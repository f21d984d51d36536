"""Solvers, which compute an answer: a function, a command line as each system splits it, a folder."""

from __future__ import annotations

import json
import os
import select
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.notation import render
from markup_core.reading.validation import load
from pku.config import Clock
from pku.solvers import (
    CommandSolver,
    FolderSolver,
    SolverError,
    Task,
    UnreadableError,
    checked,
    entry_point,
    read_answer,
    words_of,
)
from tests.pku.platform import DrivenClock, essay, pku_error

WORDS = st.lists(st.text(st.sampled_from("ab \t\"\\'{}й"), max_size=8), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r"C:\Python311\python.exe marker.py {input} {output}", None),
        (r'"C:\Program Files\Python\python.exe" marker.py', [r"C:\Program Files\Python\python.exe", "marker.py"]),
        (r'run "C:\my data\\" x', ["run", "C:\\my data\\", "x"]),
        (r"run \\server\share\solver.exe", None),
        (r'say "\"quoted\""', ["say", '"quoted"']),
        (r'say "a""b"', ["say", 'a"b']),
        (r'say ""', ["say", ""]),
        ("  python\t marker.py  ", ["python", "marker.py"]),
        ("python 'one two'", ["python", "'one", "two'"]),
        ("", []),
    ],
)
def test_windows(command: str, words: list[str] | None) -> None:
    assert words_of(command, windows=True) == (command.split() if words is None else words)


@given(WORDS)
def test_what_python_writes_for_windows_is_read_back(words: list[str]) -> None:
    assert words_of(subprocess.list2cmdline(words), windows=True) == words


@given(WORDS)
def test_what_python_writes_for_a_shell_is_read_back(words: list[str]) -> None:
    assert words_of(shlex.join(words), windows=False) == words


@pytest.mark.parametrize("windows", [True, False])
def test_quotes_that_do_not_close_are_refused(windows: bool) -> None:
    with pytest.raises(ValueError, match="clos"):
        words_of('python "marker.py', windows=windows)


def test_a_backslash_is_no_path_but_an_escape_elsewhere() -> None:
    assert words_of(r"C:\python.exe", windows=False) == ["C:python.exe"]


COPY = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"


def command(tmp_path: Path, program: str) -> CommandSolver:
    script = tmp_path / "solver.py"
    script.write_text(program, encoding="utf-8")
    return CommandSolver(f"'{sys.executable}' '{script}' {{input}} {{output}}")


def task(seconds: float = 30.0, clock: Any = None) -> Task:
    chosen = clock or Clock()
    return Task("s", 1, "f1", essay("f1"), chosen.now() + seconds, chosen)


def ends(pid: int) -> bool:
    """Return True if the process is gone; wait for up to 10 s, as a signal may be under way."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10)[0])
    finally:
        os.close(handle)


def test_a_command_reads_the_essay_and_writes_the_markup(tmp_path: Path) -> None:
    assert command(tmp_path, COPY).solve(task()) == essay("f1")


def test_a_command_may_write_the_inline_notation(tmp_path: Path) -> None:
    program = """
import json, sys
text = json.load(open(sys.argv[1], encoding="utf-8"))["text"]
head = "Предмет: rus-free\\n\\n"
body = text.replace("мае месяце", "(\\\\ Р.лишн плеон \\\\ мае месяце \\\\ лишнее слово >> мае \\\\)")
open(sys.argv[2], "w", encoding="utf-8").write(head + body)
"""
    answer = command(tmp_path, program).solve(task())
    assert json.loads(checked(answer, essay("f1")))["selections"][0]["correction"] == "мае"
    assert answer["meta"]["id"] == "f1"


def test_a_failing_command_shows_what_it_printed(tmp_path: Path) -> None:
    program = "import sys; print('model not found', file=sys.stderr); sys.exit(7)"
    with pku_error("solver_failed") as caught:
        command(tmp_path, program).solve(task())
    assert "7" in caught.value.text("ru")
    assert caught.value.text("en").endswith(" What it printed last:\nmodel not found")
    with pku_error("solver_failed") as silent:
        command(tmp_path, "raise SystemExit(7)").solve(task())
    assert silent.value.text("en") == "The solver ended with status 7."


def test_a_markup_that_is_not_there_or_cannot_be_read_is_told_so(tmp_path: Path) -> None:
    with pku_error("solver_no_output"):
        command(tmp_path, "pass").solve(task())
    for content in (b"{", b"\xff\xfe", b'{"a": 1, "a": 2}', "(* ПРОБЛЕМА \\ нет конца".encode()):
        program = f"import sys; open(sys.argv[2], 'wb').write(bytes.fromhex({content.hex()!r}))"
        with pku_error("answer_unreadable"):
            command(tmp_path, program).solve(task())


@pytest.mark.skipif(sys.platform != "linux", reason="waits for a process that is no child of its own")
def test_a_command_is_killed_with_its_children_when_the_time_is_over(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    program = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(noted)!r}, "w").write(str(child.pid))
print("still thinking", file=sys.stderr, flush=True)
time.sleep(600)
"""
    with pku_error("solver_timeout") as caught:
        command(tmp_path, program).solve(task(seconds=2.5))
    assert "still thinking" in str(caught.value.text("en"))
    assert ends(int(noted.read_text()))


def test_a_command_is_not_started_without_time(tmp_path: Path) -> None:
    with pku_error("solver_no_time"):
        command(tmp_path, COPY).solve(task(seconds=0.5))


def test_a_running_command_can_be_stopped(tmp_path: Path) -> None:
    started = tmp_path / "started"
    solver = command(tmp_path, f"import time; open({str(started)!r}, 'w').close(); time.sleep(600)")
    failures: list[SolverError] = []

    def solve() -> None:
        try:
            solver.solve(task(seconds=300))
        except SolverError as error:
            failures.append(error)

    thread = threading.Thread(target=solve)
    thread.start()
    while not started.exists():
        thread.join(0.01)
    solver.stop()
    thread.join()
    assert [each.code for each in failures] == ["solver_failed"]


def test_a_command_that_does_not_exist_is_told_so() -> None:
    with pku_error("solver_not_started"):
        CommandSolver("/nowhere/solver {input} {output}").solve(task())


@pytest.mark.parametrize("line", ["", "solver", "solver {input}", "solver {output}", "solver '{input} {output}"])
def test_a_command_needs_both_of_its_places_and_closed_quotes(line: str) -> None:
    with pku_error("bad_command"):
        CommandSolver(line)


def test_an_entry_point_is_found_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "team_marker.py").write_text("class Box:\n    @staticmethod\n    def mark(essay): return essay\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert entry_point("team_marker:Box.mark").solve(task()) == essay("f1")


@pytest.mark.parametrize("name", ["json", "json:", ":loads", "no_such_module:f", "json:no_such", "json:__name__"])
def test_an_entry_point_that_is_none_is_told_so(name: str) -> None:
    with pku_error("bad_entry_point"):
        entry_point(name)


def test_an_entry_point_that_would_end_the_kit_is_a_failing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ending_marker.py").write_text("def mark(essay): raise SystemExit(3)\n")
    (tmp_path / "ending_script.py").write_text("raise SystemExit('usage: script FILE')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pku_error("solver_raised"):
        entry_point("ending_marker:mark").solve(task())
    with pku_error("bad_entry_point"):
        entry_point("ending_script:mark")


# --- folder mode -----------------------------------------------------------------------------------------------------


class Writer(DrivenClock):
    """Clock during whose waits another party writes to the folder."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        super().__init__()
        self.steps = list(steps)

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.steps:
            self.steps.pop(0)()


def test_folder_mode_shows_the_essay_whole_and_takes_the_markup(tmp_path: Path) -> None:
    def answer() -> None:
        shown = json.loads((tmp_path / "in" / "f1.json").read_bytes())
        (tmp_path / "out" / "f1.json").write_text(json.dumps(shown), encoding="utf-8")

    assert FolderSolver(tmp_path).solve(task(clock=Writer(lambda: None, answer))) == essay("f1")
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["f1.json"]


def test_folder_mode_takes_the_inline_notation(tmp_path: Path) -> None:
    def answer() -> None:
        (tmp_path / "out" / "f1.txt").write_text(render(load(essay("f1"))), encoding="utf-8")

    taken = FolderSolver(tmp_path).solve(task(clock=Writer(answer)))
    assert json.loads(checked(taken, essay("f1")))["text"] == essay("f1")["text"]


def test_a_markup_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    whole = json.dumps(essay("f1"))
    out = tmp_path / "out" / "f1.json"
    clock = Writer(lambda: out.write_text(whole[:50]), lambda: out.write_text(whole))
    assert FolderSolver(tmp_path).solve(task(clock=clock)) == essay("f1")


def test_a_folder_without_an_answer_is_given_up_in_time(tmp_path: Path) -> None:
    clock = DrivenClock()
    late = task(clock=clock)
    with pku_error("folder_no_answer"):
        FolderSolver(tmp_path).solve(late)
    assert late.due - 1.1 <= clock.now() <= late.due - 0.9, "one second is kept back for sending"


def test_a_broken_answer_in_the_folder_is_named_at_the_deadline(tmp_path: Path) -> None:
    solver = FolderSolver(tmp_path)
    (tmp_path / "out" / "f1.json").write_text("{")
    with pku_error("answer_unreadable"):
        solver.solve(task(clock=DrivenClock()))


def test_an_answer_that_stood_there_before_is_taken_at_once(tmp_path: Path) -> None:
    clock = DrivenClock()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "f1.json").write_text(json.dumps(essay("f1")))
    assert FolderSolver(tmp_path).solve(task(clock=clock)) == essay("f1")
    assert clock.slept == []


def test_a_byte_order_mark_is_named() -> None:
    with pytest.raises(UnreadableError) as caught:
        read_answer(b"\xef\xbb\xbf{}", essay("f1"))
    assert "byte-order mark" in str(caught.value)
