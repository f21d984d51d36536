"""What of markups everybody may have (R 7.14): it scores the same, and says nothing of who made it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.experts_stage import shipped
from tracks import registry
from tracks.capabilities import ArchivesReferences
from tracks.essay.items import complete

TRACK = registry.get("essay")
SECRETS = {
    "expert": "Иванова А. Б.",
    "file": "C:\\Users\\ivanova\\1.txt",
    "student": "Петя Сидоров",
    "uuid": "secret-1",
}


def signed(item: str, expert: int) -> Any:
    """Return a markup with every field that an expert's tool may write."""
    found = shipped(item, expert)
    selections = [{**each, "author": "secret-2", "created": "secret-3"} for each in found["selections"]]
    return {**found, "meta": {**found["meta"], **SECRETS}, "selections": selections, "history": ["secret-4"]}


@pytest.mark.clause("R 7.14")
def test_r_7_14_nothing_of_people_and_machines_is_in_what_everybody_may_have() -> None:
    assert isinstance(TRACK, ArchivesReferences)
    item, reference = shipped("hist-02"), signed("hist-02", 1)
    assert TRACK.author_of(reference) == SECRETS["expert"]
    assert TRACK.author_of({**reference, "meta": {"subject": "hist"}}) == ""
    for made in (
        TRACK.archived_reference(item, reference, "123", "expert-1"),
        TRACK.archived_answer(item, reference, "123"),
    ):
        text = json.dumps(made, ensure_ascii=False)
        assert not [each for each in (*SECRETS.values(), "secret", "hist-02") if each in text]
        assert made["meta"]["id"] == "123"
        assert len(made["selections"]) == len(reference["selections"])
    assert TRACK.archived_reference(item, reference, "123", "expert-1")["meta"]["expert"] == "expert-1"


@pytest.mark.clause("R 7.14")
@pytest.mark.parametrize("item", ["hist-01", "hist-02", "hist-04"])
def test_r_7_14_what_is_archived_scores_exactly_as_what_it_was_made_of(item: str) -> None:
    assert isinstance(TRACK, ArchivesReferences)
    essay, rules = shipped(item), complete({})[0]
    answer, references = signed(item, 2), [signed(item, 1), signed(item, 2)]
    names = ("a", "b")
    archived = [TRACK.archived_reference(essay, each, "1", name) for each, name in zip(references, names, strict=True)]
    before = TRACK.score(essay, answer, references, rules)
    after = TRACK.score(essay, TRACK.archived_answer(essay, answer, "1"), archived, rules)
    del before["fingerprint"], after["fingerprint"]
    assert after == before
