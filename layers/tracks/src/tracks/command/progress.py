"""Progress of all commands: a bar on a terminal, lines where no bar moves."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn

SILENCE_S: Final = 5
"""Longer than this nobody should wait for a sign of life."""


class HeardProgress(Progress):
    """A progress bar on a terminal; elsewhere a line every five seconds, or as many as ``every_s`` says, with how long
    nothing has changed.

    A night of waiting is 6 000 lines, a third of a megabyte.

    ``pause(seconds)`` waits and says whether it is over; without it, a clock of its own does.
    """

    def __init__(
        self,
        *columns: str | ProgressColumn,
        console: Console | None = None,
        pause: Callable[[float], bool] | None = None,
        every_s: int = SILENCE_S,
        **more: Any,
    ) -> None:
        super().__init__(*columns, console=console, **more)
        self._over = Event()
        self._pause = pause or self._over.wait
        self._every_s = every_s
        self._heard: Thread | None = None
        # Of a bar that vanishes in the end a pipe would keep an empty line.
        self._drawn = self.console.is_terminal or not self.live.transient

    def start(self) -> None:
        """See :class:`rich.progress.Progress`."""
        if self._drawn:
            super().start()
        if not self.disable and not self.console.is_terminal:
            self._heard = Thread(target=self._say, daemon=True)
            self._heard.start()

    def stop(self) -> None:
        """See :class:`rich.progress.Progress`."""
        self._over.set()
        if self._heard is not None:
            self._heard.join()
            self._heard = None
        if self._drawn:
            super().stop()

    def _say(self) -> None:
        last, unchanged = "", 0
        while not self._pause(self._every_s):
            line = ", ".join(filter(None, map(_line, self.tasks)))
            unchanged = unchanged + 1 if line == last else 0
            if line:
                since = f" ({_passed(unchanged * self._every_s)})" if unchanged else ""
                self.console.print(f"{line}{since}", highlight=False, markup=False, soft_wrap=True)
            last = line


def _line(task: Task) -> str:
    """Format a task's progress; without a total the time that it has taken, in minutes and seconds."""
    if not task.visible:
        return ""
    if task.total:
        return f"{task.completed:.0f}/{task.total:.0f} {task.description}".strip()
    return f"{task.description} {_passed(int(task.elapsed or 0))}".strip()


def _passed(seconds: int) -> str:
    """Format seconds as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02}"


def waiting(
    message: str, console: Console | None = None, pause: Callable[[float], bool] | None = None, every_s: int = SILENCE_S
) -> HeardProgress:
    """Show a wait of unknown length: its subject at once, and then with the time that has passed."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        console.print(message, highlight=False, markup=False, soft_wrap=True)
    progress = HeardProgress(
        SpinnerColumn(), TextColumn("{task.description}"), console=console, pause=pause, every_s=every_s, transient=True
    )
    progress.add_task(message, total=None)
    return progress
