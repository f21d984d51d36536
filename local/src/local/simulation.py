"""Simulated essays with a known true markup, simulated annotators, and finals whose intervals may cover the truth.

An essay is one of the demonstration's with a number as its last line, so that no two texts are equal. Its true markup
is a part, drawn by its number, of the markup by the demonstration's experts; so everybody's noise can be told from it.

A :class:`Marker` is a person or a program whose only quality is the size of its noise. A :class:`Cast` is two experts
of one noise, a third one, and programs beside them.

``hurdle intervals`` plays many finals of own essays, people and programs. The truth is the relative accuracy over so
many simulated essays that its own error is small beside the intervals.

``python -m local.simulation`` measures how far a day's sessions can climb by what a hidden set's scores reveal (0028).
A program that knows nothing of the references goes by the whole per cents of each file. It tiles each text at first. In
each session it changes every file a little (one fragment more, one less, another code, another end) and keeps the
change where the told relative accuracy, or at the same the sum of the told metrics, has risen. Codes are those of the
training set, which everybody has. Chance is seeded, so that the figures are the same wherever they are made.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from os import cpu_count
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.table import Table

from local.environment import FOLDER
from local.texts import say
from markup_core.accuracy import score_of
from markup_core.reading.classifier import Classifier
from markup_core.texts import LANGUAGES, RU, language, number, of_environment, speaking
from tracks import registry
from tracks.command import spoken
from tracks.command.console import HeardProgress, WholeConsole
from tracks.protocol import Outcome

Json = Any
_TRUE_SHARE: Final = 0.8
"""Probability that a source's fragment is true in an essay made of it; the draw makes essays of one source differ."""


@dataclass(frozen=True, slots=True)
class Essay:
    """An essay without fragments and its true fragments."""

    item: Mapping[str, Json]
    truth: tuple[Mapping[str, Json], ...]

    @property
    def text(self) -> str:
        """Return the essay's text, by which people and programs recognise it."""
        return str(self.item["text"])

    @property
    def subject(self) -> str:
        """Return the type of the essay."""
        return str(self.item["meta"]["subject"])


class Source:
    """Draws essays; the same ``seed`` and number draw the same one."""

    def __init__(self, seed: int, folder: Path = FOLDER) -> None:
        self._seed = seed
        self._known = tuple(_known(folder))

    def essay(self, number: int, name: str) -> Essay:
        """Return essay ``number`` of this seed, called ``name``."""
        chance = random.Random(f"essay {self._seed} {number}")  # noqa: S311 - a reproducible essay, no secret
        item, marked = chance.choice(self._known)
        truth = tuple(fragment for fragment in marked if chance.random() < _TRUE_SHARE)
        meta = {**item["meta"], "id": name, "name": f"{name}.txt"}
        text = f"{item['text']}\n({self._seed}-{number})"
        return Essay({**item, "meta": meta, "text": text}, truth or marked[:1])

    def essays(self, count: int, name: str) -> tuple[Essay, ...]:
        """Return the first ``count`` essays, named ``name-0001`` and so on."""
        return tuple(self.essay(number, f"{name}-{number:04d}") for number in range(1, count + 1))


def _known(folder: Path) -> Sequence[tuple[Json, Json]]:
    essays = []
    for path in sorted(folder.glob("*/*_exp01.json")):
        item = _read(path.with_name(path.name.replace("_exp01", "")))
        essays.append((item, _read(path)["selections"]))
    return essays


def _read(path: Path) -> Json:
    return json.loads(path.read_text("utf-8"))


_SHIFT: Final = 12
"""Characters by which an end of a fragment moves at most."""

