"""Every value that can be read in a rehearsal is compared with the model, or is named among those that are not.

Each value that readers were told is changed, one by one, in a rehearsal that is played once; the proof has to notice.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any

import pytest

from rehearsal.harm.planting import Rehearsal
from rehearsal.history import READING, Story
from rehearsal.proof.audit import facts
from rehearsal.proof.case import Case
from rehearsal.proof.checks_reading import contradicted
from rehearsal.proof.oracle import ESSAY, GEC, PROGRAMS
from rehearsal.proof.program_values import ProgramModel
from rehearsal.proof.readable import LOG, Phase
from rehearsal.proof.values import Model
from tests.rehearsal.playing import play, red

Json = Any
NUMBER = re.compile(r"-?\d+(\.\d+)?")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT.*Z")
UNKNOWN = tomllib.loads(files("rehearsal.proof").joinpath("unknown.toml").read_text("utf-8"))
TURNED = {"true": "false", "yes": "no", "eng": "rus", "en": "ru"}
TURNED |= {other: one for one, other in TURNED.items()}


def changed(value: Json) -> Json:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case None:
            return 7
        case str() if value in TURNED:
            return TURNED[value]
        case str() if MOMENT.fullmatch(value):
            return f"{value[:11]}{(int(value[11:13]) + 1) % 24:02d}{value[13:]}"
    return str(float(value) + 1) if NUMBER.fullmatch(value) else f"{value[:-1]}{'x' if value[-1:] != 'x' else 'y'}"


def leaves(value: Json, path: tuple[Any, ...] = (), name: str = "") -> Iterator[tuple[tuple[Any, ...], str, Json]]:
    """Yield the path, the name and the value of each leaf of an answer."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*path, key), f"{name}.{key}")
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from leaves(one, (*path, place), f"{name}[]")
    else:
        yield path, name, value


def unnoticed(story: Story) -> set[str]:
    """Return the values whose change the proof does not notice, by route and place."""
    programs = story.header["stage"] == PROGRAMS
    world: Any = ProgramModel(story) if programs else Model(Case(story))
    calls = [
        call
        for call in story.calls
        if call.what == READING
        and call.status == 200
        and call.means["phase"] == Phase.PUBLISHED
        and "read" in call.said
    ]
    facts_read: Counter[Any] = Counter(
        fact for call in calls if call.means["route"] not in LOG for fact in set(facts(call.said["read"]))
    )
    doors: Counter[Any] = Counter()
    for (thing, name, _), many in facts_read.items():
        doors[thing, name] += many
    noticed: dict[str, bool] = {}
    tried: Counter[str] = Counter()
    for call in calls:
        content = call.said["read"]
        if content is None or "cells" in content:
            continue
        for path, place, value in leaves(content):
            name = f"{call.means['route']} {place}"
            if noticed.get(name) or tried[name] >= 2:
                continue
            tried[name] += 1
            other = copy.deepcopy(content)
            within = other
            for part in path[:-1]:
                within = within[part]
            within[path[-1]] = changed(value)
            alone = [fact for fact in facts(other) if doors[fact[:2]] > 1 and fact not in facts_read]
            noticed[name] = bool(contradicted(world, call, other) or (alone and call.means["route"] not in LOG))
    return {name for name, is_noticed in noticed.items() if not is_noticed}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.parametrize("kind", [ESSAY, GEC, PROGRAMS])
def test_every_value_that_is_read_has_a_model_or_a_reason(kind: str) -> None:
    outcome = play(Rehearsal("told_as_played", "reading", teams=2, files=3, kind=kind))
    assert red(outcome) == {}
    named = [pattern for patterns in UNKNOWN.values() for pattern in patterns]
    unnamed = [name for name in unnoticed(outcome.story) if not any(fnmatchcase(name, pattern) for pattern in named)]
    assert sorted(unnamed) == []
