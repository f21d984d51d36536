"""In a pipe progress is a line every few seconds: no clock is waited for, the beats are counted."""

from __future__ import annotations

import io
from collections.abc import Callable
from threading import Event

import pytest
from rich.console import Console
from rich.progress import TextColumn

from tracks.command.progress import SILENCE_S, HeardProgress, waiting


class Beats:
    """Lets so many silences pass, each when it is asked for, and then says that it is over."""

    def __init__(self, *happens: Callable[[], None]) -> None:
        self._happens = list(happens)
        self.waited: list[float] = []
        self.passed = Event()

    def __call__(self, seconds: float) -> bool:
        self.waited.append(seconds)
        if not self._happens:
            self.passed.set()
            return True
        self._happens.pop(0)()
        return False


def nothing() -> None:
    """Nothing has happened since the last line."""


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=80)


def heard(where: Console) -> list[str]:
    assert isinstance(where.file, io.StringIO)
    return where.file.getvalue().splitlines()


def test_every_five_seconds_a_line_says_how_far() -> None:
    pipe = console()
    beats = Beats(lambda: progress.advance(task), lambda: progress.advance(task))
    progress = HeardProgress(TextColumn("{task.description}"), console=pipe, pause=beats)
    task = progress.add_task("files", total=32)
    with progress:
        assert beats.passed.wait(10)
        assert heard(pipe) == ["1/32 files", "2/32 files"]
    assert beats.waited == [SILENCE_S] * 3
    assert SILENCE_S <= 5  # issue 11: silence longer than this is a defect


def test_of_what_does_not_change_it_is_said_since_when() -> None:
    pipe, beats = console(), Beats(nothing, nothing, lambda: progress.advance(task), nothing)
    progress = HeardProgress(TextColumn("{task.description}"), console=pipe, pause=beats)
    task = progress.add_task("file 1 opens at 12:00 UTC", total=60)
    with progress:
        assert beats.passed.wait(10)
        waited = ["0/60 file 1 opens at 12:00 UTC", "0/60 file 1 opens at 12:00 UTC (0:05)"]
        assert heard(pipe) == [*waited, "1/60 file 1 opens at 12:00 UTC", "1/60 file 1 opens at 12:00 UTC (0:05)"]


def test_a_wait_is_said_at_once() -> None:
    pipe, beats = console(), Beats()
    with waiting("The local cloud starts …", pipe, beats):
        assert beats.passed.wait(10)
        assert heard(pipe) == ["The local cloud starts …"]
    assert heard(pipe) == ["The local cloud starts …"], "nothing is left of a bar that nobody saw"


def test_what_has_no_known_length_is_said_with_the_time_that_has_passed() -> None:
    pipe, seconds = console(), [0.0]

    def pass_time() -> None:
        seconds[0] += 35

    beats = Beats(pass_time, pass_time)
    column = TextColumn("{task.description}")
    progress = HeardProgress(column, console=pipe, pause=beats, get_time=lambda: seconds[0])
    progress.add_task("The local cloud starts …", total=None)
    with progress:
        assert beats.passed.wait(10)
        assert heard(pipe) == ["The local cloud starts … 0:35", "The local cloud starts … 1:10"]


@pytest.mark.parametrize("disabled", [True, False])
def test_a_terminal_has_its_bar_and_json_has_nothing_but_json(disabled: bool) -> None:
    where, beats = console(terminal=not disabled), Beats()
    progress = HeardProgress(TextColumn("{task.description}"), console=where, pause=beats, disable=disabled)
    progress.add_task("files", total=2)
    with progress:
        pass
    assert not beats.waited
    assert disabled == (not any("files" in each for each in heard(where)))


def test_a_step_that_is_not_shown_is_not_said() -> None:
    pipe, beats = console(), Beats(nothing)
    progress = HeardProgress(TextColumn("{task.description}"), console=pipe, pause=beats)
    progress.add_task("scored", total=2, visible=False)
    with progress:
        assert beats.passed.wait(10)
        assert not heard(pipe)
