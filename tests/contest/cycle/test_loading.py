"""A cycle's folder is loaded completely or not at all, with every fault named."""

from __future__ import annotations

from typing import Any

import pytest

from contest import reading
from contest.cycle.rules.cycle import SetKind
from contest.refusals import RefusedError
from tests.contest.cycle.loaded import faults, load
from tests.fakes import FakePlatform
from tests.toys import toy_cycle


def faults_of(files: dict[str, Any], deployed: str = "toy-1") -> list[tuple[str, str]]:
    return [(each.code, each.file) for each in faults(files, deployed=deployed)]


@pytest.mark.clause("R 2.4", "R 2.5", "R 2.28", "R 4.1", "platform §7 cycle")
def test_a_good_folder_is_loaded_with_sizes_and_references_and_equal_content_is_stored_once() -> None:
    platform = FakePlatform()
    loaded = load(toy_cycle(train=4, test=5), platform=platform)
    assert platform.catalogue.cycle() == loaded.cycle
    train = loaded.cycle.set_named("train")
    assert train is not None
    assert (train.kind, dict(train.sizes), train.size) == (SetKind.TRAINING, {"eng": 2, "rus": 2}, 4)
    manifest = reading.manifest(platform, "toy-1", train.manifest)
    assert [item.item_id for item in manifest.items] == [f"train-00{n}" for n in range(4)]
    assert all(len(item.references) == 1 for item in manifest.items)
    kinds = [name.split("/")[2] for name in platform.blobs.objects]
    assert (kinds.count("items"), kinds.count("references"), kinds.count("manifests")) == (9, 1, 2)


@pytest.mark.clause("platform §7 cycle", "platform §7 import", "R 2.5")
def test_every_fault_of_every_file_is_named_at_once_and_nothing_is_stored() -> None:
    files = toy_cycle(train=3, test=2)
    files["train/train-000.json"] = b"{"
    files["train/train-001.json"] = {"id": "train-001"}
    files["train/train-002_exp02.json"] = {"letters": 5}
    files["train/ghost_exp01.json"] = {"letters": "abcd"}
    files["test/test-000.json"] = b"\xff"
    files["test/test-001.json"] = {"id": "other", "language": "rus", "group": "colours", "question": "?"}
    assert sorted(faults_of(files)) == [
        ("malformed_json", "train/train-000.json"),
        ("no_item", "train/ghost_exp01.json"),
        ("no_letters", "train/train-002_exp02.json"),
        ("no_question", "train/train-001.json"),
        ("not_utf8", "test/test-000.json"),
        ("unknown_group", "test/test-001.json"),
        ("wrong_name", "test/test-001.json"),
    ]


WITHOUT_TEST = {name: value for name, value in toy_cycle().items() if not name.startswith("test/")}
UNSET = {"cycle.json": toy_cycle(hardness=2)["cycle.json"] | {"track": "chess", "languages": {}}}
LIMITED = toy_cycle(experts={"limits_s": {"letters": 60, "words": 60}})


@pytest.mark.parametrize(
    ("files", "deployed", "named"),
    [
        (WITHOUT_TEST, "toy-1", [("empty_set", "test")]),
        ({}, "toy-1", [("missing_file", "cycle.json")]),
        ({"cycle.json": b"["}, "toy-1", [("malformed_json", "cycle.json")]),
        (toy_cycle(), "demo", [("another_cycle", "cycle.json")]),
        (toy_cycle(hardness=2), "toy-1", [("unknown_parameter", "cycle.json")]),  # the track's own check
        (toy_cycle(hardness=2), "demo", [("another_cycle", "cycle.json"), ("unknown_parameter", "cycle.json")]),
        (toy_cycle() | UNSET, "toy-1", [("no_languages", "cycle.json"), ("unknown_track", "cycle.json")]),
        (LIMITED, "toy-1", [("unknown_group", "cycle.json")]),
    ],
)
def test_all_faults_of_the_file_are_named(files: dict[str, Any], deployed: str, named: list[tuple[str, str]]) -> None:
    assert faults_of(files, deployed) == named
    assert faults_of({"cycle.json": []})[0] == ("not_an_object", "cycle.json")


