"""What the bases of the tracks answer, seen through the tracks that have them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.samples import SAMPLES
from tracks import registry
from tracks.base import UnratedTrack
from tracks.protocol import Json, Standing
from tracks.rules import Details


@pytest.mark.parametrize("name", registry.names())
def test_items_of_a_hidden_set_are_never_told_in_full(name: str) -> None:
    track = registry.get(name)
    hidden = {track.details(kind) for kind in ("test", "final")}
    assert Details.FILES not in hidden
    assert track.details("training") is (Details.TOTALS if name == "fusion" else Details.FILES)


def counted(f: float | None, recall: float | None) -> Json:
    return {
        "correction": None if f is None else {"f": f},
        "concentrated": None if recall is None else {"recall": recall},
    }


def test_places_of_each_board_are_by_its_own_value() -> None:
    track = registry.get("gec")
    results = {"a": counted(0.5, 0.1), "b": counted(0.25, 0.75), "c": counted(0.5, None)}
    standings = [Standing(team, aggregate) for team, aggregate in results.items()]
    assert [(each.team, each.place) for each in track.rank(standings)] == [("a", 1), ("c", 1), ("b", 3)]
    assert [(each.team, each.place) for each in track.rank(standings, "concentrated")] == [
        ("b", 1),
        ("a", 2),
        ("c", 3),
    ]


@pytest.mark.clause("R 5.7")
@pytest.mark.parametrize(("value", "overcome"), [(99.99, False), (100.0, True), (None, None)])
def test_a_hundred_per_cent_overcome_the_barrier_of_essays(value: float | None, overcome: bool | None) -> None:
    assert registry.get("essay").overcame({"relative_accuracy": value}) is overcome


def test_where_nothing_is_rated_no_answer_waits_and_ratings_change_no_score() -> None:
    track: Any = registry.get("gec")
    sample = next(each for each in SAMPLES.values() if each.track == "gec")
    entry, parameters = sample.entries[0], sample.completed()
    assert isinstance(track, UnratedTrack)
    assert track.is_rated({"edits": []}, None)
    assert not track.weighs_ratings(parameters)
    assert [each.code for each in track.judge_ratings({"edits": []}, b"{}", parameters).reasons] == ["nothing_to_rate"]
    answer = sample.answer(entry, entry.good)
    rated = track.score_rated(entry.item, answer, entry.references, {"0": [1]}, parameters)
    assert rated == track.score(entry.item, answer, entry.references, parameters)
