"""Data sets over HTTP: announced, brought in parts, checked and loaded by the worker, every fault of them told."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from contest import reading, stored_names
from contest import values as contest_values
from contest.cycle import importing
from contest.cycle.rules import sets
from contest.people.rules import Role
from contest.stored_names import LetterQueue
from tests.contest.cycle.test_archive import packed
from tests.contest.submissions.submitting import fusion_cycle
from tests.stage import Answered, Stage, staged
from tests.stage_addresses import follow
from tests.stage_kept import Setting
from tests.toys import FolderInMemory, toy_cycle

PART = 200
"""Bytes of a part where it matters that there are several."""


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def split(content: bytes) -> list[bytes]:
    return [content[start : start + contest_values.PART] for start in range(0, len(content), contest_values.PART)]


def zipped(files: Mapping[str, Any]) -> bytes:
    folder = FolderInMemory(files)
    return packed({name: folder.read(name) for name in files})


class Organizer:
    """Organizer whose import requests are a second apart."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.token = stage.person(Role.ORGANIZER, "olga")

    def ask(self, method: str, path: str, body: Any = None) -> Answered:
        self.stage.advance(1)
        return self.stage.request(method, f"/v1/imports{path}", body, self.token)

    def begin(self, content: bytes, **more: Any) -> Answered:
        parts = split(content)
        said = {"kind": "cycle", "size": len(content), "sha256": sha(content), "parts": [sha(each) for each in parts]}
        return self.ask("POST", "", said | more)

    def bring(self, content: bytes, **more: Any) -> str:
        """Upload an import, send its worker and return its id."""
        begun = self.begin(content, **more)
        assert begun.status == 201, begun.text
        name = str(begun.json["import_id"])
        for number, part in enumerate(split(content), 1):
            assert self.put(name, number, part) == 200
        sent = self.ask("POST", f"/{name}/complete")
        assert (sent.status, sent.json["state"]) == (200, "queued")
        return name

    def put(self, name: str, number: int, part: bytes) -> int:
        """Return the HTTP status at a part's address."""
        place = self.ask("GET", f"/{name}/parts/{number}")
        assert place.status == 200, place.text
        return follow(self.stage, "PUT", place.json["address"], part).status

    def imported(self, files: Mapping[str, Any], **more: Any) -> Any:
        """Return the outcome of an import."""
        name = self.bring(zipped(files), **more)
        self.stage.advance(1)  # entries of one moment stand in the log in any order
        assert self.stage.load_imports() == []
        return self.ask("GET", f"/{name}").json


@pytest.fixture
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest_values, "PART", PART)


STAGE = Setting()


@pytest.fixture
def olga(stage: Stage) -> Organizer:
    return Organizer(stage)


@pytest.mark.clause("platform §7 import", "platform §7 cycle", "platform §1 audit", "platform §1 organizer")
def test_a_cycle_comes_as_a_zip_and_is_played(olga: Organizer) -> None:
    done = olga.imported({f"my cycle/{name}": each for name, each in toy_cycle(train=3, test=4).items()})
    assert (done["state"], done["faults"], done["missing_parts"]) == ("done", [], [])
    assert done["loaded"] == {"sets": {"test": 4, "train": 3}, "parameters": 1}
    assert (done["files"], done["read"], done["stored"]) == (15, 15, 9)
    assert [each["code"] for each in done["warnings"]] == ["small_test_set", "small_technical_run"]
    cycle = reading.cycle_now(olga.stage.platform)
    assert {each.name: each.size for each in cycle.sets} == {"test": 4, "train": 3}
    changes = [each for each in olga.stage.platform.audit_log.on("2026-09-21") if each.who == "person:olga"]
    assert [each.what for each in changes] == ["import begun", "import sent", "cycle loaded"]


