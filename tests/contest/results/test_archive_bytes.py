"""An archive as bytes: the same whatever the order and the time, and readable by everybody."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import pytest

from contest.results.rules.downloads import archive, pseudonyms

FILES = {"b.json": b"{}", "a/ё.json": "ё".encode(), "README.md": b"read me"}


@pytest.mark.clause("R 7.14", "platform §7 exports")
def test_the_same_files_make_the_same_bytes_stored_as_they_are_with_a_date_of_nobodys() -> None:
    first, second = packed(FILES), packed(dict(FILES))
    assert first == second
    assert packed({**FILES, "b.json": b"[]"}) != first
    with zipfile.ZipFile(io.BytesIO(packed(FILES))) as archive:
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
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as found:
        assert found.testzip() is None
        sizes = [each.compress_size for each in found.infolist()]
    assert all(size <= count < size + 100 for size, count in zip(sizes, counts, strict=False))


def packed(files: dict[str, bytes]) -> bytes:
    return b"".join(archive({"run_id": "r"}, lambda: sorted(files.items())))


def test_pseudonyms_follow_the_first_appearance_and_nothing_of_a_name_is_in_them() -> None:
    assert pseudonyms(["Иванов", "", "Петров", "Иванов"]) == {
        "Иванов": "expert-1",
        "": "expert-2",
        "Петров": "expert-3",
    }
