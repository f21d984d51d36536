"""Scenes: boxes are around what is drawn, classes are those that are there, answers are true."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from local.drawn.pages import COLOURS, HEIGHT, KINDS, WIDTH, Language, Scene, called, scenes

SCENES = tuple(scenes("anything", 60))


def test_a_seed_gives_the_same_scenes_and_another_seed_others() -> None:
    assert tuple(scenes("anything", 60)) == SCENES
    assert tuple(scenes("something", 60)) != SCENES


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