@pytest.mark.clause("platform §7 import")
def test_imports_are_listed_the_newest_first_with_how_far_each_is(olga: Organizer) -> None:
    assert olga.ask("GET", "").json == {"imports": []}
    loaded = olga.bring(zipped(toy_cycle(train=2)))
    begun = olga.begin(b"x", kind="set", set="train").json["import_id"]
    told = olga.ask("GET", "").json["imports"]
    assert [(each["import_id"], each["kind"], each["set"], each["state"]) for each in told] == [
        (begun, "set", "train", "uploading"),
        (loaded, "cycle", None, olga.ask("GET", f"/{loaded}").json["state"]),
    ]
    assert [each["created_by"] for each in told] == ["person:olga"] * 2
    assert [each["import_id"] for each in olga.ask("GET", "?limit=1").json["imports"]] == [begun]
    assert olga.ask("GET", "?limit=0").status == 422


def test_every_fault_is_told_in_both_languages_page_by_page_and_nothing_is_loaded(olga: Organizer) -> None:
    files = toy_cycle(train=2, test=2)
    files["train/train-000.json"] = b"{"
    files["test/test-001_exp01.json"] = {"letters": 5}
    refused = olga.imported(files)
    assert (refused["state"], refused["fault_count"], refused["loaded"]) == ("refused", 2, None)
    assert [(each["file"], each["code"]) for each in refused["faults"]] == [
        ("test/test-001_exp01.json", "no_letters"),
        ("train/train-000.json", "malformed_json"),
    ]
    assert all(each["message"] and each["message_ru"] for each in refused["faults"])
    name = olga.bring(zipped(files | {f"train/bad-{index:04d}.json": b" " * index + b"{" for index in range(1001)}))
    assert olga.stage.load_imports() == []
    first = olga.ask("GET", f"/{name}").json
    second = olga.ask("GET", f"/{name}?after={first['next']}").json
    assert (first["fault_count"], len(first["faults"]), len(second["faults"]), second["next"]) == (1003, 1000, 3, None)
    assert len({each["file"] for each in [*first["faults"], *second["faults"]]}) == 1003
    assert olga.stage.platform.catalogue.cycle() is None
    assert olga.stage.platform.blobs.names("sets/") == []