_UNSAID: Final = {"comment": "", "explanation": "", "correction": "", "tag": ""}


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks up the truth with noise; ``name`` and the essay's text draw it, so markers are independent of each other.

    Of the true fragments the share ``noise`` is overlooked. Of the others this share gets a code drawn anew from their
    group, this share moved ends, and beside this share of them stands a fragment that is true of nothing. With noise 1
    nothing is marked at all.
    """

    name: str
    noise: float

    def fragments(self, essay: Essay) -> list[Json]:
        """Return this marker's fragments of an essay, as selections of a markup."""
        chance = random.Random(f"{self.name} {essay.text}")  # noqa: S311 - a reproducible marker, no secret
        fragments = []
        for true in essay.truth:
            if chance.random() >= self.noise:
                fragments.append(self._seen(true, essay, chance))
                if chance.random() < self.noise and _has_place(true):
                    # A fragment that is true of nothing, of the group and as long as a true one.
                    length = true["endSelection"] - true["startSelection"]
                    start = chance.randint(0, len(essay.text) - length)
                    code = chance.choice(_codes(essay.subject, str(true["group"])))
                    fragments.append(
                        {
                            **true,
                            **_UNSAID,
                            "startSelection": start,
                            "endSelection": start + length,
                            "type": code,
                            "subtype": "",
                        }
                    )
        return [{**fragment, "id": number} for number, fragment in enumerate(fragments, start=1)]

    def markup(self, content: Mapping[str, Json], essay: Essay) -> dict[str, Json]:
        """Return the markup of an essay as it was given to this marker."""
        return {**content, "selections": self.fragments(essay)}

    def _seen(self, true: Mapping[str, Json], essay: Essay, chance: random.Random) -> dict[str, Json]:
        fragment = {**true, **_UNSAID}
        if not _has_place(true):
            return fragment  # a remark on the whole text has no ends, and few codes may be one
        if chance.random() < self.noise:
            fragment |= {"type": chance.choice(_codes(essay.subject, str(true["group"]))), "subtype": ""}
        if chance.random() < self.noise and true["startSelection"] + 2 * _SHIFT < true["endSelection"]:
            fragment["startSelection"] = true["startSelection"] + chance.randint(1, _SHIFT)
            fragment["endSelection"] = true["endSelection"] - chance.randint(0, _SHIFT)
        return fragment


def explained(fragments: Sequence[Json]) -> list[Json]:
    """Return the same fragments, each with an explanation."""
    return [{**fragment, "explanation": f"{fragment['type']}: so the classifier says"} for fragment in fragments]


def _has_place(fragment: Mapping[str, Json]) -> bool:
    return bool(fragment["startSelection"] < fragment["endSelection"])


@lru_cache
def _codes(subject: str, group: str) -> Sequence[str]:
    """Return the codes of a subject's group."""
    classifier = Classifier.default()
    return [code.code for code in classifier.codes(subject) if code.group == group]


EXPERTS_NOISE: Final = 0.25
PROGRAMS: Final[Mapping[str, float]] = {"better": 0.1, "equal": EXPERTS_NOISE, "worse": 0.45, "empty": 1.0}
"""Noise by a program's name; ``equal`` has the experts' own, ``empty`` answers with markups without fragments."""
_TRACK: Final = registry.get("essay")


@dataclass(frozen=True, slots=True)
class Cast:
    """All annotators of one seed; people and programs of different seeds, and of one, are independent of each other."""

    seed: int

    def experts(self) -> tuple[Marker, Marker]:
        """Return both experts, each an independent draw of the same noise."""
        first, second = (Marker(f"{self.seed} expert {number}", EXPERTS_NOISE) for number in (1, 2))
        return first, second

    def program(self, name: str) -> Marker:
        """Return a program by its name."""
        return Marker(f"{self.seed} program {name}", PROGRAMS[name])

    def records(self, essay: Essay, rules: Any) -> dict[str, Json]:
        """Return the score record of each program's answer against both experts, as the platform makes it."""
        references = [expert.markup(essay.item, essay) for expert in self.experts()]
        return {
            name: _TRACK.score(essay.item, self.program(name).markup(essay.item, essay), references, rules)
            for name in PROGRAMS
        }


def rules_of(hardness: float, **more: Json) -> Any:
    """Return the essay track's usual rules at this hardness (R 5.4), with other parameters."""
    rules, faults = _TRACK.read_parameters({"hardness": hardness, **more})
    if faults:
        raise ValueError(str(faults))
    return rules


def accuracies(essays: Sequence[Essay], records: Sequence[Json], rules: Any, seed: int) -> Json:
    """Return STAR, STER and OTAR with their intervals, as the platform aggregates a session's records."""
    outcomes = []
    for essay, record in zip(essays, records, strict=True):
        facts, faults = _TRACK.read_item(essay.item, rules)
        if facts is None:
            raise ValueError(str(faults))
        outcomes.append(Outcome(facts, answered=True, score=record))
    return _TRACK.aggregate(outcomes, rules, seed)


SEEDS: Final = 20
ENOUGH: Final = 17
"""Least number of twenty 95 % intervals that must cover the truth; chance alone fails it in 1.6 % (binomial)."""
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


