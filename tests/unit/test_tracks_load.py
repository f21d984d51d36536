"""The platform loads a cycle of every registered track: it knows none of them by name."""

from __future__ import annotations

from typing import Any

import pytest
from fakes import FakePlatform, FolderInMemory
from track_samples import SAMPLES, Sample

from contest.services.load_cycle import load_cycle
from tracks import registry


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
    for entry, each in zip(sample.entries, facts, strict=True):
        files[f"train/{each.item_id}.json"] = entry.item
        for number, reference in enumerate(entry.references, start=1):
            files[f"train/{each.item_id}_exp{number:02d}.json"] = reference
    return files


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_cycle_of_the_track_is_loaded_whole(name: str) -> None:
    sample = SAMPLES[name]
    platform = FakePlatform(registry.get)
    loaded = load_cycle(platform, "me", "cycle-1", FolderInMemory(folder(sample)), lambda _: None)
    train = loaded.cycle.set_named("train")
    assert train is not None
    assert train.size == len(sample.entries)
    unlisted = {"languages": None}  # the sample's parameters have all of the track's
    assert {**loaded.parameters.track, **unlisted} == {**sample.completed(), **unlisted}
