"""Values that the commands about runs take."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import click

from contest.domain.moments import SECOND, Millis

MOST_FILES: Final = 2000
as_json = click.option("--json", "raw", is_flag=True, help="Print JSON instead of a table.")


class Moment(click.ParamType[Millis]):
    """A moment with its zone, ``2026-11-21T12:00:00Z`` or ``…+03:00``: no zone is ever guessed."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        if isinstance(value, int):
            return value
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no moment like 2026-11-21T12:00:00Z", param, ctx)
        if read.tzinfo is None:
            self.fail(f"{value!r} does not say its zone; write …Z or …+03:00", param, ctx)
        return round(read.timestamp() * SECOND)


class Numbers(click.ParamType[tuple[int, ...]]):
    """Numbers of files: ``3,5-7``."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """See click."""
        if isinstance(value, tuple):
            return value
        found: set[int] = set()
        for part in value.split(","):
            first, dash, last = part.strip().partition("-")
            if not first.isdecimal() or (dash and not last.isdecimal()):
                self.fail(f"{value!r} is no list of numbers like 3,5-7", param, ctx)
            ends = int(first), int(last or first)
            if not 0 <= ends[1] - ends[0] < MOST_FILES:
                self.fail(f"{part!r} is no range of files", param, ctx)
            found.update(range(ends[0], ends[1] + 1))
        return tuple(sorted(found))
