"""A cycle's folder, its participants' programs, its progress on the screen, and its outcome.

:class:`Material` is the folder of a cycle of simulated essays, as ``contest cycle load`` reads it. :class:`Arena` runs
the participants' programs: the kit's own runner with a simulated solver each, all on the cycle's flying clock.
:class:`Telling` reports the cycle while it is played: a line for every step, and a sign of life between them.
:func:`outcome` holds the published numbers against the library's own, and against the values known beforehand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, Final, Self

import click
from rich.table import Table

from local.contest_folders import FOLDER
from local.simulation import (
    EXPERTS_NOISE,
    PROGRAMS,
    Cast,
    Essay,
    Marker,
    Source,
    accuracies,
    explained,
    rules_of,
)
from markup_core.tables import percent
from pku.work.solvers import FunctionSolver
from rehearsal.moments import Millis, to_text
from rehearsal.play.cycles import FINAL, KINDS, RESERVE, TEST, TRAIN, write_json, write_sets
from rehearsal.texts import say, tr, tr_in
from tracks import registry
from tracks.command.console import waiting

Json = Any
_MARKED: Final = (TRAIN, TEST)
"""Sets whose experts' markups are there from the beginning; a final has none while it runs (R 7.3)."""
_RESERVE_FILES: Final = 5


@dataclass(frozen=True, slots=True)
class Material:
    """The cycle's essays by set, and their annotators."""

    sets: Mapping[str, tuple[Essay, ...]]
    cast: Cast

    @classmethod
    def drawn(cls, seed: int, files: int, qualifying: int) -> Material:
        """Draw a cycle whose final has so many files, and so many each of its qualifications."""
        sizes = {TRAIN: qualifying, TEST: qualifying, FINAL: files, RESERVE: _RESERVE_FILES}
        source, first, sets = Source(seed), 1, {}
        for name, size in sizes.items():
            sets[name] = tuple(source.essay(first + place, f"{name}-{place + 1:04d}") for place in range(size))
            first += size
        return cls(sets, Cast(seed))

    def by_text(self) -> Mapping[str, Essay]:
        """Return every essay by its text, the only thing of it that everybody is given."""
        return {essay.text: essay for essays in self.sets.values() for essay in essays}


def write(folder: Path, material: Material, parameters: Mapping[str, Json]) -> None:
    """Write ``cycle.json`` and a folder for each set."""
    head = json.loads((FOLDER / "cycle.json").read_text("utf-8"))
    sets = {name: {"folder": name, "kind": kind} for name, kind in KINDS.items()}
    folder.mkdir(parents=True)
    head.pop("$schema")
    write_json(folder / "cycle.json", {**head, "parameters": dict(parameters), "sets": sets})
    write_sets(folder, {name: _files(name, essays, material.cast) for name, essays in material.sets.items()})


def _files(name: str, essays: Sequence[Essay], cast: Cast) -> Iterator[tuple[str, Json]]:
    for essay in essays:
        item_id = essay.item["meta"]["id"]
        yield f"{item_id}.json", essay.item
        for number, expert in enumerate(cast.experts() if name in _MARKED else (), start=1):
            yield f"{item_id}_exp{number:02d}.json", expert.markup(essay.item, essay)


