"""Command lines of both systems, the one of Windows against the standard library, which writes such lines."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pku.work.solvers import words_of

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


def test_a_backslash_is_a_path_on_windows_and_an_escape_elsewhere() -> None:
    assert words_of(r"C:\python.exe", windows=True) == [r"C:\python.exe"]
    assert words_of(r"C:\python.exe", windows=False) == ["C:python.exe"]
