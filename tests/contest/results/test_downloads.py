"""Parts of a set and archives as bytes: the same whoever packs them in however many visits, whole files, never more
than an answer holds."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Item
from contest.errors import NoPackError
from contest.people.rules import Identity, Role
from contest.results import downloading
from contest.results.rules import set_access
from contest.results.rules.set_access import PACK, PART, View, archive, files_of, packed, pseudonyms
from contest.values import canonical
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle

OLGA = Identity(Role.ORGANIZER, person_id="olga")


def platform_with(train: int) -> FakePlatform:
    platform = FakePlatform()
    load_cycle(platform, "me", "toy-1", FolderInMemory(toy_cycle(train=train)), lambda _: None)
    return platform


def visits(platform: FakePlatform) -> list[int]:
    """List the number of packed files after each visit, until all are packed."""
    seen = []
    while True:
        found = downloading.packed(platform, downloading.offer(platform, OLGA, "train"))
        seen.append(found.done)
        if found.is_ready:
            return seen


def parts(platform: FakePlatform) -> dict[str, bytes]:
    return {name: content for name, content in platform.blobs.objects.items() if name.startswith("downloads/")}


@pytest.mark.clause("TS T12")
def test_a_part_has_whole_files_to_the_byte_and_ends_before_it_is_too_large() -> None:
    half = [("a.json", b'"' * (PART // 4)), ("b.json", b"b" * (PART // 3)), ("c.json", b"c" * (PART // 3))]
    count, content = packed(half)
    assert (count, len(content) <= PART + 100) == (2, True)
    count, content = packed([("a.json", b'"' * (2 * 1024 * 1024)), *half])
    assert (count, len(content) < 4_500_000) == (1, True)
    count, content = packed([(f"{index}.json", b"1") for index in range(5_000)])
    assert count == set_access.FILES_OF_PART
    (first, *_) = json.loads(content)["files"]
    assert first == {"name": "0.json", "sha256": hashlib.sha256(b"1").hexdigest(), "text": "1"}
    content = canonical({"text": 'Он "сказал" \\ и ушёл\n😀'})
    assert json.loads(packed([("a.json", content)])[1])["files"][0]["text"].encode() == content


def test_many_visits_make_the_same_parts_which_can_be_had_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    once, often = platform_with(40), platform_with(40)
    for module in (set_access, downloading):
        monkeypatch.setattr(module, "PART", 2_000)
    assert visits(once) == [80, 80], "the second one makes the one file"
    for name, value in (("_PER_REQUEST", 5), ("_AT_A_TIME", 3)):
        monkeypatch.setattr(downloading, name, value)
    seen = visits(often)
    assert (len(seen) > 5, seen[:-1] == sorted(set(seen)), seen[-2:]) == (True, True, [80, 80])
    assert parts(once) == parts(often)
    assert len(parts(once)) > 6
    platform = platform_with(40)
    for module in (set_access, downloading):
        monkeypatch.setattr(module, "PART", 700)
    for name, value in (("_PER_REQUEST", 5), ("_AT_A_TIME", 3)):
        monkeypatch.setattr(downloading, name, value)
    chosen = downloading.offer(platform, OLGA, "train")
    first = downloading.part(platform, chosen, 1)
    assert isinstance(first, bytes)
    late: Any = downloading.part(platform, chosen, 20)
    assert (isinstance(late, downloading.Packed), late.is_whole) == (True, False)


def test_what_is_given_has_a_name_of_its_own_for_every_content_and_view() -> None:
    items = (Item("a", "rus", "letters", "1" * 64, ("2" * 64,)), Item("b", "rus", "letters", "3" * 64, ()))
    whole, questions = files_of(items, View.WHOLE), files_of(items, View.QUESTIONS)
    assert [each.name for each in whole] == ["a.json", "a_exp01.json", "b.json"]
    assert [each.name for each in questions] == ["a.json", "b.json"]
    names = [
        set_access.fingerprint_of(whole, View.WHOLE, "toy 1"),
        set_access.fingerprint_of(questions, View.QUESTIONS, "toy 1"),
        set_access.fingerprint_of(questions, View.WHOLE, "toy 1"),
        set_access.fingerprint_of(questions, View.QUESTIONS, "toy 2"),
        set_access.fingerprint_of(questions[:1], View.QUESTIONS, "toy 1"),
    ]
    assert len(set(names)) == len(names)


def packs(platform: FakePlatform) -> dict[str, bytes]:
    return {name: content for name, content in platform.blobs.objects.items() if name.startswith("packs/")}


@pytest.mark.clause("TS T12")
def test_a_set_of_several_parts_is_one_file_too_the_same_whoever_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "_PARTS_AT_A_TIME", 2)
    for module in (set_access, downloading):
        monkeypatch.setattr(module, "PART", 2_000)
    one, other = platform_with(40), platform_with(40)
    assert visits(one)[-1] == visits(other)[-1] == 80
    ((name, content),) = packs(one).items()
    assert packs(other) == {name: content}
    chosen = downloading.offer(one, OLGA, "train")
    place = downloading.pack(one, chosen)
    assert isinstance(place, downloading.PackPlace)
    assert (place.pack.size, place.pack.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert name == f"packs/toy-1/{chosen.fingerprint}/{place.pack.sha256}.zip"
    assert place.address == f"/{name}?get&until={place.until // 1000}"
    assert 59_000 < place.until - one.clock.now() <= 60_000
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        held = {each: archive.read(each) for each in archive.namelist()}
    files = [each for part in parts(one).values() for each in json.loads(part).get("files", ())]
    assert held == {each["name"]: each["text"].encode() for each in files}
    assert len(held) == 80


def test_a_set_of_one_part_or_one_that_is_too_large_is_given_in_parts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for sizes, result in (((), False), ((PACK,), False), ((1, PACK - 1), True), ((1, PACK), False)):
        assert set_access.is_given_as_one([set_access.Part(1, size, "") for size in sizes]) is result
    small = platform_with(2)
    assert visits(small) == [4]
    with pytest.raises(NoPackError):
        downloading.pack(small, downloading.offer(small, OLGA, "train"))
    for module in (set_access, downloading):
        monkeypatch.setattr(module, "PART", 2_000)
    large = platform_with(40)
    monkeypatch.setattr(set_access, "PACK", 0)
    assert visits(large) == [80]
    assert (packs(small), packs(large)) == ({}, {})


def test_whoever_asks_for_the_one_file_before_it_is_there_has_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (set_access, downloading):
        monkeypatch.setattr(module, "PART", 2_000)
    platform = platform_with(40)
    chosen = downloading.offer(platform, OLGA, "train")
    first = downloading.pack(platform, chosen)
    assert isinstance(first, downloading.Packed)
    assert isinstance(downloading.pack(platform, chosen), downloading.PackPlace)


FILES = {"b.json": b"{}", "a/ё.json": "ё".encode(), "README.md": b"read me"}


@pytest.mark.clause("R 7.14", "platform §7 exports")
def test_the_same_files_make_the_same_bytes_stored_as_they_are_with_a_date_of_nobodys() -> None:
    first, second = archived(FILES), archived(dict(FILES))
    assert first == second
    assert archived({**FILES, "b.json": b"[]"}) != first
    with zipfile.ZipFile(io.BytesIO(archived(FILES))) as archive:
        assert archive.namelist() == ["manifest.json", "README.md", "a/ё.json", "b.json"]
        assert {name: archive.read(name) for name in FILES} == FILES
        assert {(info.compress_type, info.date_time, info.create_system) for info in archive.infolist()} == {
            (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0), 3)
        }
        listed = json.loads(archive.read("manifest.json"))["files"]
    assert {file["name"]: file["sha256"] for file in listed} == {
        name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()
    }


def test_every_piece_is_a_file_of_the_archive_and_none_is_held() -> None:
    counts, pieces = [], []
    for piece in archive({}, lambda: ((name, content * 10_000) for name, content in sorted(FILES.items()))):
        pieces.append(piece)
        counts.append(len(piece))
    assert len(counts) == 1 + len(FILES) + 1  # the manifest, the files, the directory
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as result:
        assert result.testzip() is None
        sizes = [member.compress_size for member in result.infolist()]
    assert all(size <= count < size + 100 for size, count in zip(sizes, counts, strict=False))


def archived(files: dict[str, bytes]) -> bytes:
    return b"".join(archive({"run_id": "r"}, lambda: sorted(files.items())))


def test_pseudonyms_follow_the_first_appearance_and_nothing_of_a_name_is_in_them() -> None:
    assert pseudonyms(["Иванов", "", "Петров", "Иванов"]) == {
        "Иванов": "expert-1",
        "": "expert-2",
        "Петров": "expert-3",
    }
