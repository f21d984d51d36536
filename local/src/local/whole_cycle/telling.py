"""What is told of a cycle while it is played: a line for everything that is done, and a sign of life between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import click

from local.rehearsal.moments import Millis, to_text
from markup_core.speaking import say
from tracks.command.console import waiting

_TO_SECONDS = len("2026-11-21T12:00:00")


class Telling:
    """While it is entered, the present act and the cycle's time are said every five seconds on standard error.

    ``pause``: see :class:`tracks.command.console.HeardProgress`.
    """

    def __init__(self, pause: Callable[[float], bool] | None = None) -> None:
        self._act = say("The local cloud starts", "Запускается локальное облако")
        self._wait = waiting(f"{self._act} …", pause=pause)
        [self._task] = self._wait.task_ids

    def __enter__(self) -> Self:
        self._wait.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wait.stop()

    def act(self, title: str) -> None:
        """Begin an act of the cycle."""
        self._act = title
        self._wait.update(self._task, description=f"{title} …")
        show(f"\n— {title}")

    def moment(self, now: Millis) -> None:
        """The cycle's clock has come so far."""
        self._wait.update(self._task, description=f"{self._act} … {to_text(now)[:_TO_SECONDS]}")


def show(line: str) -> None:
    """Say what is done, as it would be typed, or what came of it."""
    click.echo(line)
