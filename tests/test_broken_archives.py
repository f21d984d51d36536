"""A ZIP archive with a damaged member, at every door that reads one: refused, never a decompressor's exception."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from contest.cycle.commands import cycles
from contest.cycle.rules import sets
from markup_core.formats.foreign import FormatError
from markup_core.formats.gathering import read_corpus
from pku.archive import verify
from pku.errors import PkuError
from pku.tables import read_board
from tracks.custom.declaration import read_program
from tracks.fusion import archive as fusion


def damaged(name: str, method: int, place: int) -> bytes:
    """Return an archive of one member, of whose packed bytes twelve are overwritten from a place on."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo(name), bytes(range(200)) * 3, method)
    content = bytearray(packed.getvalue())
    begin = 30 + len(name) + place
    content[begin : begin + 12] = b"\xff" * 12
    return bytes(content)


def _raises(error: type[Exception], reader: Callable[[], Any]) -> bool:
    with pytest.raises(error):
        reader()
    return True


DOORS: dict[str, Callable[[Path], bool]] = {
    "a.dist-info/entry_points.txt": lambda path: read_program("a-1-x.whl", path.read_bytes())[0] is None,
    "metadata.json": lambda path: not fusion.check(io.BytesIO(path.read_bytes())).valid,
    "cycle.json": lambda path: sets.head_of(path.read_bytes(), "cycle.json") is None,
    "a.conllu": lambda path: _raises(FormatError, lambda: read_corpus({"a.zip": path.read_bytes})),
    "board.json": lambda path: (
        _raises(PkuError, lambda: read_board(path)) and _raises(click.ClickException, lambda: cycles._board(path))
    ),
    "manifest.json": lambda path: _raises(PkuError, lambda: verify(path)),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_refused_at_every_door(tmp_path: Path, door: str, method: int) -> None:
    path = tmp_path / "damaged.zip"
    for place in (0, 4, 14):  # the head of the stream, its options, its data
        path.write_bytes(damaged(door, method, place))
        assert DOORS[door](path), place
