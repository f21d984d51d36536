"""A text that stands in two sets of a cycle: a fault where items are whole texts, else a warning; all at once."""

from __future__ import annotations

from typing import Any

import pytest

from contest.cycle.rules import cycle as cycle_rules
from contest.cycle.rules.sets import fingerprint
from contest.ports import Tracks
from contest.refusals import Fault
from tests.contest.cycle.loaded import faults, load
from tests.toys import ToyTrack, toy_cycle
from tests.tracks.samples import SAMPLES
from tracks import registry
from tracks.protocol import Json, Need

TEXT = "Он описывает\nо войне."
QUIET = {"technical": {"enabled": False}}


class WholeToy(ToyTrack):
    """Letters whose items are whole texts, in versions where an item has ``versions``."""

    whole_texts = True

    def texts(self, item: Json) -> tuple[str, ...]:
        return tuple(item.get("versions", [item["question"]]))


WHOLE: Tracks = {"toy": WholeToy()}.__getitem__


def leaks_of(files: dict[str, Any]) -> list[Fault]:
    leaks = faults(files, WHOLE)
    assert {each.code for each in leaks} == {"text_in_several_sets"}
    return leaks


def items(fault: Fault) -> list[str]:
    return [each["item"] for each in fault.where["places"]]


def with_texts(cycle: dict[str, Any], **texts: Any) -> dict[str, Any]:
    """Return the cycle with texts of items by their names, ``final_000="…"``; a list is an item's versions."""
    for name, text in texts.items():
        item_id = name.replace("_", "-")
        path = f"{item_id[:-4]}/{item_id}.json"
        own = {"versions": text} if isinstance(text, list) else {"question": text}
        cycle[path] = {**cycle[path], **own}
    return cycle


@pytest.mark.clause("R 2.7", "R 2.8", "platform §7 import")
def test_a_finals_text_in_the_training_set_is_a_fault_that_names_sets_items_and_files() -> None:
    (fault,) = leaks_of(with_texts(toy_cycle(final=3), train_001=TEXT, final_002=TEXT))
    assert fault.file == "final/final-002.json"
    assert fault.where["places"] == [
        {"set": "final", "item": "final-002", "file": "final/final-002.json"},
        {"set": "train", "item": "train-001", "file": "train/train-001.json"},
    ]
    for said in (fault.message.en, fault.message.ru):
        assert "final: final-002 (final/final-002.json), train: train-001 (train/train-001.json)" in said


@pytest.mark.clause("R 2.7", "R 2.8")
@pytest.mark.parametrize(
    "copy",
    [
        "Он описывает о войне.",
        "  ОН  ОПИСЫВАЕТ\r\n\tО\u00a0ВОЙНЕ.\n",
        "Он описывает о вои\u0306не.",
        "\ufeffОн опи\u00adсывает о\u200b войне.",
    ],
    ids=["blanks", "case", "composition", "invisible"],
)
def test_a_copy_is_known_by_its_words(copy: str) -> None:
    (fault,) = leaks_of(with_texts(toy_cycle(), train_001=TEXT, test_002=copy))
    assert items(fault) == ["test-002", "train-001"]


def test_other_words_are_another_text_and_versions_of_an_item_are_one() -> None:
    load(with_texts(toy_cycle(), train_001=TEXT, test_002=TEXT.replace(".", "!"), test_003=f"{TEXT} (2)"), WHOLE)
    assert len({fingerprint(each) for each in ("ab", "a b", "a", "b", "a.b", "")}) == 6
    loaded = load(with_texts(toy_cycle(final=3), final_000=TEXT, final_002=TEXT), WHOLE)
    assert loaded.cycle.set_named("final") is not None
    cycle = with_texts(toy_cycle(final=2), final_000=["part", "whole"], train_001=["part", "whole"])
    (fault,) = leaks_of(cycle)
    assert items(fault) == ["final-000", "train-001"]
    load(with_texts(toy_cycle(final=2), final_000=["same", "same"]), WHOLE)
    (fault,) = leaks_of(with_texts(toy_cycle(final=2), final_000=["part", "whole"], test_001=["more", "PART"]))
    assert items(fault) == ["final-000", "test-001"]


def test_every_leak_is_listed_at_once_what_is_most_secret_first() -> None:
    cycle = toy_cycle(final=3, reserve=2)
    pairs = {"train_000": "a", "test_004": "a", "train_001": "b", "reserve_001": "b", "test_000": "c", "final_002": "c"}
    three = {"train_003": "d", "test_003": "d", "final_001": "d"}
    assert [items(each) for each in leaks_of(with_texts(cycle, **pairs, **three))] == [
        ["final-001", "test-003", "train-003"],
        ["final-002", "test-000"],
        ["reserve-001", "train-001"],
        ["test-004", "train-000"],
    ]


def test_leaks_are_listed_with_other_faults_and_of_a_folder_that_is_listed_twice() -> None:
    cycle = with_texts(toy_cycle(final=3), train_001=TEXT, final_002=TEXT)
    cycle["test/test-000.json"] = b"{"
    assert [each.code for each in faults(cycle, WHOLE)] == ["malformed_json", "text_in_several_sets"]
    cycle = toy_cycle(train=3)
    cycle["cycle.json"]["sets"]["examples"] = {"kind": "training", "folder": "train"}
    found = leaks_of(cycle)
    assert [items(each) for each in found] == [[f"train-00{n}"] * 2 for n in range(3)]
    assert [each["set"] for each in found[0].where["places"]] == ["examples", "train"]


@pytest.mark.clause("R 2.7", "R 2.8")
def test_where_items_are_no_whole_texts_a_leak_is_a_warning() -> None:
    cycle = with_texts(toy_cycle(train=30, test=300, final=3, **QUIET), train_001=TEXT, final_002=TEXT, test_299=TEXT)
    loaded = load(cycle, {"toy": ToyTrack()}.__getitem__)
    (warning,) = loaded.warnings
    assert (warning.code, items(warning)) == ("text_in_several_sets", ["final-002", "test-299", "train-001"])


def sample_cycle(name: str) -> dict[str, Any]:
    """Return a cycle whose three sets have one item each, a sample's first."""
    sample, entry = SAMPLES[name], SAMPLES[name].entries[0]
    known = sample.facts(entry)
    kinds = {"train": "training", "test": "test", "final": "final"}
    head = {
        "cycle": "toy-1",
        "name": {"ru": "Цикл", "en": "Cycle"},
        "track": sample.track,
        "languages": {known.language: [known.group]},
        "parameters": dict(sample.parameters),
        "sets": {folder: {"kind": kind} for folder, kind in kinds.items()},
    }
    return {"cycle.json": head, **{f"{folder}/{known.item_id}.json": entry.item for folder in kinds}}


@pytest.mark.parametrize(("name", "whole"), [("essay", True), ("diagnosis-semifinal", True), ("gec", False)])
def test_a_registered_track_says_what_a_leak_is(monkeypatch: pytest.MonkeyPatch, name: str, whole: bool) -> None:
    monkeypatch.setattr(cycle_rules, "KEPT", frozenset(Need))  # as if the platform played them all
    files = sample_cycle(name)
    result = faults(files, registry.get) if whole else load(files, registry.get).warnings
    (leak,) = (warning for warning in result if warning.code == "text_in_several_sets")
    assert [each["set"] for each in leak.where["places"]] == ["final", "test", "train"]
