"""Submission archives: what is refused, and that nothing in one gets out of its folder (tracks.md §4).

Names in an archive that meet: whether it is one name twice or two that a disk may take for one.
"""

from __future__ import annotations

import io
import json
import stat
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tracks.base import to_dict
from tracks.fusion import archive
from tracks.fusion.archive import ArchiveLimits, Checked, Metadata, RefusedArchiveError, check, read_metadata, unpack

IMAGE = "cr.msk.sbercloud.ru/aicloud-base-images/horovod-cuda10.1-tf2.3.0:latest"
METADATA = {"image": IMAGE, "entry_point": "python /home/jovyan/run.py"}
"""Example of the regulation F."""


def packed(
    *members: tuple[Any, bytes | str], metadata: Any = METADATA, method: int = zipfile.ZIP_DEFLATED
) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        if metadata is not None:
            made.writestr("metadata.json", metadata if isinstance(metadata, bytes) else json.dumps(metadata))
        for name, content in members:
            made.writestr(name, content)
    return stream


def unix(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def codes(checked: Checked) -> list[str]:
    return [reason.code for reason in checked.reasons]


def patched(stream: io.BytesIO, old: bytes, new: bytes) -> io.BytesIO:
    content = stream.getvalue()
    assert old in content
    return io.BytesIO(content.replace(old, new))


@pytest.mark.clause("F archive", "F metadata")
def test_a_submission_is_accepted_with_its_facts() -> None:
    checked = check(packed(("run.py", "print()"), ("model/", ""), ("model/w.bin", b"0" * 5000)))
    assert checked.valid
    assert checked.metadata == Metadata(**METADATA)
    assert checked.members == 4
    assert checked.unpacked == len(json.dumps(METADATA)) + 7 + 5000


@pytest.mark.clause("tracks §4 unpacking")
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../x", "path_escape"),
        ("a/../../x", "path_escape"),
        ("a/..", "path_escape"),
        ("/etc/passwd", "absolute_path"),
        ("C:/x", "drive_letter"),
        ("c:x", "drive_letter"),
        ("a\\b", "backslash"),
        ("..\\x", "backslash"),
        ("a//b", "unclean_path"),
        ("./a", "unclean_path"),
        ("a/./b", "unclean_path"),
        ("a\nb", "control_character"),
        ("я" * 128, "name_too_long"),
        (f"{'a' * 255}/" * 16 + "a", "name_too_long"),  # 4 097 bytes, and one byte less is a path
        ("a/" * 101 + "a", "name_too_long"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str, code: str) -> None:
    (reason,) = check(packed((name, "x"))).reasons
    assert reason.code == code
    assert reason.where == {"member": name[:4096]}
    assert reason.message.en != reason.message.ru


def of_names(*names: str) -> io.BytesIO:
    return packed(*((name, "x") for name in names))


@pytest.mark.clause("tracks §4 unpacking", "F metadata")
@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (of_names(f"{'a' * 255}/" * 15 + "a" * 255, "a/" * 100 + "a"), []),  # a path may take 4096 bytes
        (packed((unix("data", stat.S_IFREG | 0o644), "x"), (unix("d/", stat.S_IFDIR | 0o755), "")), []),
        *(
            (packed((unix("data", mode), "/etc/passwd")), ["not_a_file"])
            for mode in (stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o644, stat.S_IFCHR | 0o644, stat.S_IFDIR | 0o755)
        ),
        # zipfile itself stops reading a name at a zero.
        (patched(of_names("run.pyZ.."), b"run.pyZ..", b"run.py\0.."), ["control_character"]),
        (of_names("straße", "STRASSE"), ["case_collision"]),
        (of_names("й", "и\u0306"), ["case_collision"]),
        (of_names("a", "a/b"), ["file_as_directory"]),
        (of_names("a/b", "a"), ["file_as_directory"]),
        (of_names("A/b", "a"), ["file_as_directory"]),
        (packed(("w.bin", b"0" * 100), method=zipfile.ZIP_LZMA), ["unsupported_compression"] * 2),
        (packed(("a/", "data")), ["directory_with_data"]),
        (packed(metadata=b" " * 70_000), ["metadata_too_big"]),
        (packed(("Metadata.JSON", "{}"), metadata=None), ["metadata_not_at_root"]),
        (packed(("run.py", "x"), metadata=None), ["no_metadata"]),
        (
            packed(("../x", "x"), ("/y", "y"), metadata={"image": "", "entry_point": 1}),
            ["path_escape", "absolute_path", "empty_value", "not_a_string"],
        ),
    ],
)
def test_every_fault_of_an_archive_is_told_at_once(stream: io.BytesIO, expected: list[str]) -> None:
    checked = check(stream)
    assert codes(checked) == expected
    assert checked.valid is (expected == [])


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("second", "code", "how"),
    [
        ("run.py", "duplicate_name", "stands in the archive twice"),
        ("RUN.py", "case_collision", "where case does not matter"),
    ],
)
def test_a_name_that_meets_another_is_refused_and_says_how(second: str, code: str, how: str) -> None:
    (reason,) = check(of_names("run.py", second)).reasons
    assert (reason.code, how in reason.message.en) == (code, True)


