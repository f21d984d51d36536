"""The Track Protocol's own rules, and that the registered tracks keep to its form.

What the bases of the tracks answer, seen through the tracks that have them.

Places as all boards give them.

Publications and dialogues of steps, on the diagnosis contest's own and on a mixture of both kinds (T2).

The platform loads a cycle of every registered track, and knows none by name.
"""

from __future__ import annotations

import ast
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.loading import Loaded, load_cycle
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory
from tests.tracks.samples import SAMPLES, Sample
from tracks import capabilities, registry
from tracks.base import UnratedTrack, by_key, by_value
from tracks.capabilities import Archived
from tracks.diagnosis.stages import STEPS
from tracks.protocol import (
    Json,
    Place,
    Standing,
    Step,
    dialogue_steps,
    is_dialogue,
    limit_of,
    publications,
    step_after,
    step_now,
    taken_at,
)
from tracks.rules import Details

DIALOGUE = (Step("first", {"guess": "second"}, limit_s=60), Step("second", {"ask": "second", "end": None}))


@pytest.mark.parametrize(("step", "kind"), [("third", "guess"), ("first", "end")])
def test_an_unknown_step_or_kind_is_an_error(step: str, kind: str) -> None:
    with pytest.raises(LookupError, match=step):
        step_after(DIALOGUE, step, kind)


@pytest.mark.clause("TS T11")
@pytest.mark.parametrize("name", registry.names())
def test_t11_the_essays_alone_conclude_on_readiness_by_what_was_answered(name: str) -> None:
    track = registry.get(name)
    modes = {*(each.name for each in track.modes()), "algorithmic", "technical", "final"}
    assert {track.policies(mode).readiness for mode in modes} == {name == "essay"}


CAPABILITIES = {
    "AnsweredByProgram": "fusion",
    "AnsweredInOneFile": "exam gec",
    "Archived": "custom diagnosis essay exam fusion gec",
    "ArchivesAnswers": "custom diagnosis essay exam gec",
    "ArchivesReferences": "essay",
    "AwardsPrizes": "fusion",
    "ComparesTeams": "diagnosis",
    "CountsAnswers": "custom exam fusion gec",
    "DescribesSets": "gec",
    "FetchedByEarlierClients": "diagnosis",
    "HasLargeFiles": "exam fusion gec",
    "JoinsRuns": "diagnosis",
    "KnowsOtherTools": "essay",
    "MadeOfCorpora": "essay gec",
    "MarkedByExperts": "essay gec",
    "MeasuredByProgram": "custom",
    "MeasuresFiles": "essay",
    "MeasuresRatings": "gec",
    "QualifiesByResult": "diagnosis",
    "ReadsFolders": "fusion",
    "ReadsOwnFiles": "diagnosis exam fusion gec",
    "Replayed": "diagnosis",
    "StepsByItem": "diagnosis",
    "TakesSuggestions": "essay",
}


@pytest.mark.parametrize(("capability", "names"), CAPABILITIES.items())
def test_these_contests_alone_have_the_capability(capability: str, names: str) -> None:
    promise = getattr(capabilities, capability)
    assert [name for name in registry.names() if isinstance(registry.get(name), promise)] == names.split()


@pytest.mark.parametrize("name", registry.names())
def test_what_is_not_in_an_archive_is_said_in_it_in_both_languages(name: str) -> None:
    track = registry.get(name)
    assert isinstance(track, Archived)
    assert track.archive_rules.left_out
    for text in (track.archive_rules.about, *track.archive_rules.left_out):
        assert (text.en[-1], text.ru[-1]) == (".", ".")


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


VALUES = st.dictionaries(st.text(max_size=3), st.none() | st.floats(-1, 1), max_size=8)


@pytest.mark.clause("R 2.13", "platform §4 boards")
def test_more_is_better_equal_results_share_a_place_and_undefined_ones_the_last_behind_less_than_zero() -> None:
    values = {"c": 0.5, "x": None, "b": 0.7, "zero": Decimal(0), "a": 0.5, "u": None, "less": -2.5}
    ranked = [(standing.team, standing.place) for standing in by_value(values)]
    assert ranked == [("b", 1), ("a", 2), ("c", 2), ("zero", 4), ("less", 5), ("u", 6), ("x", 6)]