@pytest.mark.parametrize(
    "content", [b"no zip at all", packed({"../cycle.json": b"{}"})], ids=["no zip", "a way out of the folder"]
)
def test_what_is_no_zip_or_a_tricky_one_is_refused_whole(olga: Organizer, content: bytes) -> None:
    name = olga.bring(content)
    assert olga.stage.load_imports() == []
    refused = olga.ask("GET", f"/{name}").json
    assert (refused["state"], refused["fault_count"], refused["files"]) == ("refused", 1, 0)
    assert olga.stage.platform.catalogue.cycle() is None


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.clause("platform §7 import", "TS T12", "TS T13")
def test_parts_come_in_any_order_and_again_and_none_is_forgotten(olga: Organizer) -> None:
    noise = b"".join(hashlib.sha256(str(index).encode()).digest() for index in range(20))
    content = noise[: 2 * PART + 10]
    begun = olga.begin(content).json
    name, parts = begun["import_id"], [content[:PART], content[PART : 2 * PART], content[2 * PART :]]
    assert begun["missing_parts"] == [1, 2, 3]
    for number in (3, 1, 3):
        assert olga.put(name, number, parts[number - 1]) == 200
    early = olga.ask("POST", f"/{name}/complete")
    assert (early.status, early.code, early.json["error"]["details"][0]["numbers"]) == (409, "parts_missing", [2])
    assert olga.ask("GET", f"/{name}").json["missing_parts"] == [2]
    assert olga.put(name, 2, parts[1]) == 200
    assert olga.ask("GET", f"/{name}").json["missing_parts"] == []
    assert olga.ask("POST", f"/{name}/complete").json["state"] == "queued"
    assert olga.ask("GET", f"/{name}/parts/2").code == "import_closed"
    assert olga.stage.load_imports() == []
    assert [each["code"] for each in olga.ask("GET", f"/{name}").json["faults"]] == ["not_a_zip"]


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.clause("TS T12", "TS T13")
def test_the_place_of_a_part_is_of_it_alone_and_of_five_minutes(olga: Organizer) -> None:
    content = zipped(toy_cycle(train=1, test=1))
    name = olga.begin(content).json["import_id"]
    place = olga.ask("GET", f"/{name}/parts/1")
    part = content[:PART]
    assert (place.status, place.headers["cache-control"]) == (200, "no-store")
    told = place.json
    assert {key: told[key] for key in ("method", "size", "sha256")} == {
        "method": "PUT",
        "size": PART,
        "sha256": sha(part),
    }
    assert told["address"].startswith(f"/uploads/imports/{name}/{PART}-{sha(part)}?Policy=")
    for wrong in (part[:-1], part + b"x", b""):
        assert follow(olga.stage, "PUT", told["address"], wrong).status == 413
    for method in ("GET", "DELETE", "POST"):
        assert follow(olga.stage, method, told["address"], part).status == 405
    assert olga.stage.platform.blobs.names("uploads/") == []
    olga.stage.advance(299)
    assert follow(olga.stage, "PUT", told["address"], part).status == 200
    olga.stage.advance(2)
    assert follow(olga.stage, "PUT", told["address"], part).status == 403
    assert olga.put(name, 1, part) == 200, "another address for the same part"


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.clause("TS T13")
def test_what_is_put_is_believed_for_its_size_and_held_to_its_hash_when_it_is_read(olga: Organizer) -> None:
    content = zipped(toy_cycle(train=1, test=1))
    name = olga.bring(content)
    stale = content[:PART][:-1] + b"?"
    (first, *_) = [each for each in olga.stage.platform.blobs.names("uploads/") if sha(content[:PART]) in each]
    olga.stage.platform.blobs.put(first, stale)  # by an address that outlives the upload
    assert olga.stage.load_imports() == []
    refused = olga.ask("GET", f"/{name}").json
    assert (refused["state"], [each["code"] for each in refused["faults"]]) == ("refused", ["another_sha256"])
    assert "part 1" in refused["faults"][0]["message"]
    assert "части 1" in refused["faults"][0]["message_ru"]
    assert olga.stage.platform.catalogue.cycle() is None


