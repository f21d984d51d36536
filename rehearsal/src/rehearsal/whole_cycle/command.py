"""``hurdle demo-cycle``: a whole cycle of a contest with simulated people, every step with the command that does it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

import click

from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import OrganizerError
from local.wording import in_words
from markup_core.speaking import LANGUAGES, language
from rehearsal.final import SOURCES, STARTED_MS
from rehearsal.whole_cycle.outcome import Material, Outcome, ProgramFailedError, Telling
from rehearsal.whole_cycle.play import RequestRefusedError, WholeCycle
from tracks.command import spoken
from tracks.command.console import WholeConsole

_EXPECTED: Final = (OrganizerError, RequestRefusedError, ProgramFailedError)

_NOT_SO: Final = {"en": "not so: ", "ru": "не выполнено: "}


def played(files: int, qualifying: int, seed: int) -> Outcome:
    """Play a cycle whose final has so many files, and so many each of its qualifications, on a cloud of its own."""
    with (
        Telling() as telling,
        tempfile.TemporaryDirectory(prefix="hurdle-demo-cycle-") as home,
        LocalCloud(DEFAULT_TEMPLATE, SOURCES, clock=Clock(STARTED_MS), logs=Logs()) as cloud,
    ):
        return WholeCycle(cloud, Path(home), Material.drawn(seed, files, qualifying), telling).play()


@spoken.command("demo-cycle")
@click.option("--files", default=60, show_default=True, type=click.IntRange(3, 500), help="Files of the final.")
@click.option(
    "--qualifying", default=30, show_default=True, type=click.IntRange(2, 100), help="Files of each qualification."
)
@click.option("--seed", default=1, show_default=True, help="Draws essays, people and programs.")
@click.option("--lang", type=click.Choice(LANGUAGES), default=language, help="The language; the system's without it.")
def demo_cycle(files: int, qualifying: int, seed: int, lang: str) -> None:
    """Play a whole cycle: applications, qualifications, a final, its markup, settlement, publication.

    Exit code 1 when the numbers are not as the simulated people's noise foretells.
    """
    try:
        outcome = played(files, qualifying, seed)
    except _EXPECTED as error:
        raise click.ClickException(in_words(error)) from error
    WholeConsole().print(outcome.table(lang))
    if surprises := outcome.surprises(lang):
        raise click.ClickException(_NOT_SO[lang] + "; ".join(surprises))
