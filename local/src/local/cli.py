"""The command `hurdle`: runs the local cloud, and plays contests on it."""

from __future__ import annotations

from typing import ClassVar

import click

from local.texts import CATALOGUE
from tracks.command import spoken


class _Hurdle(spoken.LazyGroup):
    """The commands: each module loads a cloud, or the players of a contest."""

    catalogue = CATALOGUE
    lazy: ClassVar = {
        "demo": "local.commands:demo",
        "demo-cycle": "rehearsal.whole_cycle.play:demo_cycle",
        "intervals": "local.simulation.intervals:intervals",
        "rehearse": "rehearsal.command:rehearse",
        "trial": "local.commands:trial",
        "up": "local.commands:up",
    }


@click.group(cls=_Hurdle)
@click.version_option(package_name="hurdle-local", prog_name="hurdle", message="%(prog)s %(version)s")
@spoken.choice
def main() -> None:
    """Run the real functions on this machine, without an AWS account."""


if __name__ == "__main__":
    main()
