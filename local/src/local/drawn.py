"""The pictures of Fusion's demonstration data, with their questions and answers: the same bytes whenever they are made.

Scenes are small: coloured things on a ground, their places, and questions about them in two languages. Words are in a
hand of our own: a few strokes a letter, every word slanted, spaced and shaken a little differently. Grey pixels become
PNG, coloured ones baseline JPEG, as the contest hands its images out (F).

``python -m local.drawn [FOLDER]`` writes them, by default into ``local/contests/fusion``; a test says when they are
stale.
"""

from __future__ import annotations

import json
import random
import shutil
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]

_QUANTUM: Final = 6
"""Quantization step of the JPEG coefficients: flat colours stay exact, edges nearly so."""
_LARGEST: Final = 10
"""Bits of the largest coefficient of a picture with eight bits a sample."""
_EOB, _ZRL = 0x00, 0xF0
_AC_SYMBOLS: Final = (_EOB, _ZRL, *(run << 4 | size for run in range(16) for size in range(1, _LARGEST + 1)))
_ZIGZAG: Final = tuple(
    8 * row + column
    for _, _, row, column in sorted(
        (row + column, row if (row + column) % 2 else column, row, column) for row in range(8) for column in range(8)
    )
)


def png(pixels: Pixels) -> bytes:
    """Return a grey picture, height × width, as PNG."""
    height, width = pixels.shape
    rows = b"".join(b"\0" + pixels[row].tobytes() for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )


