"""Files of a set: JSON or the notation for people, experts' files by their numbers, what is wrong with any of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contest import reading
from contest.cycle.loading import CycleFaultsError, Loaded, load_cycle
from markup_core.notation import parse, render
from markup_core.reading.validation import load as markup_of
from markup_core.reading.wire import dump
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle
from tracks import registry

DEMONSTRATION = Path(__file__).resolve().parents[3] / "local" / "demonstration"
ITEM = "rus-06"


def demonstration() -> dict[str, Any]:
    """Return a cycle of essays with one item of each set and its two experts' markups."""
    head = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8"))
    head["sets"] = {name: head["sets"][name] for name in ("train", "test")}
    files: dict[str, Any] = {"cycle.json": head}
    for folder, stem in (("test", ITEM), ("train", "rus-01")):
        for name in (stem, f"{stem}_exp01", f"{stem}_exp02"):
            files[f"{folder}/{name}.json"] = json.loads((DEMONSTRATION / folder / f"{name}.json").read_text("utf-8"))
    return files


def load(files: dict[str, Any], platform: FakePlatform | None = None) -> Loaded:
    deployed = json.loads(FolderInMemory(files).read("cycle.json"))["cycle"]
    return load_cycle(platform or platform_for(files), "me", deployed, FolderInMemory(files), lambda _: None)


def platform_for(files: dict[str, Any]) -> FakePlatform:
    return FakePlatform() if files["cycle.json"]["track"] == "toy" else FakePlatform(registry.get)


def faults_of(files: dict[str, Any]) -> list[tuple[str, str]]:
    platform = platform_for(files)
    with pytest.raises(CycleFaultsError) as caught:
        load(files, platform)
    assert platform.blobs.objects == {}
    return [(each.code, each.file) for each in caught.value.faults]