@pytest.mark.clause("R 2.17", "R 5.8", "platform §2 parameters", "platform §2 effective time", "platform §2 notices")
def test_changed_parameters_are_a_new_version_with_a_warning_and_the_same_ones_none() -> None:
    platform = FakePlatform()
    first = load(toy_cycle(), platform=platform)
    platform.clock.advance(60)
    again = load(toy_cycle(), platform=platform)
    assert (again.parameters, again.cycle.version) == (first.parameters, 2)
    platform.clock.advance(60)
    changed = load(toy_cycle(sends_per_file=5), platform=platform)
    assert (changed.parameters.version, changed.parameters.announced_at) == (2, platform.clock.now())
    assert "short_notice" in [each.code for each in changed.warnings]
    assert platform.catalogue.parameters(1).sends_per_file == 10


@pytest.mark.clause("R 2.17", "platform §2 parameters", "TS F-5")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("submissions_per_day", 7),
        ("unscored_per_day", 0),
        ("refusals_per_file", 3),
        ("body_s", 9),
        ("modules_demanded", True),
        ("idle_timeout_s", 60),
        ("sessions_per_day_on", {"test": 2}),
    ],
)
def test_whichever_parameter_changes_it_is_a_new_version_and_holds(name: str, value: Any) -> None:
    platform = FakePlatform()
    load(toy_cycle(), platform=platform)
    platform.clock.advance(60)
    changed = load(toy_cycle(**{name: value}), platform=platform).parameters
    assert (changed.version, getattr(changed, name)) == (2, value)
    assert getattr(platform.catalogue.parameters(2), name) == value


@pytest.mark.clause("R 6.4", "R 6.6")
def test_a_real_test_set_has_three_hundred_files_and_rules_of_runs_are_the_regulations() -> None:
    def warned(train: int, test: int = 300, **technical: Any) -> list[str]:
        return [each.code for each in load(toy_cycle(train=train, test=test, technical=technical)).warnings]

    assert warned(30, test=299) == ["small_test_set"]
    assert warned(29) == ["small_technical_run"]
    assert warned(30) == []
    assert warned(30, files=[29, 30]) == ["small_technical_run"]
    assert warned(1, enabled=False) == []
    usual = load(toy_cycle()).parameters
    assert (usual.final.interval_s, usual.final.join_s) == ((60, 60), 120)
    assert (usual.final.request_s, usual.final.answer_s, usual.final.total_s) == (10, 50, 60)
    assert (usual.technical.files, usual.technical.interval_s) == ((30, 60), (20, 60))
    said = {"files": [31, 40], "interval_s": [5, 9], "every_hours": 1, "lead_s": 60, "answer_s": 7, "enabled": False}
    other = load(toy_cycle(technical=said, rules={"interval_s": 10, "join_s": 30})).parameters
    assert (other.technical.files, other.technical.interval_s, other.technical.answer_s) == ((31, 40), (5, 9), 7)
    times = other.technical_times
    assert (times.enabled, times.every_hours, times.lead_s) == (False, 1, 60)
    assert (other.final.interval_s, other.final.join_s, other.final.request_s) == ((10, 10), 30, 10)


@pytest.mark.clause("platform §3 sets", "platform §1 secrets")
def test_a_finals_set_may_be_without_references_and_is_not_open_to_participants() -> None:
    cycle = load(toy_cycle(final=3, reserve=2)).cycle
    assert [each.name for each in cycle.sets] == ["final", "reserve", "test", "train"]
    assert [each.name for each in cycle.open_sets] == ["test", "train"]


def test_two_organizers_at_once_do_not_overwrite_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = FakePlatform()
    publish = platform.catalogue.publish

    def interrupted(*args: Any) -> None:
        monkeypatch.setattr(platform.catalogue, "publish", publish)
        load(toy_cycle(train=1), platform=platform)
        publish(*args)

    monkeypatch.setattr(platform.catalogue, "publish", interrupted)
    with pytest.raises(RefusedError, match="somebody else"):
        load(toy_cycle(train=2), platform=platform)
    cycle = platform.catalogue.cycle()
    assert cycle is not None
    assert [each.size for each in cycle.sets] == [1, 5] or [each.size for each in cycle.sets] == [5, 1]
