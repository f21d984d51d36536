"""Console output of all commands: tables that are whole in a pipe.

Progress of all commands: a bar on a terminal, lines where no bar moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.table import Column, Table
from rich.text import Text

from markup_core.texts import columns

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_PART_OF_MOMENT: Final = 13
"""Columns in which a moment is readable in two lines. Nobody types one from a table into a command."""
_ENDLESS: Final = 100_000
_GAP: Final = 2


class WholeConsole(Console):
    """A terminal, or a file or pipe, which has no width. No word of a table is cut, and none but a moment is folded as
    long as the terminal is wider than that word: prose goes on in the next line, and where that does not help, rows
    are written as lists."""

    def print(self, *objects: Any, **more: Any) -> None:
        """See :class:`rich.console.Console`."""
        # Asked every time: a console that is made while somebody tests has the width of that moment.
        self.width = columns()
        super().print(
            *(self.whole(renderable) if isinstance(renderable, Table) else renderable for renderable in objects), **more
        )

    def whole(self, table: Table) -> RenderableType:
        """Fit a table to the present width; for callers that draw it again and again."""
        for column in table.columns:
            column.no_wrap, column.overflow = False, "fold"
        endless = self.options.update_width(_ENDLESS)
        measured = Measurement.get(self, endless, table)
        if measured.maximum <= self.width:
            return table
        least, most = [], []
        for column in table.columns:
            cells = [column.header, *column.cells] if table.show_header else list(column.cells)
            least.append(max((self._longest_word(cell) for cell in cells), default=0))
            most.append(max((Measurement.get(self, endless, cell).maximum for cell in cells), default=0))
        frame = measured.maximum - sum(most)
        if sum(least) + frame > self.width:
            return Group(*self._listed(table))
        for column, width in zip(table.columns, _shared(least, most, self.width - frame), strict=True):
            column.width = width
        return table

    def _longest_word(self, cell: RenderableType) -> int:
        if not isinstance(cell, str | Text):
            return Measurement.get(self, self.options.update_width(_ENDLESS), cell).minimum
        words = (cell.plain if isinstance(cell, Text) else self.render_str(cell).plain).split()
        return max((_PART_OF_MOMENT if _MOMENT.fullmatch(word) else cell_len(word) for word in words), default=0)

    def _listed(self, table: Table) -> Iterator[RenderableType]:
        """Yield each row as lines of heading and value; without headings its first cell and the others."""
        if table.title:
            yield table.title
        headings = [column.header for column in table.columns]
        rows = [
            list(zip(headings, row, strict=True)) if table.show_header else [(row[0], other) for other in row[1:]]
            for row in zip(*(column.cells for column in table.columns), strict=True)
        ]
        pairs = [pair for row in rows for pair in row]
        named = max((self._longest_word(name) for name, _ in pairs), default=0)
        beside = named + _GAP + max((self._longest_word(value) for _, value in pairs), default=0) <= self.width
        for row in rows:
            if beside:
                grid = Table.grid(Column(width=named), Column(overflow="fold"), padding=(0, _GAP, 0, 0))
                for pair in row:
                    grid.add_row(*pair)
                yield grid
            else:
                yield Group(*(part for name, value in row for part in (name, Padding(value, (0, 0, 0, _GAP)))))
            if table.show_header:
                yield ""
        if table.caption:
            yield table.caption


def _shared(least: list[int], most: list[int], room: int) -> list[int]:
    """Compute widths of columns: the room beyond the longest words goes, column by column, to the narrowest."""
    widths = list(least)
    for _ in range(room - sum(least)):
        growing = [place for place, width in enumerate(widths) if width < most[place]]
        if not growing:
            break
        widths[min(growing, key=widths.__getitem__)] += 1
    return widths


SILENCE_S: Final = 5
"""Longest wait for a sign of progress, in seconds."""


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