@pytest.mark.clause("F metadata")
def test_metadata_must_be_at_the_root() -> None:
    (reason,) = check(packed(("work/metadata.json", "{}"), ("work/deep/metadata.json", "{}"), metadata=None)).reasons
    assert (reason.code, reason.where) == ("metadata_not_at_root", {"member": "work/metadata.json"})


@pytest.mark.clause("F limits archive")
def test_a_limit_may_be_met_exactly() -> None:
    assert (ArchiveLimits().packed, ArchiveLimits().unpacked) == (10 * 1024**3, 10 * 1024**3)
    stream = packed(("a", b"0" * 500), ("b", b"1" * 500))
    sizes = {"packed": len(stream.getvalue()), "unpacked": 1000 + len(json.dumps(METADATA)), "members": 3}
    for name, code in (("packed", "packed_too_big"), ("unpacked", "unpacked_too_big"), ("members", "too_many_members")):
        assert check(stream, ArchiveLimits(**{name: sizes[name]})).valid
        assert codes(check(stream, ArchiveLimits(**{name: sizes[name] - 1}))) == [code]


@pytest.mark.clause("TS F-4")
@pytest.mark.parametrize("name", ["gpu", "\ud800"])
def test_other_fields_of_metadata_are_remarked_on_in_words_that_can_be_stored(name: str) -> None:
    """The platform stores the warning: what it cannot write would fail its worker, not the program."""
    found, _, (warning,) = read_metadata(json.dumps({**METADATA, name: 1}).encode())
    assert (found, warning.code) == (Metadata(**METADATA), "unknown_field")
    assert name == "\ud800" or warning.where == {"field": name}
    assert json.dumps(to_dict(warning), ensure_ascii=False).encode()


def test_an_encrypted_member_is_refused() -> None:
    """Bit 0 of the flags in the local header and in the table of contents."""
    stream = packed(("secret", "x"))
    content = bytearray(stream.getvalue())
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.rindex(signature) + offset] |= 1
    assert codes(check(io.BytesIO(bytes(content)))) == ["encrypted"]


@pytest.mark.clause("tracks §4 unpacking", "F limits archive")
def test_a_bomb_gets_no_further_than_the_limit() -> None:
    bomb = packed(("zeros", b"0" * 50_000_000))
    assert len(bomb.getvalue()) < 60_000
    checked = check(bomb, ArchiveLimits(unpacked=1_000_000))
    assert codes(checked) == ["unpacked_too_big"]
    assert checked.unpacked <= 1_000_000 + 2 * 1024**2


@pytest.mark.parametrize("claimed", [10, 10_000_000])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_lying_header_is_found_by_counting(claimed: int, method: int) -> None:
    """The size in both headers is changed; the content keeps its own."""
    stream = packed(("zeros", b"0" * 54_321), method=method)
    lying = patched(stream, struct.pack("<L", 54_321), struct.pack("<L", claimed))
    if method == zipfile.ZIP_STORED:  # the packed size of stored data is the same number: give it back
        content = bytearray(lying.getvalue())
        for signature, offset in ((b"PK\3\4", 18), (b"PK\1\2", 20)):
            struct.pack_into("<L", content, content.rindex(signature) + offset, 54_321)
        lying = io.BytesIO(bytes(content))
    (reason,) = check(lying).reasons
    assert reason.code == "size_differs"
    assert "54321" in reason.message.en
    assert str(claimed) in reason.message.en
    assert codes(check(lying, ArchiveLimits(unpacked=20_000))) == ["unpacked_too_big"]


def test_damaged_content_is_told_by_its_name() -> None:
    stream = packed(("run.py", "print('hello')"), method=zipfile.ZIP_STORED)
    (reason,) = check(patched(stream, b"hello", b"jello")).reasons
    assert (reason.code, reason.where) == ("broken_member", {"member": "run.py"})


