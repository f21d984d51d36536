"""What came of a cycle: the published numbers, held against the library's own, and what was known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Final

from rich.table import Table

from local.simulation.essays import Essay
from local.simulation.noise import Marker, explained
from local.simulation.programs import EXPERTS_NOISE, PROGRAMS, accuracies, rules_of
from local.whole_cycle.folder import FINAL, Material
from markup_core.tables import percent
from tracks import registry
from tracks.protocol import Text

Json = Any
BARRIER: Final = 100.0
_TRACK: Any = registry.get("essay")
_STRICT_RULES: Final = rules_of(1.0)
_LAX_RULES: Final = rules_of(0.0)
_AS_PUBLISHED: Final = 1e-9
_WHY_LAX_IS_HIGHER: Final = Text(
    en="At H = 0 a program is held against the expert it agrees with best, and the experts against the pair that "
    "agrees least, so every number is higher.",
    ru="При H = 0 программа сравнивается с ближайшим к ней экспертом, а эксперты — по худшему их согласию, поэтому "
    "все числа выше.",
)
_HEADINGS: Final = (
    Text(en="program", ru="программа"),
    Text(en="noise", ru="шум"),
    Text(en="two experts", ru="два эксперта"),
    Text(en="95 % interval", ru="интервал 95 %"),
)
_PROGRAMS: Final = {
    "equal": Text(en="equal", ru="наравне"),
    "better": Text(en="better", ru="лучше"),
    "worse": Text(en="worse", ru="хуже"),
    "empty": Text(en="empty", ru="пустая"),
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
        """What is not as the noises foretell, in a language; empty when the numbers make sense."""
        by_name = {each.program: each for each in self.rows}
        equal, better, worse = (by_name[name] for name in ("equal", "better", "worse"))
        least, greatest = equal.interval
        expected = {
            Text(
                en=f"the program with the experts' own noise is near {BARRIER:g} %",
                ru=f"программа с шумом экспертов близка к {BARRIER:g} %",
            ): least <= BARRIER <= greatest,
            Text(
                en="a better program is above the barrier", ru="программа лучше экспертов выше барьера"
            ): better.two_experts > BARRIER,
            Text(en="a worse one is below it", ru="программа хуже экспертов ниже барьера"): worse.two_experts < BARRIER,
            Text(en="the empty one is at the bottom", ru="пустая программа на последнем месте"): min(
                self.rows, key=lambda row: row.published
            ).program
            == "empty",
            Text(
                en="the published numbers are the library's over the same markups",
                ru="опубликованные числа совпадают с числами библиотеки по тем же разметкам",
            ): all(isclose(each.published, each.computed, abs_tol=_AS_PUBLISHED) for each in self.rows),
            Text(en="at H = 0 every number is higher", ru="при H = 0 все числа выше"): all(
                each.lax >= each.two_experts for each in self.rows
            ),
        }
        return [getattr(what, language) for what, holds in expected.items() if not holds]

    def table(self, language: str = "en") -> Table:
        """For people, in a language."""
        published = Text(
            en=f"published ({self.thirds} thirds)", ru=f"опубликовано (с третьим экспертом: {self.thirds})"
        )
        table = Table(*(getattr(each, language) for each in (*_HEADINGS, published)), "H = 0")
        for each in self.rows:
            numbers = (each.two_experts, each.published, each.lax)
            first, last, lax = (percent(number, language) for number in numbers)
            interval = " … ".join(percent(end, language) for end in each.interval)
            name = getattr(_PROGRAMS[each.program], language) if each.program in _PROGRAMS else each.program
            table.add_row(name, percent(each.noise, language), first, interval, last, lax)
        table.caption = getattr(_WHY_LAX_IS_HIGHER, language)
        return table


def outcome(board: Json, marking: Json, material: Material, names: Mapping[str, str], rules: Json) -> Outcome:
    """Hold a published board against the library: ``names`` of experts by their ids, ``rules`` of the final."""
    essays, seed = material.sets[FINAL], material.cast.seed
    published = {row["team_id"]: row["result"]["relative_accuracy"] for row in board["rows"]}
    markers = _markers(marking, names, seed)
    rows = []
    for name, noise in PROGRAMS.items():
        program = material.cast.program(name)
        strict, lax = (
            _measured(essays, _against_two(program, markers, each), each, seed) for each in (_STRICT_RULES, _LAX_RULES)
        )
        whole = _measured(essays, _as_held(program, markers, rules), rules, seed)
        low, high = strict["interval_95"]["relative_accuracy"]
        values = (strict["relative_accuracy"], (low, high), published[name], whole["relative_accuracy"])
        rows.append(Row(name, noise, *values, lax["relative_accuracy"]))
    thirds = sum(len(each) > 2 for each in markers.values())
    return Outcome(tuple(rows), len(essays), thirds)


def _markers(marking: Json, names: Mapping[str, str], seed: int) -> Mapping[str, Sequence[Marker]]:
    """Who marked up which essay, in the order in which they were asked."""
    return {
        essay["item_id"]: [
            Marker(f"{seed} expert {names[each['expert_id']]}", EXPERTS_NOISE)
            for each in essay["assignments"]
            if each["markup"] is not None
        ]
        for essay in marking["essays"]
    }


def _measured(essays: Sequence[Essay], record: Callable[[Essay], Json], rules: Json, seed: int) -> Json:
    return accuracies(essays, [record(each) for each in essays], rules, seed)


def _against_two(program: Marker, markers: Mapping[str, Sequence[Marker]], rules: Json) -> Callable[[Essay], Json]:
    """Scores of a program without explanations, as if nobody had asked a third expert."""

    def record(essay: Essay) -> Json:
        references = [each.markup(essay.item, essay) for each in markers[_id(essay)][:2]]
        return _TRACK.score(essay.item, program.markup(essay.item, essay), references, rules)

    return record


def _as_held(program: Marker, markers: Mapping[str, Sequence[Marker]], rules: Json) -> Callable[[Essay], Json]:
    """Scores as the final made them: against all experts, each explanation rated with five times yes by two."""

    def record(essay: Essay) -> Json:
        references = [each.markup(essay.item, essay) for each in markers[_id(essay)]]
        answer = {**essay.item, "selections": explained(program.fragments(essay))}
        ratings = {str(each["id"]): [[True] * 5] * 2 for each in answer["selections"]}
        return _TRACK.score_rated(essay.item, answer, references, ratings, rules)

    return record


def _id(essay: Essay) -> str:
    return str(essay.item["meta"]["id"])
