"""Parts of a set: the same whoever packs them in however many visits, whole files, never more than an answer holds."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from contest.domain.canonical import canonical
from contest.domain.cycle.cycle import Item
from contest.domain.people.rights import Identity, Role
from contest.domain.results import downloads
from contest.domain.results.downloads import PART, View, files_of, packed
from contest.services.cycle.loading import load_cycle
from contest.services.results import downloading, packing
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle

OLGA = Identity(Role.ORGANIZER, person_id="olga")


def platform_with(train: int) -> FakePlatform:
    platform = FakePlatform()
    load_cycle(platform, "me", "toy-1", FolderInMemory(toy_cycle(train=train)), lambda _: None)
    return platform


def visits(platform: FakePlatform) -> list[int]:
    """Files packed after each visit, until all are."""
    seen = []
    while True:
        found = downloading.packed(platform, downloading.offer(platform, OLGA, "train"))
        seen.append(found.done)
        if found.is_whole:
            return seen


def parts(platform: FakePlatform) -> dict[str, bytes]:
    return {name: content for name, content in platform.blobs.objects.items() if name.startswith("downloads/")}


@pytest.mark.clause("TS T12")
def test_a_part_ends_before_it_is_too_large_and_has_one_file_at_least() -> None:
    half = [("a.json", b'"' * (PART // 4)), ("b.json", b"b" * (PART // 3)), ("c.json", b"c" * (PART // 3))]
    count, content = packed(half)
    assert (count, len(content) <= PART + 100) == (2, True)
    count, content = packed([("a.json", b'"' * (2 * 1024 * 1024)), *half])
    assert (count, len(content) < 4_500_000) == (1, True)
    count, content = packed([(f"{index}.json", b"1") for index in range(5_000)])
    assert count == downloads.FILES_OF_PART
    (first, *_) = json.loads(content)["files"]
    assert first == {"name": "0.json", "sha256": hashlib.sha256(b"1").hexdigest(), "text": "1"}


def test_files_stand_in_a_part_to_the_byte() -> None:
    content = canonical({"text": 'Он "сказал" \\ и ушёл\n😀'})
    assert json.loads(packed([("a.json", content)])[1])["files"][0]["text"].encode() == content


def test_many_visits_make_the_same_parts_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    once, often = platform_with(40), platform_with(40)
    for module in (downloads, packing):
        monkeypatch.setattr(module, "PART", 2_000)
    assert visits(once) == [80]
    for name, value in (("_PER_REQUEST", 5), ("_AT_A_TIME", 3)):
        monkeypatch.setattr(packing, name, value)
    seen = visits(often)
    assert (len(seen) > 5, seen == sorted(set(seen)), seen[-1]) == (True, True, 80)
    assert parts(once) == parts(often)
    assert len(parts(once)) > 6


def test_a_part_can_be_had_while_later_ones_are_still_made(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = platform_with(40)
    for module in (downloads, packing):
        monkeypatch.setattr(module, "PART", 700)
    for name, value in (("_PER_REQUEST", 5), ("_AT_A_TIME", 3)):
        monkeypatch.setattr(packing, name, value)
    chosen = downloading.offer(platform, OLGA, "train")
    first = downloading.part(platform, chosen, 1)
    assert isinstance(first, bytes)
    late: Any = downloading.part(platform, chosen, 20)
    assert (isinstance(late, packing.Packed), late.is_whole) == (True, False)


def test_what_is_given_has_a_name_of_its_own_for_every_content_and_view() -> None:
    items = (Item("a", "rus", "letters", "1" * 64, ("2" * 64,)), Item("b", "rus", "letters", "3" * 64, ()))
    whole, questions = files_of(items, View.WHOLE), files_of(items, View.QUESTIONS)
    assert [each.name for each in whole] == ["a.json", "a_exp01.json", "b.json"]
    assert [each.name for each in questions] == ["a.json", "b.json"]
    names = [
        downloads.fingerprint_of(whole, View.WHOLE, "toy 1"),
        downloads.fingerprint_of(questions, View.QUESTIONS, "toy 1"),
        downloads.fingerprint_of(questions, View.WHOLE, "toy 1"),
        downloads.fingerprint_of(questions, View.QUESTIONS, "toy 2"),
        downloads.fingerprint_of(questions[:1], View.QUESTIONS, "toy 1"),
    ]
    assert len(set(names)) == len(names)