BARRIER: Final = 100.0
_TRACK: Any = registry.get("essay")
_STRICT_RULES: Final = rules_of(1.0)
_LAX_RULES: Final = rules_of(0.0)
_AS_PUBLISHED: Final = 1e-9
_WHY_LAX_IS_HIGHER: Final = tr(
    "At H = 0 a program is held against the expert it agrees with best, and the experts against "
    "the pair that agrees least, so every number is higher."
)
_HEADINGS: Final = (tr("program"), tr("noise"), tr("two experts"), tr("95 % interval"))
_PROGRAMS: Final = {
    "equal": tr_in("outcome", "equal"),
    "better": tr("better"),
    "worse": tr("worse"),
    "empty": tr("empty"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A program's relative accuracies in per cent, with 95 % intervals where there are any."""

    program: str
    noise: float
    two_experts: float
    interval: tuple[float, float]
    published: float
    computed: float
    lax: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """All programs' rows, and of how many essays a third expert was asked."""

    rows: tuple[Row, ...]
    essays: int
    thirds: int

    def surprises(self, language: str = "en") -> Sequence[str]:
        """Return the results that contradict the noises, in a language; empty when the numbers make sense."""
        by_name = {row.program: row for row in self.rows}
        equal, better, worse = (by_name[name] for name in ("equal", "better", "worse"))
        least, greatest = equal.interval
        expected = {
            tr("the program with the experts' own noise is near {barrier:g} %", barrier=BARRIER): least
            <= BARRIER
            <= greatest,
            tr("a better program is above the barrier"): better.two_experts > BARRIER,
            tr("a worse one is below it"): worse.two_experts < BARRIER,
            tr("the empty one is at the bottom"): min(self.rows, key=lambda row: row.published).program == "empty",
            tr("the published numbers are the library's over the same markups"): all(
                isclose(row.published, row.computed, abs_tol=_AS_PUBLISHED) for row in self.rows
            ),
            tr("at H = 0 every number is higher"): all(row.lax >= row.two_experts for row in self.rows),
        }
        return [getattr(what, language) for what, holds in expected.items() if not holds]

    def table(self, language: str = "en") -> Table:
        """Return the rows as a table for people, in a language."""
        published = tr("published ({thirds} thirds)", thirds=self.thirds)
        table = Table(*(getattr(heading, language) for heading in (*_HEADINGS, published)), "H = 0")
        for row in self.rows:
            numbers = (row.two_experts, row.published, row.lax)
            first, last, lax = (percent(number, language) for number in numbers)
            interval = " … ".join(percent(end, language) for end in row.interval)
            name = getattr(_PROGRAMS[row.program], language) if row.program in _PROGRAMS else row.program
            table.add_row(name, percent(row.noise, language), first, interval, last, lax)
        table.caption = getattr(_WHY_LAX_IS_HIGHER, language)
        return table


def outcome(board: Json, marking: Json, material: Material, names: Mapping[str, str], rules: Json) -> Outcome:
    """Hold a published board against the library: ``names`` of experts by their ids, ``rules`` of the final."""
    essays, seed = material.sets[FINAL], material.cast.seed
    published = {row["team_id"]: row["result"]["relative_accuracy"] for row in board["rows"]}
    markers = _markers(marking, names, seed)

    def measured(program: Marker, rules: Json, most: int | None, *, explains: bool = False) -> Json:
        """Return the measures of a program against so many experts of each essay, all of them or those asked first;
        with explanations each is rated with five times yes by two."""
        records = []
        for essay in essays:
            references = [marker.markup(essay.item, essay) for marker in markers[essay.item["meta"]["id"]][:most]]
            if explains:
                answer = {**essay.item, "selections": explained(program.fragments(essay))}
                ratings = {str(fragment["id"]): [[True] * 5] * 2 for fragment in answer["selections"]}
                records.append(_TRACK.score_rated(essay.item, answer, references, ratings, rules))
            else:  # as if nobody had asked a third expert
                records.append(_TRACK.score(essay.item, program.markup(essay.item, essay), references, rules))
        return accuracies(essays, records, rules, seed)

    rows = []
    for name, noise in PROGRAMS.items():
        program = material.cast.program(name)
        strict, lax = (measured(program, hardness_rules, 2) for hardness_rules in (_STRICT_RULES, _LAX_RULES))
        whole = measured(program, rules, None, explains=True)
        low, high = strict["interval_95"]["relative_accuracy"]
        values = (strict["relative_accuracy"], (low, high), published[name], whole["relative_accuracy"])
        rows.append(Row(name, noise, *values, lax["relative_accuracy"]))
    thirds = sum(len(experts) > 2 for experts in markers.values())
    return Outcome(tuple(rows), len(essays), thirds)


def _markers(marking: Json, names: Mapping[str, str], seed: int) -> Mapping[str, Sequence[Marker]]:
    """Return the annotators of each essay, in the order in which they were asked."""
    return {
        essay["item_id"]: [
            Marker(f"{seed} expert {names[assignment['expert_id']]}", EXPERTS_NOISE)
            for assignment in essay["assignments"]
            if assignment["markup"] is not None
        ]
        for essay in marking["essays"]
    }


_TO_SECONDS = len("2026-11-21T12:00:00")


class Telling:
    """The progress report: while entered, it prints the present act and the cycle's time every five seconds to stderr.

    ``pause``: see :class:`tracks.command.console.HeardProgress`.
    """

    def __init__(self, pause: Callable[[float], bool] | None = None) -> None:
        self._act = say("The local cloud starts")
        self._wait = waiting(f"{self._act} …", pause=pause)
        [self._task] = self._wait.task_ids

    def __enter__(self) -> Self:
        self._wait.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wait.stop()

    def act(self, title: str) -> None:
        self._act = title
        self._wait.update(self._task, description=f"{title} …")
        show(f"\n— {title}")

    def moment(self, now: Millis) -> None:
        self._wait.update(self._task, description=f"{self._act} … {to_text(now)[:_TO_SECONDS]}")


def show(line: str) -> None:
    """Print a step, as it would be typed, or its outcome."""
    click.echo(line)


class ProgramFailedError(Exception):
    """A program failed; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Team:
    """A team with its program."""

    name: str
    token: str
    marker: Marker

    def solver(self, essays: Mapping[str, Essay], *, explains: bool) -> FunctionSolver:
        """Return the program's solver; essays are recognised by their text."""

        def answer(content: Json) -> Json:
            fragments = self.marker.fragments(essays[content["text"]])
            return {**content, "selections": explained(fragments) if explains else fragments}

        return FunctionSolver(answer)
