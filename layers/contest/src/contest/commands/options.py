"""Values that the commands about runs take."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from contest.adapters.clock import SystemClock
from contest.domain.cycle.cycle import GREATEST_NUMBER
from contest.domain.moments import SECOND, Millis
from markup_core.speaking import say

_MOMENT: Final = "2026-11-21T12:00:00Z"
_FROM_NOW: Final = re.compile(r"\+(\d{1,6})([smhd])")
_SECONDS_OF: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
as_json = click.option("--json", "raw", is_flag=True, help="Print JSON instead of a table.")


class Moment(click.ParamType[Millis]):
    """A moment with its zone, ``2026-11-21T12:00:00Z`` or ``…+03:00``, or so long from now, ``+10m``.

    No zone is ever guessed; what is from now goes by this machine's clock.
    """

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        if isinstance(value, int):
            return value
        from_now = _FROM_NOW.fullmatch(value)
        if from_now is not None:
            return (round(SystemClock().now() / SECOND) + int(from_now[1]) * _SECONDS_OF[from_now[2]]) * SECOND
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            told = say(
                f"{value!r} is no moment like {_MOMENT} or +10m", f"{value!r} — не момент вида {_MOMENT} или +10m"
            )
            self.fail(told, param, ctx)
        if read.tzinfo is None:
            told = say(
                f"{value!r} does not say its zone; write …Z or …+03:00",
                f"{value!r}: не указан часовой пояс; пишите …Z или …+03:00",
            )
            self.fail(told, param, ctx)
        return round(read.timestamp() * SECOND)


class Seconds(click.ParamType[Millis]):
    """A time in seconds, ``2.5``."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        return round(click.FLOAT.convert(value, param, ctx) * SECOND)


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
                self.fail(
                    say(f"{value!r} is no list of numbers like 3,5-7", f"{value!r} — не список номеров вида 3,5-7"),
                    param,
                    ctx,
                )
            ends = int(first), int(last or first)
            if not 0 <= ends[1] - ends[0] < GREATEST_NUMBER:
                self.fail(say(f"{part!r} is no range of files", f"{part!r} — не промежуток номеров"), param, ctx)
            found.update(range(ends[0], ends[1] + 1))
        return tuple(sorted(found))


def teams_named(admit: str | None, admit_file: Path | None) -> tuple[str, ...] | None:
    """Teams by commas and one a line (``#`` begins a remark); None where neither is given."""
    if admit is None and admit_file is None:
        return None
    lines = admit_file.read_text("utf-8").splitlines() if admit_file else []
    named = [each.strip() for each in [*(admit or "").split(","), *lines]]
    return tuple(each for each in named if each and not each.startswith("#"))