@pytest.mark.usefixtures("_small_parts")
def test_a_part_that_came_short_is_missing_and_one_not_announced_has_no_place(olga: Organizer) -> None:
    content = zipped(toy_cycle(train=1, test=1))
    name = olga.begin(content).json["import_id"]
    for number, start in enumerate(range(0, len(content), PART), 1):
        assert olga.put(name, number, content[start : start + PART]) == 200
    (first, *_) = [each for each in olga.stage.platform.blobs.names("uploads/") if sha(content[:PART]) in each]
    olga.stage.platform.blobs.put(first, b"short")
    early = olga.ask("POST", f"/{name}/complete")
    assert (early.code, early.json["error"]["details"][0]["numbers"]) == ("parts_missing", [1])
    last = -(-len(content) // PART)
    assert olga.ask("GET", f"/{name}/parts/{last}").status == 200
    assert olga.ask("GET", f"/{name}/parts/{last + 1}").code == "unknown_import_part"
    assert olga.ask("GET", f"/{name}/parts/0").status == 422
    assert olga.ask("GET", f"/{'x' * 20}/parts/1").code == "unknown_import"
    assert olga.ask("GET", f"/{'x' * 20}").code == "unknown_import"
    assert olga.ask("POST", f"/{'x' * 20}/complete").code == "unknown_import"


def test_an_announcement_has_the_size_of_its_parts_and_the_whole_its_hash(olga: Organizer) -> None:
    part, most = contest_values.PART, sets.MOST
    assert (part, most) == (64 * 1024 * 1024, 256 * 1024 * 1024)
    for size, parts, code in ((part + 1, 1, "wrong_parts"), (1, 2, "wrong_parts"), (most + 1, 5, "import_too_large")):
        refused = olga.begin(b"x", size=size, parts=["0" * 64] * parts)
        assert (refused.code, refused.status) == (code, 413 if code == "import_too_large" else 422)
    assert olga.begin(b"x", size=most, parts=["0" * 64] * 4).status == 201
    name = olga.bring(zipped(toy_cycle(train=1, test=1)), sha256="0" * 64)
    assert olga.stage.load_imports() == []
    assert [each["code"] for each in olga.ask("GET", f"/{name}").json["faults"]] == ["another_sha256"]


@pytest.mark.clause("platform §7 import")
def test_a_worker_that_comes_twice_or_dies_half_way_loads_once(olga: Organizer) -> None:
    name = olga.bring(zipped(toy_cycle(train=2, test=2)))
    really = olga.stage.platform.blobs.put_all_if_absent

    def dies(objects: Mapping[str, bytes], told: Any) -> None:
        really(dict(list(objects.items())[:1]), told)
        raise ConnectionError

    with patch.object(olga.stage.platform.blobs, "put_all_if_absent", dies):
        assert len(olga.stage.load_imports()) == 1
    under_way = olga.ask("GET", f"/{name}").json
    assert (under_way["state"], under_way["files"], under_way["stored"]) == ("storing", 9, 1)
    assert olga.stage.platform.catalogue.cycle() is None
    assert olga.ask("POST", f"/{name}/complete").json["state"] == "storing"
    assert olga.stage.load_imports(deliveries=2) == []
    assert olga.ask("GET", f"/{name}").json["state"] == "done"
    assert reading.cycle_now(olga.stage.platform).version == 1
    assert olga.ask("POST", f"/{name}/complete").json["state"] == "done"
    assert olga.stage.load_imports() == []
    assert reading.cycle_now(olga.stage.platform).version == 1


def test_progress_is_told_while_files_are_read(olga: Organizer) -> None:
    name = olga.bring(zipped(toy_cycle(train=30, test=30)))
    imports = olga.stage.platform.imports
    with patch.object(imports, "write", wraps=imports.write) as write:
        assert olga.stage.load_imports() == []
    afters = [call.args[1] for call in write.call_args_list]
    progress = [(after.state.value, after.read, after.stored) for after in afters]
    checking = [read for state, read, _ in progress if state == "checking"]
    storing = [stored for state, _, stored in progress if state == "storing"]
    assert (checking[0], checking == sorted(checking), len(checking)) == (0, True, 21)
    assert storing == sorted(storing)
    assert 10 <= len(storing) <= 21
    assert progress[-1][0] == "done"
    assert olga.ask("GET", f"/{name}").json["read"] == len(toy_cycle(train=30, test=30))


def load_set(olga: Organizer, files: Mapping[str, Any], name: str, kind: str | None = None) -> Any:
    more = {"kind": "set", "set": name} | ({"set_kind": kind} if kind else {})
    return olga.imported(files, **more)


def of_set(folder: str, count: int, letters: str = "abcd") -> dict[str, Any]:
    """List the files of a set, at the top."""
    made: dict[str, Any] = {}
    for index in range(count):
        stem = f"{folder}-{index}"
        made[f"{stem}.json"] = {"id": stem, "language": "rus", "group": "letters", "question": f"{folder} {index}?"}
        made[f"{stem}_exp01.json"] = {"letters": letters}
    return made


@pytest.mark.clause("platform §7 import", "platform §1 audit")
def test_one_set_is_put_in_the_place_of_its_old_files_and_the_others_stay(olga: Organizer) -> None:
    olga.stage.load(toy_cycle(train=2, test=2))
    before = reading.cycle_now(olga.stage.platform)
    done = load_set(olga, of_set("new", 5), "train")
    assert (done["state"], done["set"]) == ("done", "train")
    after = reading.cycle_now(olga.stage.platform)
    assert [each.name for each in after.sets] == ["test", "train"]
    assert after.set_named("test") == before.set_named("test")
    train = after.set_named("train")
    assert train is not None
    assert (train.size, train.kind, after.parameters_version) == (5, "training", before.parameters_version)
    items = reading.manifest(olga.stage.platform, "toy-1", train.manifest).items
    assert [each.item_id for each in items] == [f"new-{index}" for index in range(5)]
    (change,) = [each for each in olga.stage.platform.audit_log.on("2026-09-21") if each.what == "set imported"]
    assert (change.who, change.subject) == ("person:olga", "train")


def test_a_new_set_needs_its_kind_and_an_old_one_keeps_its_own(olga: Organizer) -> None:
    olga.stage.load(toy_cycle(train=2, test=2))
    said = [load_set(olga, of_set("more", 1), *named) for named in (("more",), ("train", "final"))]
    assert [each["faults"][0]["code"] for each in said] == ["kind_needed", "another_kind"]
    done = load_set(olga, of_set("more", 1), "more", "final")
    assert done["loaded"]["sets"] == {"more": 1, "test": 2, "train": 2}
    assert load_set(olga, of_set("more", 2), "more")["loaded"]["sets"]["more"] == 2


def test_a_set_without_a_cycle_in_folders_or_too_small_is_refused(olga: Organizer) -> None:
    assert codes(load_set(olga, of_set("a", 1), "train")["faults"]) == ["no_cycle"]
    files = toy_cycle(train=2, test=2)
    files["cycle.json"]["sets"]["test"]["min_files"] = 2
    olga.stage.load(files)
    in_folders = of_set("a", 1) | {"deeper/b.json": {}}
    assert codes(load_set(olga, in_folders, "train")["faults"]) == ["files_in_folders"]
    assert codes(load_set(olga, of_set("a", 1), "test")["faults"]) == ["too_few_files"]
    assert load_set(olga, of_set("a", 2), "test")["state"] == "done"


@pytest.mark.clause("R 2.7", "platform §7 import")
def test_a_set_is_compared_with_all_other_sets_texts(olga: Organizer, monkeypatch: pytest.MonkeyPatch) -> None:
    olga.stage.load(toy_cycle(train=2, test=2))
    copied = of_set("more", 2)
    copied["more-1.json"]["question"] = "Question  1 of TEST?"
    done = load_set(olga, copied, "more", "final")  # whose items are no whole texts: a warning
    (warning,) = [each for each in done["warnings"] if each["code"] == "text_in_several_sets"]
    assert [(each["set"], each["item"]) for each in warning["where"]["places"]] == [
        ("more", "more-1"),
        ("test", "test-001"),
    ]
    assert "text_in_several_sets" not in codes(load_set(olga, of_set("more", 2), "more")["warnings"])
    load_set(olga, copied, "more")
    again = of_set("test", 2)
    again["test-1.json"]["question"] = "question 1 of test?"
    assert "text_in_several_sets" in codes(load_set(olga, again, "test")["warnings"])  # of the set more, not its own
    monkeypatch.setattr("tests.toys.ToyTrack.whole_texts", True)
    assert codes(load_set(olga, again, "test")["faults"]) == ["text_in_several_sets"]


def codes(told: Sequence[Any]) -> list[str]:
    return [each["code"] for each in told]


def test_who_changes_the_cycle_meanwhile_wins(olga: Organizer) -> None:
    olga.stage.load(toy_cycle(train=2, test=2))
    name = olga.bring(zipped(of_set("a", 1)), kind="set", set="train")
    really = reading.cycle_now

    def read(platform: Any) -> Any:
        return replace(really(platform), version=really(platform).version - 1)

    with patch.object(importing.reading, "cycle_now", read):
        assert olga.stage.load_imports() == []
    assert codes(olga.ask("GET", f"/{name}").json["faults"]) == ["changed_meanwhile"]


@pytest.mark.clause("platform §7 doctor", "platform §7 import")
def test_an_import_whose_worker_failed_for_good_says_so_and_the_doctor_sends_another(olga: Organizer) -> None:
    name = olga.bring(zipped(toy_cycle(train=2, test=2)))
    assert olga.ask("GET", f"/{name}").json["failed_at"] is None
    olga.stage.lose(olga.stage.platform.settings.import_queue_url)
    olga.stage.die(LetterQueue.IMPORTS, json.dumps({"import_id": name}))
    told = olga.ask("GET", f"/{name}").json
    assert (told["state"], told["failed_at"] is None) == ("queued", False)
    (found,) = stuck(olga)
    assert (found["subject"], found["since"], found["mendable"]) == (name, told["failed_at"], True)
    mended = mend(olga, "import_stuck")
    assert mended == [{"ailment": "import_stuck", "subject": name, "mended": True, "error": ""}]
    assert stuck(olga) == []
    assert olga.ask("GET", f"/{name}").json["failed_at"] is None
    assert olga.stage.load_imports() == []
    assert olga.ask("GET", f"/{name}").json["state"] == "done"


@pytest.mark.clause("platform §7 doctor")
def test_an_import_whose_message_was_lost_is_found_when_all_its_tries_would_be_over(olga: Organizer) -> None:
    name = olga.bring(zipped(toy_cycle(train=2, test=2)))
    olga.stage.lose(olga.stage.platform.settings.import_queue_url)
    olga.stage.advance(39 * 60)
    assert stuck(olga) == []
    olga.stage.advance(2 * 60)
    assert [each["subject"] for each in stuck(olga)] == [name]
    assert [each["mended"] for each in mend(olga, "import_stuck")] == [True]
    assert stuck(olga) == []
    assert olga.stage.load_imports() == []
    assert olga.ask("GET", f"/{name}").json["state"] == "done"
    importing.send_again(olga.stage.platform, name)
    assert olga.stage.lose(olga.stage.platform.settings.import_queue_url) == 0, "an import that has ended is left alone"


def stuck(olga: Organizer) -> list[Any]:
    olga.stage.advance(1)
    found = olga.stage.request("GET", "/v1/doctor", None, olga.token).json["findings"]
    return [each for each in found if each["ailment"] == "import_stuck"]


def mend(olga: Organizer, ailment: str) -> Any:
    olga.stage.advance(1)
    return olga.stage.request("POST", "/v1/doctor/mend", {"ailments": [ailment]}, olga.token).json["mended"]


@pytest.mark.clause("platform §7 import", "TS T14")
def test_images_and_whole_sets_of_a_contest_may_be_larger_than_an_item(tmp_path: Path) -> None:
    """Three mebibytes of an image, and of all programs of a subtask in one file, where an essay has two at most."""
    files = fusion_cycle()
    image = next(each for each in files if each.startswith("public/input/HTR/images/"))
    asked, truth = "public/input/C2C/requests.json", "public/true/true_C2C.json"
    names = [f"long-{number}" for number in range(32)]
    programs = json.loads(files[asked]) | {name: random.Random(name).randbytes(49_152).hex() for name in names}
    answers = dict.fromkeys(names, "def f ( ) : NEW_LINE INDENT pass")
    large = {
        image: files[image] + random.Random(1).randbytes(3 * 2**20),
        asked: json.dumps(programs).encode(),
        truth: json.dumps(json.loads(files[truth]) | answers).encode(),
    }
    with staged(tmp_path, "fusion-1") as ready:
        done = Organizer(ready).imported(files | large)
        assert done["faults"] == []
        assert done["state"] == "done"
        cycle = reading.cycle_now(ready.platform)
        found = cycle.set_named("public")
        assert found is not None
        kept = [each.content for each in reading.manifest(ready.platform, cycle.name, found.manifest).items]
        stored = [ready.platform.blobs.get(stored_names.blob_names(cycle.name, "items", each)) for each in kept]
        assert any(f"{len(large[image])}-{sha(large[image])}".encode() in each for each in stored)


@pytest.mark.clause("platform §7 import")
def test_an_essay_of_three_mebibytes_is_refused_with_what_to_do(olga: Organizer) -> None:
    done = olga.imported(toy_cycle() | {"test/large.json": b"0" * (3 * 2**20)})
    (fault,) = done["faults"]
    assert (done["state"], fault["code"], fault["file"]) == ("refused", "zip_too_large", "test/large.json")
    assert "at most 2048 KiB" in fault["message"]
    assert "contest cycle load FOLDER --direct" in fault["message"]
