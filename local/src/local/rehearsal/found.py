"""By what each planted bug of a final of essays is found: read from ``found.toml`` beside this."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from local.rehearsal.final import Outcome, rehearse
from local.rehearsal.history import History
from local.rehearsal.play.injections import Fault, faults_named
from local.rehearsal.wanted import Settings

SOURCE: Final = Path(__file__).with_name("found.toml")
SEED: Final = 6
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    """The faults that bring a bug out (words of ``--faults``), the share of the files that have one, the check that
    must name it, and the teams and files of the smallest rehearsal tried in which it does."""

    faults: str
    share: float
    check: str
    at: Size


def bugs() -> dict[str, Found]:
    """Every bug by its name; KeyError for an entry that is not complete."""
    read = tomllib.loads(SOURCE.read_text("utf-8"))
    return {name: Found(each["faults"], each["share"], each["check"], tuple(each["at"])) for name, each in read.items()}


def small(faults: str, share: float, at: Size, bug: str | None = None, seed: int = SEED) -> Outcome:
    """A small rehearsal; one process of each function, unless two have to race."""
    teams, files = at
    named = faults_named(faults)
    workers = 1 + (Fault.DUPLICATES in named)
    settings = Settings(teams=teams, files=files, seed=seed, faults=named, bug=bug, share=share, workers=workers)
    return rehearse(settings, History(), lambda _: None)


def red(outcome: Outcome) -> dict[str, list[str]]:
    """The failed checks with what contradicts them."""
    return {each.name: each.faults for each in outcome.checks if not each.passed}