SESSIONS: Final = (1, 5, 10, 20, 40)
"""Numbers of sessions whose figures ``contest check`` tells; a contest of essays allows twenty a day."""
_SEED: Final = 28
_TILE: Final = 12
"""Number of words in a fragment at the start."""
_MOVED: Final = 3


@dataclass(slots=True)
class _Essay:
    """An essay of the hidden set, its best answer so far, and the values that the team saw of that."""

    essay: Json
    experts: Sequence[Json]
    codes: Sequence[Json]
    words: Sequence[tuple[int, int]]
    best: list[Json]
    values: tuple[float, float] = (-1.0, -1.0)
    exact: float = 0.0


def climbed(sessions: int) -> Mapping[int, float]:
    """Return the mean relative accuracy of the best answers after each session, to a tenth of a per cent."""
    track: Any = registry.get("essay")
    head = _read(FOLDER / "cycle.json")
    parameters, _ = track.read_parameters({"classifier": "default", "languages": head["languages"]})
    chance = random.Random(_SEED)  # noqa: S311 - reproducible, no secret
    essays = list(_essays(FOLDER))
    accuracy = {}
    for session in range(1, sessions + 1):
        for essay in essays:
            tried = essay.best if session == 1 else _changed(essay, chance)
            score = track.score(essay.essay, {**essay.essay, "selections": tried}, essay.experts, parameters)
            measures = track.measures(score)
            # The program climbs by the values alone that its team sees of a hidden file.
            values = measures["relative_accuracy"] or 0.0, sum(metric or 0.0 for metric in measures["metrics"].values())
            if values > essay.values:
                essay.best, essay.values, essay.exact = tried, values, score["relative_accuracy"] or 0.0
        accuracy[session] = round(sum(essay.exact for essay in essays) / len(essays), 1)
    return accuracy


def _changed(essay: _Essay, chance: random.Random) -> list[Json]:
    """Return the best answer with one change."""
    fragments = list(essay.best)
    way = chance.choice(("more", "less", "code", "end"))
    place = chance.randrange(len(fragments)) if fragments else 0
    if way == "more" or not fragments:
        first = chance.randrange(len(essay.words))
        fragments.append(_fragment(essay, first, chance.choice((1, 2, 4, 8, 16)), chance.choice(essay.codes)))
    elif way == "less":
        del fragments[place]
    elif way == "code":
        where = {name: fragments[place][name] for name in ("id", "startSelection", "endSelection")}
        fragments[place] = {**chance.choice(essay.codes), **where}
    else:
        first = next(at for at, (_, end) in enumerate(essay.words) if end > fragments[place]["startSelection"])
        first = max(0, min(len(essay.words) - 1, first + chance.randint(-_MOVED, _MOVED)))
        fragments[place] = _fragment(essay, first, chance.choice((1, 2, 4, 8, 16)), fragments[place])
    return [{**fragment, "id": number} for number, fragment in enumerate(fragments, start=1)]


def _fragment(essay: _Essay, first: int, words: int, code: Json) -> Json:
    last = min(first + words, len(essay.words)) - 1
    return {**code, "startSelection": essay.words[first][0], "endSelection": essay.words[last][1]}


def _essays(folder: Path) -> Sequence[_Essay]:
    codes: dict[str, list[Json]] = {}
    for path in sorted((folder / "train").glob("*_exp01.json")):
        markup = _read(path)
        plain = [{**fragment, "comment": "", "explanation": "", "correction": ""} for fragment in markup["selections"]]
        codes.setdefault(markup["meta"]["subject"], []).extend(plain)
    essays = []
    for path in sorted((folder / "test").glob("*_exp01.json")):
        stem = path.name.removesuffix("_exp01.json")
        essay = _read(path.with_name(f"{stem}.json"))
        experts = [_read(markup_path) for markup_path in sorted(path.parent.glob(f"{stem}_exp??.json"))]
        own = codes.get(essay["meta"]["subject"]) or [fragment for some in codes.values() for fragment in some]
        words = [(word.start(), word.end()) for word in re.finditer(r"\S+", essay["text"])]
        new = _Essay(essay, experts, own, words, [])
        places = range(0, len(words), _TILE)
        new.best = [{**_fragment(new, at, _TILE, own[0]), "id": number} for number, at in enumerate(places, start=1)]
        essays.append(new)
    return essays


if __name__ == "__main__":
    after = climbed(max(SESSIONS))
    print("OTAR after so many sessions:", {number: after[number] for number in SESSIONS})
