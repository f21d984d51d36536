"""Words in a hand of our own: a few strokes a letter, every word slanted, spaced and shaken a little differently."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from local.drawn.pictures import Pixels

HEIGHT: Final = 48
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


def known(word: str) -> bool:
    """Whether every letter of a word has its strokes."""
    return bool(word) and all(letter in _LETTERS for letter in word)


def written(word: str, seed: str) -> Pixels:
    """A word as a grey picture of :data:`HEIGHT` rows, the same for a seed. KeyError for a letter without strokes."""
    draw = random.Random(f"{seed} {word}")  # noqa: S311 - to be the same again, not to be secret
    segments, width = _segments(word, draw)
    ink = np.zeros((HEIGHT, int(width + 2 * _MARGIN)))
    thick = draw.uniform(1.1, 1.7)
    for start, end in segments:
        ink = np.maximum(ink, np.clip(thick + 0.5 - _distance(ink.shape, start, end), 0, 1))
    return np.rint(_PAPER - ink * (_PAPER - _INK)).astype(np.uint8)


Point = tuple[float, float]


def _segments(word: str, draw: random.Random) -> tuple[list[tuple[Point, Point]], float]:
    """The lines of a word, in pixels, and how far it goes to the right."""
    found, right = list[tuple[Point, Point]](), 0.0
    slant, spread = draw.uniform(-0.25, 0.25), draw.uniform(1.0, 1.8)
    at = 0.0
    for letter in word:
        for stroke in _strokes(letter):
            shaken = [(x + at + draw.uniform(-0.15, 0.15), y + draw.uniform(-0.15, 0.15)) for x, y in stroke]
            points = [(_MARGIN + _UNIT * (x + slant * (4 - y) + 1), _TOP + _UNIT * y * 0.8) for x, y in shaken]
            right = max(right, *(x for x, _ in points))
            found += pairwise(points)
        at += max(x for stroke in _strokes(letter) for x, _ in stroke) + spread
    return found, right


def _strokes(letter: str) -> Iterator[list[Point]]:
    for stroke in _LETTERS[letter].split(";"):
        yield [(float(x), float(y)) for x, y in (point.split(",") for point in stroke.split())]


def _distance(shape: tuple[int, ...], start: Point, end: Point) -> npt.NDArray[np.float64]:
    """How far every pixel is from a segment."""
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    along = np.array(end) - np.array(start)
    length = float(along @ along)
    share = ((x - start[0]) * along[0] + (y - start[1]) * along[1]) / length if length else np.zeros(shape)
    share = np.clip(share, 0, 1)
    return np.asarray(np.hypot(x - start[0] - share * along[0], y - start[1] - share * along[1]))
