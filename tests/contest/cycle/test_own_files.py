"""Sets in a contest's own files: unpacked before they are checked, faults name the original file (platform §7)."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from contest.cycle.set_files import Contest, check_set
from contest.ports import Tracks
from tests.contest.cycle.loaded import faults, load
from tests.toys import FolderInMemory, ToyTrack, toy_cycle
from tests.tracks.exam.exam_items import variant
from tracks import registry
from tracks.capabilities import Unpacked
from tracks.protocol import Json, Reason, Text

EXAM = registry.get("exam")


def exam(*variants: str) -> Contest:
    return Contest(EXAM, EXAM.read_parameters({"prompt_seed": 7})[0], {"rus": variants})


@pytest.mark.clause("TS T14", "TS U-1", "platform §7 import")
def test_a_published_file_is_a_set_of_items_with_their_right_answers() -> None:
    folder = FolderInMemory({"dev/use.json": {"data": {"dev": variant(1)}}, "dev/README.md": b"about"})
    read = list[str]()
    checked, faults = check_set(exam("1"), "dev", folder, read.append, 30)
    assert faults == []
    assert [each.item_id for each in checked.manifest.items] == [str(1000 + each) for each in range(30)]
    assert all(len(each.references) == 1 for each in checked.manifest.items)
    assert all(b'"outputs"' not in body for (kind, _), body in checked.objects.items() if kind == "items")
    assert {file for _, file in checked.texts} == {"dev/use.json"}
    assert checked.ignored == ("README.md",)
    assert len(read) == 30


@pytest.mark.clause("TS T14", "TS U-1", "platform §7 import")
def test_faults_of_what_was_unpacked_and_of_unpacking_name_the_original_file() -> None:
    bad = variant(1)
    bad[3]["meta"]["score"] = 7
    files = {"dev/a.json": bad, "dev/b.jsonl": b"{\n", "dev/9.json": [], "dev/8.json": {"meta": 1}}
    checked, faults = check_set(exam("1"), "dev", FolderInMemory(files), lambda _: None, 99)
    assert checked.manifest.items == ()
    told = [(each.code, each.file, each.where.get("item"), each.where.get("line")) for each in faults]
    assert told[:2] == [("invalid_item", "dev/a.json", 3, None), ("malformed_json", "dev/b.jsonl", None, 1)]
    assert {each[:2] for each in told[2:]} == {("invalid_item", "dev/8.json")}
    assert all("file" not in each.where for each in faults)
    _, faults = check_set(exam("2"), "dev", FolderInMemory({"dev/a.json": variant(1)[:1]}), lambda _: None, 2)
    assert [(each.code, each.file, each.where.get("made_as")) for each in faults] == [
        ("unknown_group", "dev/a.json", "1000.json"),
        ("too_few_files", "dev", None),
    ]


class PackedToy(ToyTrack):
    """Letters whose sets may be one file, a list of questions."""

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        if "questions.list" not in files:
            return Unpacked(files, (), frozenset())
        questions, read = json.loads(files["questions.list"]), frozenset({"questions.list"})
        if not questions:
            reason = Reason("no_questions", Text("no questions", "нет вопросов"), {"file": "questions.list"})
            return Unpacked({}, (reason,), read)
        made = dict[str, bytes]()
        for place, question in enumerate(questions):
            item = {"id": f"q{place}", "language": "rus", "group": "letters", "question": question}
            made |= {f"q{place}.json": json.dumps(item).encode(), f"q{place}_exp01.json": b'{"letters": "abcd"}'}
        return Unpacked(made, (), read, dict.fromkeys(made, "questions.list"))


PACKED: Tracks = {"toy": PackedToy()}.__getitem__


@pytest.mark.clause("TS T14", "platform §7 import")
def test_a_cycle_is_loaded_from_the_contests_own_files_all_or_nothing() -> None:
    files = toy_cycle(train=0, test=2) | {"train/questions.list": ["one?", "two?", "three?"]}
    loaded = load(files, PACKED)
    train = loaded.cycle.set_named("train")
    assert train is not None
    assert train.size == 3
    refused = faults(files | {"train/questions.list": []}, PACKED)  # nothing of the faultless set is stored either
    assert [(each.code, each.file) for each in refused] == [("no_questions", "train/questions.list")]
