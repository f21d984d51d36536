"""Simulated essays with a known true markup, simulated annotators, and the cast of a simulated contest.

An essay is one of the demonstration's with a number as its last line, so that no two texts are equal. Its true markup
is a part, drawn by its number, of the markup by the demonstration's experts; so everybody's noise can be told from it.

A :class:`Marker` is a person or a program whose only quality is the size of its noise. A :class:`Cast` is two experts
of one noise, a third one, and programs beside them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from local.contest_folders import FOLDER
from markup_core.reading.classifier import Classifier
from tracks import registry
from tracks.protocol import Outcome

Json = Any
_TRUE_SHARE: Final = 0.8
"""Of a source's fragments so many are true of an essay made of it; the draw makes essays of one source differ."""


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
