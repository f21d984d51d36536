"""``python -m local.climbing``: how far a day's sessions can climb by what a hidden set's scores reveal (0028).

A program that knows nothing of the references goes by the whole per cents of each file.

It tiles each text at first. In each session it changes every file a little (one fragment more, one less, another code,
another end) and keeps the change where the told relative accuracy, or at the same the sum of the told metrics, has
risen. Codes are those of the training set, which everybody has. Chance is seeded, so that the figures are the same
wherever they are made.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from local import demonstration
from tracks import registry

Json = Any
SESSIONS: Final = (1, 5, 10, 20, 40)
"""Numbers of sessions whose figures ``contest check`` tells; a contest of essays allows twenty a day."""
_SEED: Final = 28
_TILE: Final = 12
"""Words of a fragment at first."""
_MOVED: Final = 3


@dataclass(slots=True)
class _Essay:
    """An essay of the hidden set, what was best of it so far, and what was told of that."""

    essay: Json
    experts: Sequence[Json]
    codes: Sequence[Json]
    words: Sequence[tuple[int, int]]
    best: list[Json]
    told: tuple[float, float] = (-1.0, -1.0)
    exact: float = 0.0


def climbed(sessions: int) -> Mapping[int, float]:
    """Return the mean relative accuracy of the best answers after each session, to a tenth of a per cent."""
    track: Any = registry.get("essay")
    head = _read(demonstration.FOLDER / "cycle.json")
    parameters, _ = track.read_parameters({"classifier": "default", "languages": head["languages"]})
    chance = random.Random(_SEED)  # noqa: S311 - reproducible, no secret
    essays = list(_essays(demonstration.FOLDER))
    found = {}
    for number in range(1, sessions + 1):
        for each in essays:
            tried = each.best if number == 1 else _changed(each, chance)
            score = track.score(each.essay, {**each.essay, "selections": tried}, each.experts, parameters)
            told = _told(track.measures(score))
            if told > each.told:
                each.best, each.told, each.exact = tried, told, score["relative_accuracy"] or 0.0
        found[number] = round(sum(each.exact for each in essays) / len(essays), 1)
    return found


def _told(measures: Json) -> tuple[float, float]:
    """Return the values that are told of a hidden file: the program climbs by these alone."""
    return measures["relative_accuracy"] or 0.0, sum(each or 0.0 for each in measures["metrics"].values())


def _changed(each: _Essay, chance: random.Random) -> list[Json]:
    """Return the best answer with one change."""
    kept = list(each.best)
    way = chance.choice(("more", "less", "code", "end"))
    place = chance.randrange(len(kept)) if kept else 0
    if way == "more" or not kept:
        first = chance.randrange(len(each.words))
        kept.append(_fragment(each, first, chance.choice((1, 2, 4, 8, 16)), chance.choice(each.codes)))
    elif way == "less":
        del kept[place]
    elif way == "code":
        kept[place] = {**chance.choice(each.codes), **_where(kept[place])}
    else:
        first = next(at for at, (_, end) in enumerate(each.words) if end > kept[place]["startSelection"])
        first = max(0, min(len(each.words) - 1, first + chance.randint(-_MOVED, _MOVED)))
        kept[place] = _fragment(each, first, chance.choice((1, 2, 4, 8, 16)), kept[place])
    return [{**fragment, "id": number} for number, fragment in enumerate(kept, start=1)]


def _fragment(each: _Essay, first: int, words: int, code: Json) -> Json:
    last = min(first + words, len(each.words)) - 1
    return {**code, "startSelection": each.words[first][0], "endSelection": each.words[last][1]}


def _where(fragment: Json) -> Json:
    return {name: fragment[name] for name in ("id", "startSelection", "endSelection")}


def _essays(folder: Path) -> Sequence[_Essay]:
    codes: dict[str, list[Json]] = {}
    for path in sorted((folder / "train").glob("*_exp01.json")):
        markup = _read(path)
        plain = [{**each, "comment": "", "explanation": "", "correction": ""} for each in markup["selections"]]
        codes.setdefault(markup["meta"]["subject"], []).extend(plain)
    found = []
    for path in sorted((folder / "test").glob("*_exp01.json")):
        stem = path.name.removesuffix("_exp01.json")
        essay = _read(path.with_name(f"{stem}.json"))
        experts = [_read(each) for each in sorted(path.parent.glob(f"{stem}_exp??.json"))]
        own = codes.get(essay["meta"]["subject"]) or [each for some in codes.values() for each in some]
        words = [(each.start(), each.end()) for each in re.finditer(r"\S+", essay["text"])]
        known = _Essay(essay, experts, own, words, [])
        places = range(0, len(words), _TILE)
        known.best = [
            {**_fragment(known, at, _TILE, own[0]), "id": number} for number, at in enumerate(places, start=1)
        ]
        found.append(known)
    return found


def _read(path: Path) -> Json:
    return json.loads(path.read_text("utf-8"))


if __name__ == "__main__":
    after = climbed(max(SESSIONS))
    print("OTAR after so many sessions:", {number: after[number] for number in SESSIONS})
