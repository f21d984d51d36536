"""Somebody who marks up simulated essays: a person or a program whose only quality is the size of its noise."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from local.simulation.essays import Essay
from markup_core.reading.classifier import Classifier

Json = Any
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
        """What this marker marks in an essay, as selections of a markup."""
        chance = random.Random(f"{self.name} {essay.text}")  # noqa: S311 - a reproducible marker, no secret
        found = []
        for true in essay.truth:
            if chance.random() >= self.noise:
                found.append(self._seen(true, essay, chance))
                if chance.random() < self.noise and _has_place(true):
                    found.append(_invented(true, essay, chance))
        return [{**each, "id": number} for number, each in enumerate(found, start=1)]

    def markup(self, content: Mapping[str, Json], essay: Essay) -> dict[str, Json]:
        """The markup of an essay as it was given to this marker."""
        return {**content, "selections": self.fragments(essay)}

    def _seen(self, true: Mapping[str, Json], essay: Essay, chance: random.Random) -> dict[str, Json]:
        seen = {**true, **_UNSAID}
        if not _has_place(true):
            return seen  # a remark on the whole text has no ends, and few codes may be one
        if chance.random() < self.noise:
            seen |= {"type": chance.choice(_codes(essay.subject, str(true["group"]))), "subtype": ""}
        if chance.random() < self.noise and true["startSelection"] + 2 * _SHIFT < true["endSelection"]:
            seen["startSelection"] = true["startSelection"] + chance.randint(1, _SHIFT)
            seen["endSelection"] = true["endSelection"] - chance.randint(0, _SHIFT)
        return seen


def explained(fragments: Sequence[Json]) -> list[Json]:
    """The same fragments, each with an explanation."""
    return [{**each, "explanation": f"{each['type']}: so the classifier says"} for each in fragments]


def _has_place(fragment: Mapping[str, Json]) -> bool:
    return bool(fragment["startSelection"] < fragment["endSelection"])


def _invented(model: Mapping[str, Json], essay: Essay, chance: random.Random) -> dict[str, Json]:
    """A fragment that is true of nothing, of the group and as long as a true one."""
    length = model["endSelection"] - model["startSelection"]
    start = chance.randint(0, len(essay.text) - length)
    code = chance.choice(_codes(essay.subject, str(model["group"])))
    return {**model, **_UNSAID, "startSelection": start, "endSelection": start + length, "type": code, "subtype": ""}


@lru_cache
def _codes(subject: str, group: str) -> Sequence[str]:
    """The codes of a subject's group."""
    classifier = Classifier.default()
    return [each.code for each in classifier.codes(subject) if each.group == group]