def test_of_keys_the_smallest_is_the_best_and_later_parts_decide_between_equal_ones() -> None:
    assert by_key({"a": (1, 2), "b": (1, 1), "c": (0, 9)}) == (Place("c", 1), Place("b", 2), Place("a", 3))


@given(VALUES)
def test_a_place_is_one_more_than_the_number_of_better_results(values: dict[str, float | None]) -> None:
    result = by_value(values)
    assert {item.team for item in result} == values.keys()
    for item in result:
        own = values[item.team]
        better = [other for other in values.values() if other is not None and (own is None or other > own)]
        assert item.place == 1 + len(better)


@given(VALUES)
def test_the_order_of_teams_does_not_matter(values: dict[str, float | None]) -> None:
    assert by_value(dict(reversed(values.items()))) == by_value(values)


MIXED = (
    Step("ask", {"question": "ask", "guess": "show"}, limit_s=20),
    Step("show", {"word": None}, scheduled=True),
)
"""A dialogue that ends with the opening of something else."""


@pytest.mark.clause("TS T2")
@pytest.mark.parametrize(
    ("steps", "published", "dialogues"),
    [
        (STEPS["selection"], ("v1",), ()),
        (STEPS["semifinal"], ("v3", "v2"), ()),
        (STEPS["final"], ("preliminary",), ("preliminary",)),
        (MIXED, ("ask", "show"), ("ask",)),
    ],
)
def test_the_first_step_and_every_scheduled_one_is_a_publication(
    steps: tuple[Step, ...], published: tuple[str, ...], dialogues: tuple[str, ...]
) -> None:
    assert publications(steps) == published
    assert tuple(each for each in published if is_dialogue(steps, each)) == dialogues


@pytest.mark.clause("TS T2")
def test_a_dialogue_has_the_steps_up_to_the_next_publication() -> None:
    assert dialogue_steps(STEPS["final"], "preliminary") == ("preliminary", "studies")
    assert dialogue_steps(STEPS["semifinal"], "v3") == ("v3",)
    assert dialogue_steps(MIXED, "ask") == ("ask",)


@pytest.mark.clause("TS T2")
@pytest.mark.parametrize(
    ("steps", "publication", "kinds", "step"),
    [
        (STEPS["final"], "preliminary", [], "preliminary"),
        (STEPS["final"], "preliminary", ["preliminary", "study", "study"], "studies"),
        (STEPS["final"], "preliminary", ["study", "diagnosis"], None),
        (STEPS["final"], "preliminary", ["refusal"], None),
        (STEPS["semifinal"], "v3", ["diagnosis"], None),
        (MIXED, "ask", ["question", "question"], "ask"),
        (MIXED, "ask", ["question", "guess"], None),
    ],
)
def test_a_dialogue_stands_where_its_turns_have_led(
    steps: tuple[Step, ...], publication: str, kinds: list[str], step: str | None
) -> None:
    assert step_now(steps, publication, kinds) == step


def test_what_the_steps_do_not_take_leads_nowhere() -> None:
    for kinds in (["word"], ["guess", "question"]):
        with pytest.raises(LookupError):
            step_now(MIXED, "ask", kinds)


def test_what_a_step_takes_and_how_long_it_lasts() -> None:
    assert taken_at(STEPS["final"], "studies") == ("diagnosis", "refusal", "study")
    assert (taken_at(MIXED, None), taken_at(MIXED, "nothing")) == ((), ())
    assert (limit_of(MIXED, "ask"), limit_of(MIXED, "show"), limit_of(MIXED, None)) == (20, None, None)


ROOT = Path(__file__).resolve().parents[2]


def folder(sample: Sample) -> dict[str, Any]:
    facts = [sample.facts(entry) for entry in sample.entries]
    languages = {result.language: sorted({other.group for other in facts}) for result in facts}
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
    for entry, result in zip(sample.entries, facts, strict=True):
        files[f"train/{result.item_id}.json"] = entry.item
        for number, reference in enumerate(entry.references, start=1):
            files[f"train/{result.item_id}_exp{number:02d}.json"] = reference
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
    actual = [
        (path.stem, node.value)
        for package in ("layers/contest/src", "functions")
        for path in sorted((ROOT / package).rglob("*.py"))
        if any(name in (text := path.read_text("utf-8")) for name in registry.names())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in registry.names()
    ]
    assert actual == []
