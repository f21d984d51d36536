"""The platform loads a cycle of every registered track, and knows none by name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from contest.cycle.loading import Loaded, load_cycle
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory
from tests.tracks.samples import SAMPLES, Sample
from tracks import registry

ROOT = Path(__file__).resolve().parents[2]


def folder(sample: Sample) -> dict[str, Any]:
    facts = [sample.facts(entry) for entry in sample.entries]
    languages = {each.language: sorted({other.group for other in facts}) for each in facts}
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "cycle-1",
            "name": {"ru": "Цикл", "en": "Cycle"},
            "track": sample.track,
            "languages": languages,
            "parameters": dict(sample.parameters),
            "sets": {"train": {"folder": "train", "kind": "training"}},
        }
    }
    files |= sample.files
    for entry, each in zip(sample.entries, facts, strict=True):
        files[f"train/{each.item_id}.json"] = entry.item
        for number, reference in enumerate(entry.references, start=1):
            files[f"train/{each.item_id}_exp{number:02d}.json"] = reference
    return files


def load(platform: FakePlatform, sample: Sample) -> Loaded:
    return load_cycle(platform, "me", "cycle-1", FolderInMemory(folder(sample)), lambda _: None)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_cycle_of_the_track_is_loaded_whole(name: str) -> None:
    sample = SAMPLES[name]
    loaded = load(FakePlatform(registry.get), sample)
    train = loaded.cycle.set_named("train")
    assert train is not None
    assert train.size == len(sample.entries)
    unlisted = {"languages": None}  # the sample's parameters have all of the track's
    assert {**loaded.parameters.track, **unlisted} == {**sample.completed(), **unlisted}


@pytest.mark.clause("tracks protocol")
def test_the_platforms_code_names_no_track() -> None:
    found = [
        (path.stem, node.value)
        for package in ("layers/contest/src", "functions")
        for path in sorted((ROOT / package).rglob("*.py"))
        if any(name in (text := path.read_text("utf-8")) for name in registry.names())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in registry.names()
    ]
    assert found == []
