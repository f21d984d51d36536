"""Pictures as files: what is written is what a reader who knows nothing of the writer sees."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from local.drawn.pages import scenes
from local.drawn.strokes import blank, jpeg, png
from pku.pilot.fusion.pictures import UnreadableError, read


def test_a_grey_picture_has_its_pixels_and_whole_checksums() -> None:
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
    body = png(pixels)
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    at, found = 8, b""
    while at < len(body):
        size, name = struct.unpack(">I4s", body[at : at + 8])
        part = body[at + 8 : at + 8 + size]
        assert struct.unpack(">I", body[at + 8 + size : at + 12 + size])[0] == zlib.crc32(name + part)
        found += part if name == b"IDAT" else b""
        at += 12 + size
    rows = zlib.decompress(found)
    assert rows == b"".join(b"\0" + pixels[row].tobytes() for row in range(3))


@pytest.mark.parametrize("number", range(4))
def test_a_scene_comes_back_from_jpeg_nearly_as_it_was(number: int) -> None:
    pixels = list(scenes("public", 4))[number].pixels()
    seen = read(jpeg(pixels)).astype(int)
    assert seen.shape == pixels.shape
    assert np.abs(seen - pixels).mean() < 2


def test_flat_colours_stay_what_they_are_and_their_differences_may_be_the_largest() -> None:
    pixels = blank(8, 24, (0, 0, 0))
    pixels[:, 8:16] = 255
    seen = read(jpeg(pixels)).astype(int)
    assert np.abs(seen - pixels).max() <= 2


def test_long_runs_of_nothing_within_a_block_are_written() -> None:
    waves = np.cos((2 * np.arange(8) + 1) * 7 * np.pi / 16)
    pixels = np.repeat((128 + 100 * np.outer(waves, waves))[:, :, None], 3, axis=2).astype(np.uint8)
    assert np.abs(read(jpeg(pixels)).astype(int) - pixels).max() <= 6


@pytest.mark.parametrize("content", [b"", b"GIF89a and so on", jpeg(blank(8, 8, 9))[:-12], b"\xff\xd8\xff\xd9"])
def test_what_is_no_such_picture_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableError):
        read(content)
