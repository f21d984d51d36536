"""A zip is read without believing it: bombs, tricks with paths, doubles, broken members, each in both languages."""

from __future__ import annotations

import io
import stat
import warnings
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.rules.sets import Bounds, FilesInMemory, head_of, open_zip


def packed(files: Mapping[str, bytes]) -> bytes:
    return written(*files.items())


def written(*files: tuple[Any, Any], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip of these files, two of one name, too."""
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", how) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in files:
            archive.writestr(name, content)
    return place.getvalue()


def codes(content: bytes, bounds: Bounds | None = None) -> list[tuple[str, str]]:
    files, faults = open_zip(content, bounds or Bounds())
    assert faults
    assert all(each.message.en and each.message.ru for each in faults)
    assert len(files) == 0 or {each.code for each in faults} == {"zip_broken"}
    return [(each.code, each.file) for each in faults]


def everything(files: FilesInMemory, *folders: str) -> dict[str, bytes]:
    names = [f"{folder}/{name}" if folder else name for folder in ("", *folders) for name in files.names(folder)]
    return {name: files.read(name) for name in names}


@pytest.mark.clause("platform §7 import")
def test_the_files_of_a_zip_are_those_of_the_folder_that_was_packed() -> None:
    folder = {"cycle.json": b"{}", "train/a.json": b"1", "train/b.txt": "ж".encode(), "test/c.json": b""}
    files, faults = open_zip(packed(folder))
    assert faults == ()
    assert everything(files, "train", "test") == folder
    assert files.names("train") == ("a.json", "b.txt")
    assert files.names("nowhere") == ()
    with pytest.raises(LookupError):
        files.read("train/c.json")


def test_hidden_files_and_what_file_managers_leave_are_passed_over_with_the_folder_round_all_files() -> None:
    folder = {
        "My cycle/sets/cycle.json": b"{}",
        "My cycle/sets/train/a.json": b"1",
        "My cycle/sets/train/": b"",
        "My cycle/sets/train/.DS_Store": b"?",
        "__MACOSX/My cycle/._cycle.json": b"?",
    }
    files, faults = open_zip(packed(folder))
    assert faults == ()
    assert everything(files, "train") == {"cycle.json": b"{}", "train/a.json": b"1"}
    assert len(files) == 2
    files, faults = open_zip(packed({"a.json": b"1", ".git/HEAD": b"2", "b/.DS_Store": b"3"}))
    assert (faults, files.everything()) == ((), ["a.json"])


ABROAD = ["/etc/passwd", "../a.json", "train/../../a.json", "train/./a.json", "train//a.json", "a\n.json"]
TRICKS = [*ABROAD, "C:/a.json", "C:a.json", "train\\a.json", "..\\a.json"]


@pytest.mark.clause("platform §7 import")
def test_a_path_that_leads_elsewhere_or_is_cut_by_a_zero_byte_is_refused_and_nothing_is_read() -> None:
    for name in TRICKS:
        assert [code for code, _ in codes(packed({"good.json": b"1", name: b"2"}))] == ["zip_path"], name
    content = packed({"good.json": b"1", "aX.json": b"2"}).replace(b"aX.json", b"a\x00.json")
    assert [code for code, _ in codes(content)] == ["zip_path"]


def test_links_and_devices_are_no_files() -> None:
    for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFBLK):
        told = zipfile.ZipInfo("train/a.json")
        told.create_system, told.external_attr = 3, (kind | 0o644) << 16
        assert codes(written((told, "/etc/passwd"))) == [("zip_not_a_file", "train/a.json")]


@pytest.mark.parametrize(
    ("first", "second"), [("a.json", "a.json"), ("a", "a"), ("a.json", "A.json"), ("й.json", "й.json"), ("é/a", "É/A")]
)
def test_names_that_some_system_takes_for_one_are_doubles(first: str, second: str) -> None:
    assert codes(written((first, b"1"), (second, b"2"))) == [("zip_doubled", second)]


def test_names_of_no_known_encoding_and_other_ways_of_compressing_are_refused() -> None:
    content = packed({"эссе.json": b"1"})
    # What a packer of an older system writes: the bytes of its own code page, and no word that they are UTF-8.
    old = content.replace("эссе".encode(), "эссе".encode("cp866") * 2)
    for place in (6, old.index(b"PK\x01\x02") + 8):
        old = old[:place] + b"\x00\x00" + old[place + 2 :]
    assert [code for code, _ in codes(old)] == ["zip_name_encoding"]
    assert codes(written(("a.json", b"abc"), how=zipfile.ZIP_LZMA)) == [("zip_compression", "a.json")]


@pytest.mark.clause("platform §7 import")
def test_a_bomb_and_what_is_beyond_a_bound_are_refused_with_what_to_do() -> None:
    bomb = packed({"a.json": b"0" * 2_000_000})
    assert len(bomb) < 5_000
    assert codes(bomb) == [("zip_bomb", "a.json")]
    assert open_zip(packed({"a.json": b"0" * 60_000}))[1] == ()
    files = {"a.json": bytes(range(100)), "b.json": bytes(range(50))}
    assert open_zip(packed(files), Bounds(members=2, member=100, whole=150))[1] == ()
    assert codes(packed(files), Bounds(members=1)) == [("zip_too_many_files", "")]
    assert codes(packed(files), Bounds(member=99)) == [("zip_too_large", "a.json")]
    assert codes(packed(files), Bounds(whole=149)) == [("zip_too_large", "")]
    assert codes(packed(files), Bounds(directory=50)) == [("not_a_zip", "")]
    one = open_zip(packed({"a.json": b"0" * 5}), Bounds(member=4))[1]
    all_together = open_zip(packed({"a.json": b"0" * 5, "b.json": b"0" * 5}), Bounds(whole=8))[1]
    for fault in (*one, *all_together):
        assert "contest cycle load FOLDER --direct" in fault.message.en
        assert "contest cycle load ПАПКА --direct" in fault.message.ru
    assert "set by set" in all_together[0].message.en


def test_members_that_lie_are_broken_or_are_encrypted_are_named_all_at_once() -> None:
    content = bytearray(packed({"a.json": b"0" * 60_000}))
    for sign, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.index(sign) + place
        content[start : start + 4] = (10).to_bytes(4, "little")
    files, faults = open_zip(bytes(content))
    assert ([each.code for each in faults], len(files)) == (["zip_broken"], 0)
    content = bytearray(packed({"a.json": b"abc" * 100, "b.json": b"def" * 100, "c.json": b"1"}))
    for name in (b"a.json", b"b.json"):
        start = content.index(name) + len(name)
        content[start : start + 4] = b"\xff\xff\xff\xff"
    assert codes(bytes(content)) == [("zip_broken", "a.json"), ("zip_broken", "b.json")]
    content = bytearray(packed({"a.json": b"abc"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert codes(bytes(content)) == [("zip_encrypted", "a.json")]


def test_what_is_no_zip_is_refused() -> None:
    for content in (b"", b"PK", b"{}", b"PK\x05\x06" + b"\x00" * 17, b"PK\x03\x04" * 100):
        assert codes(content) == [("not_a_zip", "")]


@given(st.binary(max_size=60), st.integers(0, 400))
def test_whatever_bytes_come_there_are_files_or_faults_and_never_both(noise: bytes, place: int) -> None:
    good = packed({"cycle.json": b"{}", "train/a.json": b"1" * 50, "train/b.json": b"2" * 50})
    place = min(place, len(good))
    files, faults = open_zip(good[:place] + noise + good[place + len(noise) :])
    whole = all(len(files.read(f"train/{name}")) == 50 for name in files.names("train"))
    assert faults or (len(files) and whole) or not files.names("train")


def test_a_file_at_the_top_is_found_without_reading_the_others() -> None:
    assert head_of(packed({"cycle.json": b'{"a": 1}', "test/cycle.json": b"{}"}), "cycle.json") == b'{"a": 1}'
    assert head_of(packed({"My cycle/cycle.json": b"1", "My cycle/a.json": b"2"}), "cycle.json") == b"1"
    assert head_of(packed({"a.json": b"2"}), "cycle.json") is None
    assert head_of(packed({"cycle.json": b"0" * (Bounds().member + 1)}), "cycle.json") is None
    assert head_of(b"no zip", "cycle.json") is None


@pytest.mark.clause("platform §7 import", "TS T14")
def test_a_folder_that_the_contest_has_within_a_set_is_no_wrapper() -> None:
    files, faults = open_zip(packed({"set/input/HTR/a.txt": b"1"}), inside=("true", "input/HTR"))
    assert (faults, files.everything()) == ((), ["input/HTR/a.txt"])
    assert open_zip(packed({"set/input/HTR/a.txt": b"1"}))[0].everything() == ["a.txt"]