def in_notation(files: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the same files with these as texts."""
    texts = {f"{name}.txt": render(markup_of(files[f"{name}.json"])).encode() for name in names}
    return {name: each for name, each in files.items() if name.removesuffix(".json") not in names} | texts


@pytest.mark.clause("platform §7 import", "R 2.5", "R 2.22", "R 2.27", "TS T14")
def test_items_and_markups_in_the_notation_are_the_same_ones() -> None:
    files = demonstration()
    names = [f"test/{ITEM}", f"test/{ITEM}_exp01", "train/rus-01_exp02"]
    platform, other = FakePlatform(registry.get), FakePlatform(registry.get)
    restored = {f"{name}.json": dump(parse(render(markup_of(files[f"{name}.json"])))) for name in names}
    load(files | restored, platform)
    of_json = platform.catalogue.cycle()
    load(in_notation(files, *names), other)
    of_text = other.catalogue.cycle()
    assert of_json is not None
    assert of_text is not None
    assert [each.manifest for each in of_text.sets] == [each.manifest for each in of_json.sets]


@pytest.mark.clause("platform §7 import", "R 2.27")
def test_faults_of_texts_say_the_file_and_the_line() -> None:
    files = in_notation(demonstration(), f"test/{ITEM}", f"test/{ITEM}_exp01", "train/rus-01")
    files[f"test/{ITEM}.txt"] = files[f"test/{ITEM}.txt"].decode().encode("cp1251", "replace")
    files["train/rus-01.txt"] = b"\xff\xfe" + "[".encode("utf-16-le")
    files["train/rus-01_exp01.json"] = json.dumps({"meta": {}}).encode("utf-16")
    assert faults_of(files) == [
        ("wrong_encoding", f"test/{ITEM}.txt"),
        ("wrong_encoding", "train/rus-01.txt"),
        ("not_utf8", "train/rus-01_exp01.json"),
    ]
    files = in_notation(demonstration(), f"test/{ITEM}_exp01")
    files[f"test/{ITEM}_exp01.txt"] += "\n#(незакрыто".encode()
    (found,) = {file for _, file in faults_of(files)}
    assert found == f"test/{ITEM}_exp01.txt"


def test_one_item_in_two_forms_is_a_fault_of_the_second() -> None:
    files = demonstration()
    files |= in_notation(files, f"test/{ITEM}", "train/rus-01_exp01")
    assert sorted(faults_of(files)) == [
        ("in_two_forms", f"test/{ITEM}.txt"),
        ("in_two_forms", "train/rus-01_exp01.txt"),
    ]


def test_experts_keep_the_numbers_of_their_files() -> None:
    files = toy_cycle(train=2, test=1)
    files["train/train-000_exp07.json"] = {"letters": "bcd"}
    del files["train/train-001_exp01.json"]
    files["train/train-001_exp02.json"] = {"letters": "cd"}
    platform = FakePlatform()
    loaded = load(files, platform)
    train, test = loaded.cycle.set_named("train"), loaded.cycle.set_named("test")
    assert train is not None
    assert test is not None
    first, second = reading.manifest(platform, "toy-1", train.manifest).items
    assert [name for name, _ in first.files] == ["train-000_exp01.json", "train-000_exp07.json"]
    assert [name for name, _ in second.files] == ["train-001_exp02.json"]
    assert [digest for _, digest in first.files] == list(first.references)
    (usual,) = json.loads(platform.blobs.get(f"sets/toy-1/manifests/{test.manifest}.json"))["items"]
    assert len(usual) == 5  # a set with the usual numbers is stored as it always was


@pytest.mark.parametrize("name", ["a:b", "a*", 'a"', "a|b", ".a", "a\\b", "a?"])
def test_an_item_has_a_name_that_every_system_can_keep(name: str) -> None:
    files = toy_cycle(train=1, test=1)
    files[f"train/{name}.json"] = files["train/train-000.json"] | {"id": name}
    assert faults_of(files) == [("wrong_name", f"train/{name}.json")]


@pytest.mark.clause("platform §7 import", "R 6.4")
def test_a_set_of_too_few_files_or_with_a_value_that_cannot_be_stored_is_refused() -> None:
    files = toy_cycle(train=2, test=3)
    files["cycle.json"]["sets"]["test"]["min_files"] = 4
    assert faults_of(files) == [("too_few_files", "test")]
    files["cycle.json"]["sets"]["test"]["min_files"] = 3
    loaded = load(files)
    test = loaded.cycle.set_named("test")
    assert test is not None
    assert test.min_files == 3
    files = toy_cycle(train=1, test=1)
    files["train/train-000_exp01.json"] = b'{"letters": "\\ud800"}'
    assert faults_of(files) == [("not_storable", "train/train-000_exp01.json")]


def test_names_of_files_are_compared_in_nfc() -> None:
    """macOS writes й in a file's name as letter and mark; the expert's file is that of the item all the same."""
    files = toy_cycle(train=1, test=1)
    item, expert = files.pop("train/train-000.json"), files.pop("train/train-000_exp01.json")
    files |= {"train/мо\u0438\u0306.json": item | {"id": "мо\u0439"}, "train/мо\u0439_exp01.json": expert}
    platform = FakePlatform()
    train = load(files, platform).cycle.set_named("train")
    assert train is not None
    (stored,) = reading.manifest(platform, "toy-1", train.manifest).items
    assert (stored.item_id, len(stored.references)) == ("мо\u0439", 1)


OF_OTHER_TOOLS: dict[str, bytes] = {
    "doccano": b'{"id": 1, "text": "a b", "label": [[0, 1, "x"]]}\n{"id": 2, "text": "b", "label": []}\n',
    "Label Studio": b'[{"id": 1, "data": {"text": "a"}, "annotations": []}]',
    "legacy JSON": b'{"_context": {}, "_views": {}, "_referenced_fss": {}}',
    "WebAnno TSV": b"#FORMAT=WebAnno TSV 3.3\n\n#Text=a\n1-1\t0-1\ta\tx\n",
    "M2": b"S a b\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||0\n",
}


@pytest.mark.parametrize("tool", OF_OTHER_TOOLS)
@pytest.mark.parametrize("name", [f"{ITEM}.json", f"{ITEM}_exp01.json", f"{ITEM}_exp01.txt"])
def test_a_file_of_another_tool_is_named_as_what_it_is(tool: str, name: str) -> None:
    files = demonstration()
    files.pop(f"test/{name.removesuffix('.txt')}.json", None)
    files[f"test/{name}"] = OF_OTHER_TOOLS[tool]
    with pytest.raises(CycleFaultsError) as caught:
        load(files)
    (fault,) = caught.value.faults
    assert (fault.code, fault.file) == ("another_format", f"test/{name}")
    assert tool in fault.message.en
    assert fault.message.ru.startswith("это ")


def test_other_tools_files_beside_a_set_or_instead_of_it_are_named() -> None:
    files = demonstration() | {"test/all.tsv": OF_OTHER_TOOLS["WebAnno TSV"], "test/all.m2": OF_OTHER_TOOLS["M2"]}
    told = [(each.code, each.file) for each in load(files).warnings]
    assert {("another_format", "test/all.tsv"), ("another_format", "test/all.m2")} <= set(told)
    alone = {name: each for name, each in files.items() if not name.startswith("test/") or name == "test/all.tsv"}
    assert faults_of(alone) == [("another_format", "test/all.tsv")]


def own_corpus(units: int, **fields: Any) -> dict[str, Any]:
    """Return a cycle of corrections over an own corpus, each unit of the group that ``group`` names."""
    group = fields.pop("group", lambda _: "own")
    head = {"cycle": "own", "name": {"en": "own", "ru": "свой"}, "time_zone": "UTC", "track": "gec", "parameters": {}}
    items = {
        f"train/u{n}.json": {"id": f"u{n}", "language": "eng", "source": group(n), "sentences": [f"He go {n} ."]}
        for n in range(units)
    }
    return {"cycle.json": head | {"sets": {"train": {"kind": "training"}}} | fields, **items}


def messages_of(files: dict[str, Any]) -> list[str]:
    with pytest.raises(CycleFaultsError) as caught:
        load(files, FakePlatform(registry.get))
    return [each.message.en for each in caught.value.faults]


def test_groups_and_subjects_that_no_language_lists_are_told_the_line_to_write() -> None:
    missing, strange = messages_of(own_corpus(30))
    assert missing.startswith("languages is missing")
    assert strange.endswith(
        "the group of 30 items, is not among the cycle's languages; if it is meant, write into the"
        ' cycle\'s file: "languages": {"eng": ["own"]}'
    )
    languages = {"eng": ["letters"]}
    (fault,) = messages_of(own_corpus(30, group=lambda n: f"g{n}", languages=languages))
    assert fault.startswith(
        "30 groups of 30 items are not among the cycle's languages: 'g0', 'g1', 'g10', 'g11', 'g12' …;"
    )
    line = json.loads("{" + fault.partition("write into the cycle's file: ")[2] + "}")
    files = own_corpus(30, group=lambda n: f"g{n}", **line)
    assert load(files, FakePlatform(registry.get)).cycle.sets[0].size == 30
    files = demonstration()
    files["cycle.json"]["languages"] = {"eng": ["eng"]}
    files["cycle.json"]["parameters"] = {}
    result = messages_of(files)
    assert [message for message in result if '"languages": {"eng": ["eng"], "rus": ["rus"]}' in message] == result


def test_a_fault_of_many_files_is_told_once() -> None:
    files = own_corpus(30, languages={"eng": ["own"]})
    for number in range(30):
        del files[f"train/u{number}.json"]["sentences"]
    (fault,) = messages_of(files)
    assert "(in 30 files: train/u0.json, train/u1.json, train/u10.json, train/u11.json, train/u12.json …)" in fault


def test_markups_made_with_suggestions_are_warned_of_where_a_barrier_rests_on_them() -> None:
    files = demonstration()
    usual = {warning.code for warning in load(files).warnings}
    record = {"source": "dictionary", "fragments": 3, "kept": 2}
    for name in (f"test/{ITEM}_exp02.json", "train/rus-01_exp01.json"):
        files[name]["meta"]["suggestions"] = record
    warnings = [warning for warning in load(files).warnings if warning.code == "made_with_suggestions"]
    assert [(warning.file, warning.where) for warning in warnings] == [("test", {"markups": 1})], (
        "a training set may have them"
    )
    assert "1 of 2 experts' markups" in warnings[0].message.en
    assert "made_with_suggestions" not in usual
    files[f"test/{ITEM}_exp02.json"]["meta"]["suggestions"] = None
    assert "made_with_suggestions" not in {warning.code for warning in load(files).warnings}