@pytest.mark.clause("F archive")
@pytest.mark.parametrize("content", [b"", b"PK\5\6", b"no archive at all", b"\x1f\x8b" + b"0" * 100])
def test_what_is_no_zip_is_refused(content: bytes) -> None:
    assert codes(check(io.BytesIO(content))) == ["not_a_zip"]


def test_a_truncated_archive_is_refused() -> None:
    content = packed(("run.py", "print()" * 1000)).getvalue()
    for length in range(0, len(content), 7):
        assert not check(io.BytesIO(content[:length])).valid


def test_an_overlong_table_of_contents_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_DIRECTORY_BYTES", 100_000)
    stream = packed(*(("x" * 200 + str(number), "") for number in range(500)))
    assert codes(check(stream)) == ["directory_too_big"]


@pytest.mark.clause("F metadata")
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"{", "malformed_json"),
        (b"\xff", "malformed_json"),
        (b'{"image": "a", "image": "b", "entry_point": "c"}', "malformed_json"),
        (b'{"image": NaN, "entry_point": "c"}', "malformed_json"),
        (b"[]", "not_an_object"),
        (b'{"entry_point": "c"}', "missing_field"),
        (b'{"image": "a"}', "missing_field"),
        (b'{"image": null, "entry_point": "c"}', "not_a_string"),
        (b'{"image": "a", "entry_point": " "}', "empty_value"),
        (b'{"image": "a b", "entry_point": "c"}', "bad_image"),
        (b'{"image": "-v /:/host a", "entry_point": "c"}', "bad_image"),
        (b'{"image": "UPPER", "entry_point": "c"}', "bad_image"),
        (b'{"image": "a", "entry_point": "python \\"run.py"}', "bad_command"),
        (b'{"image": "a", "entry_point": "python run.py\\nrm"}', "bad_command"),
        (b'{"image": "a", "entry_point": "python \\ud800.py"}', "bad_command"),
        (b'{"image": "a", "entry_point": "' + b"a " * 2049 + b'"}', "bad_command"),
    ],
)
def test_metadata_that_cannot_be_used_says_why(content: bytes, expected: str) -> None:
    found, reasons, _ = read_metadata(content)
    assert found is None
    assert [reason.code for reason in reasons] == [expected]
    assert all(reason.message.en and reason.message.ru for reason in reasons)


@pytest.mark.parametrize(
    "image", [IMAGE, "python", "python:3.11-slim", "localhost:5000/a/b_c__d:1", f"team/model@sha256:{'0' * 64}"]
)
def test_names_of_images(image: str) -> None:
    found, reasons, warnings = read_metadata(json.dumps({"image": image, "entry_point": "sh run.sh"}).encode())
    assert (found, reasons, warnings) == (Metadata(image, "sh run.sh"), (), ())


def test_a_submission_is_unpacked_with_its_rights_to_execute_only(tmp_path: Path) -> None:
    stream = packed(
        (unix("run.sh", stat.S_IFREG | 0o4777), "echo"),
        (unix("model/w.bin", stat.S_IFREG | 0o400), b"\0\1"),
        ("empty/", ""),
    )
    target = tmp_path / "deep" / "job"
    assert unpack(stream, target).valid
    assert sorted(str(path.relative_to(target)) for path in target.rglob("*")) == [
        "empty",
        "metadata.json",
        "model",
        "model/w.bin",
        "run.sh",
    ]
    assert (target / "model" / "w.bin").read_bytes() == b"\0\1"
    assert stat.S_IMODE((target / "run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((target / "model" / "w.bin").stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("member", "code"),
    [(("../evil", "x"), "path_escape"), ((unix("link", stat.S_IFLNK | 0o777), "/etc"), "not_a_file")],
)
def test_nothing_of_a_refused_archive_is_unpacked(tmp_path: Path, member: Any, code: str) -> None:
    with pytest.raises(RefusedArchiveError) as refused:
        unpack(packed(("run.py", "x"), member), tmp_path / "job")
    assert [reason.code for reason in refused.value.reasons] == [code]
    assert list(tmp_path.iterdir()) == []


def test_an_archive_that_grows_after_its_check_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "check", lambda source, limits: Checked(()))
    with pytest.raises(RefusedArchiveError, match="unpacked archive takes more"):
        unpack(packed(("a", b"0" * 1000)), tmp_path / "job", ArchiveLimits(unpacked=500))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_not_touched(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        unpack(packed(("run.py", "x")), tmp_path)
    assert list(tmp_path.iterdir()) == []
