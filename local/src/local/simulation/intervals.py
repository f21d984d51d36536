"""Count how often the intervals of a final cover the truth, over many finals of own essays, people and programs.

The truth is the relative accuracy over so many simulated essays that its own error is small beside the intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from math import fsum
from os import cpu_count
from typing import Any, Final, NamedTuple

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.table import Table

from local.simulation.essays import PROGRAMS, Cast, Source, accuracies, rules_of
from local.texts import say
from markup_core.record import score_of
from markup_core.speaking import LANGUAGES, RU, language, number, of_environment, speaking
from tracks.command import spoken
from tracks.command.console import WholeConsole
from tracks.command.progress import HeardProgress

SEEDS: Final = 20
ENOUGH: Final = 17
"""Of twenty intervals of 95 % so many cover the truth, but for bad luck in 1.6 % of all tries (binomial)."""
ESSAYS: Final = 100
TRUE_ESSAYS: Final = 20_000
_TRUTH: Final = 1_000_000
"""The seed of the truth's essays and people: no final has it."""
_PORTION: Final = 500
_IN_RUSSIAN: Final = {"better": "лучшая", "equal": "равная", "worse": "худшая", "empty": "пустая"}
"""Programs by their names, as docs/local.ru.md calls them."""


class Interval(NamedTuple):
    """A relative accuracy in per cent with its 95 % interval."""

    value: float
    least: float
    greatest: float

    def covers(self, value: float) -> bool:
        """Return whether the value lies within."""
        return self.least <= value <= self.greatest


class Sums(NamedTuple):
    """Sums over essays of the algorithm's and the experts' accuracies."""

    algorithm: float
    experts: float


def final(seed: int, essays: int, hardness: float) -> Mapping[str, Interval]:
    """Return each program's relative accuracy in a final of this seed, as the platform computes it."""
    rules, cast = rules_of(hardness), Cast(seed)
    drawn = Source(seed).essays(essays, "final")
    records = [cast.records(essay, rules) for essay in drawn]
    by_program = {}
    for name in PROGRAMS:
        measures = accuracies(drawn, [record_by_program[name] for record_by_program in records], rules, seed)
        by_program[name] = Interval(measures["relative_accuracy"], *measures["interval_95"]["relative_accuracy"])
    return by_program


def portion(numbers: Sequence[int], hardness: float) -> Mapping[str, Sums]:
    """Return the sums over the truth's essays with these numbers, by program."""
    rules, cast, source = rules_of(hardness), Cast(_TRUTH), Source(_TRUTH)
    scores: dict[str, list[Any]] = {name: [] for name in PROGRAMS}
    for place in numbers:
        for name, record in cast.records(source.essay(place, f"true-{place}"), rules).items():
            scores[name].append(score_of(record))
    return {
        name: Sums(fsum(score.algorithm_accuracy for score in those), fsum(score.expert_accuracy for score in those))
        for name, those in scores.items()
    }


def truth(portions: Sequence[Mapping[str, Sums]]) -> Mapping[str, float]:
    """Return each program's relative accuracy in per cent over all portions."""
    return {
        name: fsum(sums[name].algorithm for sums in portions) / fsum(sums[name].experts for sums in portions) * 100
        for name in PROGRAMS
    }


def covered(finals: Sequence[Mapping[str, Interval]], true: Mapping[str, float]) -> Mapping[str, int]:
    """Return how many finals' intervals cover the truth, by program."""
    return {name: sum(of_final[name].covers(true[name]) for of_final in finals) for name in PROGRAMS}


@spoken.command("intervals")
@click.option("--seeds", default=SEEDS, show_default=True, type=click.IntRange(1), help="Finals.")
@click.option("--essays", default=ESSAYS, show_default=True, type=click.IntRange(3), help="Essays of each final.")
@click.option(
    "--true",
    "true_essays",
    default=TRUE_ESSAYS,
    show_default=True,
    type=click.IntRange(_PORTION),
    help="Essays of the truth.",
)
@click.option("--hardness", default=1.0, show_default=True, type=click.FloatRange(0, 1), help="H of R 5.4.")
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default=of_environment, help="The language; the system's without it."
)
def intervals(*, seeds: int, essays: int, true_essays: int, hardness: float, lang: str) -> None:
    """Play finals of simulated essays and count the intervals that cover the truth.

    Exit code 1 when fewer than 17 of 20 do for any program.
    """
    with speaking(lang), ProcessPoolExecutor(cpu_count()) as pool:
        starts = range(0, true_essays, _PORTION)
        numbers = [range(start, min(start + _PORTION, true_essays)) for start in starts]
        console = Console(stderr=True)
        portions = pool.map(portion, numbers, [hardness] * len(numbers))
        true = truth(list(_followed(portions, len(numbers), say("the truth"), console)))
        played = pool.map(final, range(1, seeds + 1), [essays] * seeds, [hardness] * seeds)
        finals = list(_followed(played, seeds, say("the finals"), console))
        hits = covered(finals, true)
        WholeConsole().print(_table(finals, true, hits))
    if min(hits.values()) < seeds * ENOUGH / SEEDS:
        raise SystemExit(1)


def _followed(results: Iterator[Any], total: int, what: str, console: Console) -> Iterator[Any]:
    """Pass results on, and report how many have come."""
    with HeardProgress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console
    ) as progress:
        yield from progress.track(results, total, description=what)


def _table(finals: Sequence[Mapping[str, Interval]], true: Mapping[str, float], hits: Mapping[str, int]) -> Table:
    table = Table(
        say("program"),
        say("noise"),
        say("truth, %"),
        say("finals from"),
        say("to"),
        say("cover the truth"),
    )
    for name, noise in PROGRAMS.items():
        values = [of_final[name].value for of_final in finals]
        numbers = (true[name], min(values), max(values))
        coverage = say("{hits} of {finals}", hits=hits[name], finals=len(finals))
        table.add_row(
            _IN_RUSSIAN[name] if language() == RU else name,
            number(noise, 2),
            *(number(value, 2) for value in numbers),
            coverage,
        )
    return table
