"""Test Fusion's data: pictures as files, functions in two languages, scenes with true boxes, words by hand."""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections import Counter
from typing import Any

import numpy as np
import pytest

from local.drawn import (
    COLOURS,
    FOLDER,
    HEIGHT,
    KINDS,
    WIDTH,
    WORD_HEIGHT,
    WORDS,
    Language,
    Scene,
    blank,
    called,
    jpeg,
    png,
    scenes,
    written,
)
from pku.pilot.fusion import UnreadableError, read_jpeg
from tracks.fusion.c2c import laid_out

JAVA, TRUE = (
    [source for name in WORDS for source in json.loads((FOLDER / name / file).read_text("utf-8")).values()]
    for file in ("input/C2C/requests.json", "true/true_C2C.json")
)
PYTHON = {source.split()[1]: source for source in TRUE}
SCENES = tuple(scenes("anything", 60))


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
    decoded = read_jpeg(jpeg(pixels)).astype(int)
    assert decoded.shape == pixels.shape
    assert np.abs(decoded - pixels).mean() < 2


def test_flat_colours_stay_what_they_are_and_their_differences_may_be_the_largest() -> None:
    pixels = blank(8, 24, (0, 0, 0))
    pixels[:, 8:16] = 255
    decoded = read_jpeg(jpeg(pixels)).astype(int)
    assert np.abs(decoded - pixels).max() <= 2


def test_long_runs_of_nothing_within_a_block_are_written() -> None:
    waves = np.cos((2 * np.arange(8) + 1) * 7 * np.pi / 16)
    pixels = np.repeat((128 + 100 * np.outer(waves, waves))[:, :, None], 3, axis=2).astype(np.uint8)
    assert np.abs(read_jpeg(jpeg(pixels)).astype(int) - pixels).max() <= 6


@pytest.mark.parametrize("content", [b"", b"GIF89a and so on", jpeg(blank(8, 8, 9))[:-12], b"\xff\xd8\xff\xd9"])
def test_what_is_no_such_picture_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableError):
        read_jpeg(content)


def test_no_function_stands_there_twice_and_names_are_the_same_in_both_languages() -> None:
    assert len(PYTHON) == 40
    assert [java.partition(" (")[0].rpartition(" ")[2] for java in JAVA] == [*PYTHON]


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("total", ([1, 2, 3],), 6),
        ("product", ([2, 3, 4],), 24),
        ("largest", ([3, 9, 4],), 9),
        ("lastIndexOfZero", ([0, 1, 0, 2],), 2),
        ("factorial", (5,), 120),
        ("gcd", (12, 18), 6),
        ("fibonacci", (10,), 55),
        ("digits", (1234,), 4),
        ("repeat", ("ab", 3), "ababab"),
        ("smallest", ([3, 1, 4],), 1),
        ("alternating", ([5, 1, 5],), 9),
        ("steps", ([1, 1, 2],), 1),
        ("weighted", ([1, 2],), 5),
        ("power", (2, 10), 1024),
        ("sumOfDigits", (987,), 24),
        ("isPrime", (97,), True),
        ("collatz", (6,), 8),
        ("indexOf", ([4, 5], 5), 1),
        ("triangle", (4,), 10),
        ("between", (2, 1, 3), True),
        ("celsius", (212,), 100),
    ],
)
def test_a_true_answer_laid_out_again_does_what_its_name_says(name: str, arguments: Any, result: Any) -> None:
    found: dict[str, Any] = {}
    exec(laid_out(PYTHON[name]), found)  # noqa: S102 - our own function
    assert found[name](*arguments) == result


@pytest.mark.parametrize("scene", SCENES[:20])
def test_a_box_holds_exactly_what_was_drawn(scene: Scene) -> None:
    pixels = scene.pixels()
    assert pixels.shape == (HEIGHT, WIDTH, 3)
    drawn = np.zeros((HEIGHT, WIDTH), dtype=bool)
    for thing in scene.things:
        left, top, width, height = thing.box
        part = (pixels[top : top + height, left : left + width] == thing.colour.rgb).all(axis=2)
        for edge in (part[0], part[-1], part[:, 0], part[:, -1]):
            assert edge.any(), thing
        drawn[top : top + height, left : left + width] = True
    assert (pixels[~drawn] == scene.ground).all()


@pytest.mark.parametrize("language", ["en", "ru"])
def test_half_of_the_classes_at_least_are_not_there(language: Language) -> None:
    for scene in SCENES:
        classes = scene.classes(language, random.Random(1))
        there = {thing.called(language) for thing in scene.things}
        assert {name for name, boxes in classes.items() if boxes} == there
        assert len(classes) >= 2 * len(there)
        assert Counter(tuple(box) for boxes in classes.values() for box in boxes) == Counter(
            thing.box for thing in scene.things
        )


def test_several_things_of_one_class_occur() -> None:
    assert any(len({thing.called("en") for thing in scene.things}) < len(scene.things) for scene in SCENES)


def test_russian_adjectives_agree_with_their_nouns() -> None:
    names = {called(kind, colour, "ru") for kind in KINDS for colour in COLOURS}
    assert {"синий мяч", "синяя коробка", "синее яйцо", "жёлтое яйцо", "красная палатка", "зелёный мяч"} <= names


def test_answers_are_those_of_the_scene() -> None:
    for scene in SCENES:
        kinds = Counter(thing.kind.en for thing in scene.things)
        asked = dict(scene.questions("en"))
        for kind in KINDS:
            assert asked[f"How many {kind.many_en} are there in the picture?"] == str(kinds[kind.en])
        assert Counter(asked.values())["yes"] == len(kinds)
        russian = dict(scene.questions("ru"))
        assert Counter(russian.values())["да"] == len(kinds)
        colours = {thing.kind.en: thing.colour.en for thing in scene.things if kinds[thing.kind.en] == 1}
        assert {q.split()[-1].rstrip("?"): a for q, a in asked.items() if q.startswith("What colour")} == colours


@pytest.mark.parametrize("word", [word for words in WORDS.values() for word in words.split()])
def test_a_word_is_ink_on_paper_and_touches_no_border(word: str) -> None:
    pixels = written(word, "a hand")
    assert pixels.shape[0] == WORD_HEIGHT
    assert pixels.shape[1] > 12 * len(word)
    assert 0.02 < (pixels < 128).mean() < 0.5
    for border in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (border > 128).all()


def test_a_letter_without_strokes_is_refused() -> None:
    with pytest.raises(KeyError):
        written("quiz", "a")