def jpeg(pixels: Pixels) -> bytes:
    """Return a coloured picture, height × width × 3 with sides that are multiples of 8, as baseline JPEG.

    No colour is halved, and the codes are the simplest that the format allows: one bit where a block ends, nine for any
    other symbol.
    """
    height, width, _ = pixels.shape
    frame = struct.pack(">BHHB", 8, height, width, 3) + b"".join(bytes((number, 0x11, 0)) for number in (1, 2, 3))
    direct = bytes((0, 0, 0, 12, *(0,) * 12, *range(12)))
    others = bytes((1, *(0,) * 7, len(_AC_SYMBOLS) - 1, *(0,) * 7, *_AC_SYMBOLS))
    scan = b"\x03" + b"".join(bytes((number, 0)) for number in (1, 2, 3)) + bytes((0, 63, 0))
    bits = _bits(_blocks(pixels))
    text = "".join(f"{value:0{length}b}" for value, length in bits if length)
    text += "1" * (-len(text) % 8)
    return b"".join(
        (
            b"\xff\xd8",
            _segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0"),
            _segment(0xDB, bytes((0, *(_QUANTUM,) * 64))),
            _segment(0xC0, frame),
            _segment(0xC4, b"\x00" + direct),
            _segment(0xC4, b"\x10" + others),
            _segment(0xDA, scan),
            int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0"),
            b"\xff\xd9",
        )
    )


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _blocks(pixels: Pixels) -> npt.NDArray[np.int64]:
    """Return the coefficients of the blocks, row by row: blocks × 3 × 64, in the order in which they are written."""
    red, green, blue = np.moveaxis(pixels.astype(np.float64), 2, 0)
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    planes = np.stack((luma - 128, (blue - luma) / 1.772, (red - luma) / 1.402))
    _, height, width = planes.shape
    cut = planes.reshape(3, height // 8, 8, width // 8, 8).transpose(1, 3, 0, 2, 4).reshape(-1, 3, 8, 8)
    steps = np.arange(8)
    waves = np.cos((2 * steps[None, :] + 1) * steps[:, None] * np.pi / 16) * np.where(steps == 0, 8**-0.5, 0.5)[:, None]
    coefficients = np.rint(np.einsum("ij,bpjk,lk->bpil", waves, cut, waves) / _QUANTUM).astype(np.int64)
    return np.asarray(coefficients.reshape(-1, 3, 64)[:, :, _ZIGZAG])


def _bits(blocks: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the scan as values with their lengths in bits."""
    before = [0, 0, 0]
    for planes in blocks.tolist():
        for number, block in enumerate(planes):
            size, more = _coded(block[0] - before[number])
            before[number] = block[0]
            yield size, 4
            yield more, size
            yield from _others(block)


def _others(block: list[int]) -> Iterator[tuple[int, int]]:
    run, last = 0, max((place for place in range(1, 64) if block[place]), default=0)
    for value in block[1 : last + 1]:
        if value == 0:
            run += 1
            continue
        while run > 15:
            yield _symbol(_ZRL)
            run -= 16
        size, more = _coded(value)
        yield _symbol(run << 4 | size)
        yield more, size
        run = 0
    if last < 63:
        yield _symbol(_EOB)


def _symbol(symbol: int) -> tuple[int, int]:
    place = _AC_SYMBOLS.index(symbol)
    return (0, 1) if place == 0 else (0x100 + place - 1, 9)


def _coded(value: int) -> tuple[int, int]:
    """Return the size in bits of a value, and the bits that stand for it among those of this size."""
    size = abs(value).bit_length()
    return size, value if value > 0 else value + (1 << size) - 1


def blank(height: int, width: int, colour: Any) -> Pixels:
    """Return a picture of one colour."""
    return np.full((height, width, 3), colour, dtype=np.uint8)


WORD_HEIGHT: Final = 48
_UNIT: Final = 5.0
"""Pixels of a step of the letters' grid, in which 0 is the height of small letters and 4 the line."""
_TOP: Final = 16.0
_MARGIN: Final = 6.0
_PAPER, _INK = 250, 30

_RING: Final = "2,0 1,0 0,1 0,3 1,4 2,4 3,3 3,1 2,0"
_LETTERS: Final[Mapping[str, str]] = {
    "a": f"{_RING};3,0 3,4 4,4",
    "b": "0,-3 0,4;0,1 1,0 2,0 3,1 3,3 2,4 1,4 0,3",
    "d": "3,-3 3,4;3,1 2,0 1,0 0,1 0,3 1,4 2,4 3,3",
    "e": "0,2 3,2 3,1 2,0 1,0 0,1 0,3 1,4 3,4",
    "g": "3,0 3,6 2,7 0,7;3,1 2,0 1,0 0,1 0,3 1,4 2,4 3,3",
    "h": "0,-3 0,4;0,2 1,0 2,0 3,1 3,4",
    "i": "1,0 1,4 2,4;1,-2 1,-2.2",
    "l": "0,-3 0,3 1,4 2,4",
    "m": "0,0 0,4;0,1 1,0 2,1 2,4;2,1 3,0 4,1 4,4",
    "n": "0,0 0,4;0,2 1,0 2,0 3,1 3,4",
    "o": _RING,
    "r": "0,0 0,4;0,2 1,0 3,0",
    "s": "3,0 1,0 0,1 3,3 2,4 0,4",
    "t": "1,-2 1,3 2,4 3,4;0,0 3,0",
    "u": "0,0 0,3 1,4 2,4 3,2;3,0 3,4",
    "w": "0,0 1,4 2,1 3,4 4,0",
    "y": "0,0 0,2 1,3 3,3;3,0 3,6 2,7 0,7",
    "а": f"{_RING};3,0 3,4 4,4",
    "б": f"{_RING};0,1 0,-2 3,-3",
    "в": "0,4 0,0 2,0 3,1 2,2 0,2;2,2 3,3 2,4 0,4",
    "г": "0,4 0,0 3,0",
    "д": "0,4 1,3 1,0 3,0 3,3 4,4 4,5;0,5 0,4 4,4",
    "е": "0,2 3,2 3,1 2,0 1,0 0,1 0,3 1,4 3,4",
    "з": "0,0 2,0 3,1 2,2 1,2;2,2 3,3 2,4 0,4",
    "и": "0,0 0,4 3,0 3,4",
    "к": "0,0 0,4;3,0 0,2 3,4",
    "л": "0,4 1,3 1,0 3,0 3,4",
    "м": "0,4 0,0 2,3 4,0 4,4",
    "н": "0,0 0,4;3,0 3,4;0,2 3,2",
    "о": _RING,
    "п": "0,4 0,0 3,0 3,4",
    "р": "0,0 0,7;0,1 1,0 2,0 3,1 3,3 2,4 1,4 0,3",
    "с": "3,0 1,0 0,1 0,3 1,4 3,4",
    "т": "0,0 4,0;2,0 2,4",
    "у": "0,0 1,3;3,0 1,6 0,7",
    "ш": "0,0 0,4 4,4 4,0;2,0 2,4",
    "ы": "0,0 0,4 1,4 2,3 1,2 0,2;3,0 3,4",
    "ь": "0,0 0,4 2,4 3,3 2,2 0,2",
    "я": "3,4 3,0 1,0 0,1 1,2 3,2;1,2 0,4",
}


def written(word: str, seed: str) -> Pixels:
    """Return a word as a grey picture of :data:`WORD_HEIGHT` rows, the same for a seed. KeyError for a letter without
    strokes."""
    draw = random.Random(f"{seed} {word}")  # noqa: S311 - to be the same again, not to be secret
    segments, width = _segments(word, draw)
    ink = np.zeros((WORD_HEIGHT, int(width + 2 * _MARGIN)))
    thick = draw.uniform(1.1, 1.7)
    for start, end in segments:
        ink = np.maximum(ink, np.clip(thick + 0.5 - _distance(ink.shape, start, end), 0, 1))
    return np.rint(_PAPER - ink * (_PAPER - _INK)).astype(np.uint8)


Point = tuple[float, float]


def _segments(word: str, draw: random.Random) -> tuple[list[tuple[Point, Point]], float]:
    """Return the lines of a word, in pixels, and its right end."""
    lines, right = list[tuple[Point, Point]](), 0.0
    slant, spread = draw.uniform(-0.25, 0.25), draw.uniform(1.0, 1.8)
    at = 0.0
    for letter in word:
        for stroke in _strokes(letter):
            shaken = [(x + at + draw.uniform(-0.15, 0.15), y + draw.uniform(-0.15, 0.15)) for x, y in stroke]
            points = [(_MARGIN + _UNIT * (x + slant * (4 - y) + 1), _TOP + _UNIT * y * 0.8) for x, y in shaken]
            right = max(right, *(x for x, _ in points))
            lines += pairwise(points)
        at += max(x for stroke in _strokes(letter) for x, _ in stroke) + spread
    return lines, right


def _strokes(letter: str) -> Iterator[list[Point]]:
    for stroke in _LETTERS[letter].split(";"):
        yield [(float(x), float(y)) for x, y in (point.split(",") for point in stroke.split())]


def _distance(shape: tuple[int, ...], start: Point, end: Point) -> npt.NDArray[np.float64]:
    """Return how far every pixel is from a segment."""
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    along = np.array(end) - np.array(start)
    length = float(along @ along)
    share = ((x - start[0]) * along[0] + (y - start[1]) * along[1]) / length if length else np.zeros(shape)
    share = np.clip(share, 0, 1)
    return np.asarray(np.hypot(x - start[0] - share * along[0], y - start[1] - share * along[1]))


HEIGHT, WIDTH = 120, 160
Language = Literal["en", "ru"]
Box = list[int]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing: its shape's name, its name alone, and counted; ``gender`` of the Russian word."""

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
        """Return the adjective as it agrees with a noun."""
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
        """Return the class of a thing."""
        return called(self.kind, self.colour, language)


@dataclass(frozen=True, slots=True)
class Scene:
    """Things on a ground."""

    things: tuple[Thing, ...]
    ground: tuple[int, int, int]

    def classes(self, language: Language, draw: random.Random) -> dict[str, list[Box]]:
        """Return the classes in the scene with their boxes, and as many others, in an order that reveals nothing."""
        boxes: dict[str, list[Box]] = {}
        for thing in self.things:
            boxes.setdefault(thing.called(language), []).append(list(thing.box))
        absent = [name for kind in KINDS for colour in COLOURS if (name := called(kind, colour, language)) not in boxes]
        mixed = [*boxes, *draw.sample(absent, max(2, len(boxes)))]
        draw.shuffle(mixed)
        return {name: boxes.get(name, []) for name in mixed}

    def questions(self, language: Language) -> Sequence[tuple[str, str]]:
        """Return the questions about the scene, with answers: how many, is there one, of which colour."""
        kinds = Counter(thing.kind.en for thing in self.things)
        questions = list[tuple[str, str]]()
        for kind in KINDS:
            count = kinds[kind.en]
            if language == "en":
                questions.append((f"How many {kind.many_en} are there in the picture?", str(count)))
                article = "an" if kind.en[0] in "aeiou" else "a"
                questions.append((f"Is there {article} {kind.en} in the picture?", "yes" if count else "no"))
            else:
                questions.append((f"Сколько {kind.many_ru} на картинке?", str(count)))
                questions.append((f"Есть ли на картинке {kind.ru}?", "да" if count else "нет"))
        for thing in self.things:
            if kinds[thing.kind.en] == 1:
                question = (
                    f"What colour is the {thing.kind.en}?" if language == "en" else f"Какого цвета {thing.kind.ru}?"
                )
                questions.append((question, thing.colour.en if language == "en" else thing.colour.russian("m")))
        return questions

    def pixels(self) -> Pixels:
        """Return the scene drawn."""
        canvas = blank(HEIGHT, WIDTH, self.ground)
        for thing in self.things:
            x, y, width, height = thing.box
            part = canvas[y : y + height, x : x + width]
            part[_SHAPES[thing.kind.en](height, width)] = thing.colour.rgb
        return canvas


def called(kind: Kind, colour: Colour, language: Language) -> str:
    """Return the class of a thing: its kind and its colour."""
    return f"{colour.en} {kind.en}" if language == "en" else f"{colour.russian(kind.gender)} {kind.ru}"


def scenes(seed: str, count: int) -> Iterator[Scene]:
    """Yield so many scenes of one to four things, the same for a seed; in some of them two things are of one class."""
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
    x = place[1] * 53 + draw.randint(2, 51 - width)
    top = place[0] * 60 + draw.randint(2, 58 - height)
    return Thing(kind, colour, (x, top, width, height))


def _shape(fits: Callable[[Any, Any, int], Any]) -> Callable[[int, int], Mask]:
    """Return a shape in a box: ``fits`` takes each pixel's distances from the middle, from -1 to 1, and the width."""

    def mask(height: int, width: int) -> Mask:
        down = (np.arange(height)[:, None] + 0.5) / height * 2 - 1
        right = (np.arange(width)[None, :] + 0.5) / width * 2 - 1
        return np.asarray(fits(down, right, width))

    return mask


_ROUND: Final = _shape(lambda down, right, _: down**2 + right**2 <= 1)
_SHAPES: Final[Mapping[str, Callable[[int, int], Mask]]] = {
    "ball": _ROUND,
    "egg": _ROUND,
    "box": lambda height, width: np.ones((height, width), dtype=np.bool_),
    "tent": _shape(lambda down, right, width: 2 * np.abs(right) <= down + 1 + 2 / width),
    "kite": _shape(lambda down, right, width: np.abs(down) + np.abs(right) <= 1 + 1 / width),
}

TESTS: Final = 20
"""Number of tests of each subtask in each set."""
DRAWN: Final = ("HTR", "VQA", "zsOD")
"""Subtasks whose data are drawn here; functions in two languages (C2C) were written by hand."""
WORDS: Final = {
    "public": "школа река дерево книга окно стол рыба поле зима лето hello water house garden summer bread stone"
    " weather letter window",
    "private": "дорога берег озеро трава город весна молоко тетрадь ветер мост night street winter mountain green"
    " silent butter island morning thunder",
}
"""Words of each set: ten Russian and ten English ones."""


def files(name: str) -> dict[str, bytes]:
    """Return the drawn files of a set, ``input/…`` as a program finds them and ``true/…`` with the answers."""
    words = WORDS[name].split()
    random.Random(f"words {name}").shuffle(words)  # noqa: S311 - to be the same again, not to be secret
    named = {f"{number}.png": word for number, word in enumerate(words)}
    return {
        **{f"input/HTR/images/{file}": png(written(word, name)) for file, word in named.items()},
        "true/true_HTR.json": _json(named),
        **_seen(name),
    }


def _seen(name: str) -> dict[str, bytes]:
    """Return the data of zero-shot detection and of questions: the same scenes, every other one in Russian."""
    draw = random.Random(f"asked {name}")  # noqa: S311 - to be the same again, not to be secret
    images, boxes = dict[str, bytes](), dict[str, Any]()
    questions, answers = dict[str, Any](), dict[str, Any]()
    for number, scene in enumerate(scenes(name, TESTS)):
        language: Language = "ru" if number % 2 else "en"
        file = f"{number}.jpg"
        images[file] = jpeg(scene.pixels())
        boxes[file] = scene.classes(language, draw)
        question, answer = draw.choice(scene.questions(language))
        questions[str(number)] = {"file_name": file, "question": question}
        answers[str(number)] = {"answer": answer, "lang": language}
    return {
        **{f"input/{subtask}/images/{file}": body for subtask in ("zsOD", "VQA") for file, body in images.items()},
        "input/zsOD/requests.json": _json({file: list(classes) for file, classes in boxes.items()}),
        "input/VQA/questions.json": _json(questions),
        "true/true_zsOD.json": _json(boxes),
        "true/true_VQA.json": _json(answers),
    }


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


FOLDER = Path(__file__).parents[2] / "contests" / "fusion"


def main(arguments: list[str]) -> int:
    """Write the drawn subtasks of both sets; what stood in their place is gone."""
    folder = Path(arguments[0]) if arguments else FOLDER
    for name in WORDS:
        for subtask in DRAWN:
            shutil.rmtree(folder / name / "input" / subtask, ignore_errors=True)
        for path, body in files(name).items():
            place = folder / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(body)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
