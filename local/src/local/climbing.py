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

from local.contest_folders import FOLDER
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
    for number in range(1, sessions + 1):
        for essay in essays:
            tried = essay.best if number == 1 else _changed(essay, chance)
            score = track.score(essay.essay, {**essay.essay, "selections": tried}, essay.experts, parameters)
            measures = track.measures(score)
            # The program climbs by the values alone that its team sees of a hidden file.
            values = measures["relative_accuracy"] or 0.0, sum(metric or 0.0 for metric in measures["metrics"].values())
            if values > essay.values:
                essay.best, essay.values, essay.exact = tried, values, score["relative_accuracy"] or 0.0
        accuracy[number] = round(sum(essay.exact for essay in essays) / len(essays), 1)
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


def _read(path: Path) -> Json:
    return json.loads(path.read_text("utf-8"))


if __name__ == "__main__":
    after = climbed(max(SESSIONS))
    print("OTAR after so many sessions:", {number: after[number] for number in SESSIONS})
