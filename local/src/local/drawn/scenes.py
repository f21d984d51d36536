"""Small scenes: coloured things on a ground, what stands where, what is asked about them in two languages."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from local.drawn.pictures import Pixels, blank

HEIGHT, WIDTH = 120, 160
Language = Literal["en", "ru"]
Box = list[int]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a thing is: its shape's name, how it is called, alone, and counted; ``gender`` of the Russian word."""

    en: str
    ru: str
    many_en: str
    many_ru: str
    gender: Literal["m", "f", "n"]


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour: its value and its names; of the Russian adjective the part before its ending."""

    en: str
    ru: str
    rgb: tuple[int, int, int]

    def russian(self, gender: Literal["m", "f", "n"]) -> str:
        """The adjective as it agrees with a noun."""
        soft = self.ru == "син"
        return self.ru + {"m": "ий" if soft else "ый", "f": "яя" if soft else "ая", "n": "ее" if soft else "ое"}[gender]


KINDS: Final = (
    Kind("ball", "мяч", "balls", "мячей", "m"),
    Kind("box", "коробка", "boxes", "коробок", "f"),
    Kind("tent", "палатка", "tents", "палаток", "f"),
    Kind("kite", "воздушный змей", "kites", "воздушных змеев", "m"),
    Kind("egg", "яйцо", "eggs", "яиц", "n"),
)
COLOURS: Final = (
    Colour("red", "красн", (205, 35, 40)),
    Colour("green", "зелён", (35, 140, 60)),
    Colour("blue", "син", (40, 70, 200)),
    Colour("yellow", "жёлт", (235, 205, 40)),
    Colour("purple", "фиолетов", (130, 50, 160)),
)
_GROUNDS: Final = ((236, 240, 243), (226, 232, 224), (240, 232, 220))
_PLACES: Final = tuple((row, column) for row in range(2) for column in range(3))
"""Cells of a scene, 60 × 53 pixels each; a thing stands within one."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing in a scene and the box around it, ``[x, y, w, h]`` in pixels."""

    kind: Kind
    colour: Colour
    box: tuple[int, int, int, int]

    def called(self, language: Language) -> str:
        """Its class."""
        return called(self.kind, self.colour, language)


@dataclass(frozen=True, slots=True)
class Scene:
    """Things on a ground."""

    things: tuple[Thing, ...]
    ground: tuple[int, int, int]

    def classes(self, language: Language, draw: random.Random) -> dict[str, list[Box]]:
        """The classes that are there with their boxes, and as many that are not, in an order that tells nothing."""
        found: dict[str, list[Box]] = {}
        for thing in self.things:
            found.setdefault(thing.called(language), []).append(list(thing.box))
        absent = [name for kind in KINDS for colour in COLOURS if (name := called(kind, colour, language)) not in found]
        mixed = [*found, *draw.sample(absent, max(2, len(found)))]
        draw.shuffle(mixed)
        return {name: found.get(name, []) for name in mixed}

    def questions(self, language: Language) -> Sequence[tuple[str, str]]:
        """What can be asked of the scene, with the answer: how many, is there one, of which colour."""
        kinds = Counter(thing.kind.en for thing in self.things)
        found = list[tuple[str, str]]()
        for kind in KINDS:
            count = kinds[kind.en]
            if language == "en":
                found.append((f"How many {kind.many_en} are there in the picture?", str(count)))
                article = "an" if kind.en[0] in "aeiou" else "a"
                found.append((f"Is there {article} {kind.en} in the picture?", "yes" if count else "no"))
            else:
                found.append((f"Сколько {kind.many_ru} на картинке?", str(count)))
                found.append((f"Есть ли на картинке {kind.ru}?", "да" if count else "нет"))
        for thing in self.things:
            if kinds[thing.kind.en] == 1:
                asked = f"What colour is the {thing.kind.en}?" if language == "en" else f"Какого цвета {thing.kind.ru}?"
                found.append((asked, thing.colour.en if language == "en" else thing.colour.russian("m")))
        return found

    def pixels(self) -> Pixels:
        """The scene drawn."""
        canvas = blank(HEIGHT, WIDTH, self.ground)
        for thing in self.things:
            left, top, width, height = thing.box
            part = canvas[top : top + height, left : left + width]
            part[_SHAPES[thing.kind.en](height, width)] = thing.colour.rgb
        return canvas


def called(kind: Kind, colour: Colour, language: Language) -> str:
    """The class of a thing: what it is and its colour."""
    return f"{colour.en} {kind.en}" if language == "en" else f"{colour.russian(kind.gender)} {kind.ru}"


def scenes(seed: str, count: int) -> Iterator[Scene]:
    """So many scenes of one to four things, the same for a seed; in some of them two things are of one class."""
    draw = random.Random(seed)  # noqa: S311 - to be the same again, not to be secret
    for _ in range(count):
        places = sorted(draw.sample(_PLACES, draw.randint(1, 4)))
        classes = [(draw.choice(KINDS), draw.choice(COLOURS)) for _ in places]
        if len(classes) > 2 and draw.random() < 0.5:
            classes[1] = classes[0]
        things = (_thing(draw, place, *chosen) for place, chosen in zip(places, classes, strict=True))
        yield Scene(tuple(things), draw.choice(_GROUNDS))


def _thing(draw: random.Random, place: tuple[int, int], kind: Kind, colour: Colour) -> Thing:
    width, height = draw.randint(22, 44), draw.randint(22, 48)
    if kind.en == "ball":
        width = height = min(width, height)
    elif kind.en == "egg":
        width, height = min(width, 30), max(height, 38)
    left = place[1] * 53 + draw.randint(2, 51 - width)
    top = place[0] * 60 + draw.randint(2, 58 - height)
    return Thing(kind, colour, (left, top, width, height))


def _grid(height: int, width: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How far each pixel's middle is from the box's middle, from -1 to 1."""
    down = (np.arange(height)[:, None] + 0.5) / height * 2 - 1
    right = (np.arange(width)[None, :] + 0.5) / width * 2 - 1
    return down, right


def _round(height: int, width: int) -> Mask:
    down, right = _grid(height, width)
    return np.asarray(down**2 + right**2 <= 1)


def _full(height: int, width: int) -> Mask:
    return np.ones((height, width), dtype=np.bool_)


def _tent(height: int, width: int) -> Mask:
    down, right = _grid(height, width)
    return np.asarray(2 * np.abs(right) <= down + 1 + 2 / width)


def _kite(height: int, width: int) -> Mask:
    down, right = _grid(height, width)
    return np.asarray(np.abs(down) + np.abs(right) <= 1 + 1 / width)


_SHAPES: Final[Mapping[str, Callable[[int, int], Mask]]] = {
    "ball": _round,
    "egg": _round,
    "box": _full,
    "tent": _tent,
    "kite": _kite,
}
