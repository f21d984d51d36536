"""Recognition by colour and size alone: a box around pixels of a named colour, short answers, a word of a length."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from .pictures import Pixels, UnreadableError, read

_LETTER: Final = 0.55
"""Widths of a letter in heights of the picture."""
_COMMON: Final = ("и", "не", "что", "было", "очень", "только", "сегодня", "человека", "несколько")
"""Words of one to nine letters."""
_NAMED: Final = {
    "red": ("red", r"красн", (200, 40, 40)),
    "green": ("green", r"зелен", (40, 140, 60)),
    "blue": ("blue", r"син", (40, 70, 200)),
    "yellow": ("yellow", r"желт", (230, 200, 50)),
    "purple": ("purple", r"фиолет", (130, 50, 160)),
    "black": ("black", r"черн", (20, 20, 20)),
    "orange": ("orange", r"оранж", (240, 140, 30)),
}
_RUSSIAN: Final = {
    "red": "красный",
    "green": "зелёный",
    "blue": "синий",
    "yellow": "жёлтый",
    "purple": "фиолетовый",
    "black": "чёрный",
    "orange": "оранжевый",
}
_NEAR: Final = 60
"""Greatest difference of a pixel from the colour it is taken for, of the largest of red, green and blue."""
_FEWEST: Final = 60
"""Pixels of a colour that are taken for a thing."""


def boxes(image: bytes, classes: Iterable[str]) -> dict[str, list[list[float]]]:
    """Return a box around all pixels of the colour that a class names; an empty list without any."""
    try:
        pixels = read(image)
    except UnreadableError:
        return {name: [] for name in classes}
    boxes_by_name = {}
    for name in classes:
        plain = name.lower().replace("ё", "е")
        named = (key for key, (en, ru, _) in _NAMED.items() if re.search(rf"\b(?:{en}\b|{ru})", plain))
        boxes_by_name[name] = _box(pixels, next(named, None))
    return boxes_by_name


def answers(questions: Mapping[str, Any], image: Callable[[str], bytes]) -> dict[str, str]:
    """Answer yes, one, or the most frequent colour, in the question's language."""
    replies = {}
    for name, entry in questions.items():
        russian = re.search("[а-яё]", entry["question"], re.IGNORECASE) is not None
        question = entry["question"].lower()
        if re.match(r"сколько|how many", question):
            replies[name] = "1"
        elif re.search(r"цвет|colou?r", question):
            colour = _commonest(image(entry["file_name"]))
            replies[name] = _RUSSIAN[colour] if russian else colour
        else:
            replies[name] = "да" if russian else "yes"
    return replies


def _alike(pixels: Pixels, colour: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    away = np.abs(pixels.astype(np.int64) - np.array(_NAMED[colour][2])).max(axis=2)
    return np.asarray(away <= _NEAR)


def _box(pixels: Pixels, colour: str | None) -> list[list[float]]:
    if colour is None:
        return []
    alike = _alike(pixels, colour)
    if alike.sum() < _FEWEST:
        return []
    rows, columns = np.flatnonzero(alike.any(axis=1)), np.flatnonzero(alike.any(axis=0))
    left_edge, top_edge = float(columns[0]), float(rows[0])
    return [[left_edge, top_edge, float(columns[-1]) + 1 - left_edge, float(rows[-1]) + 1 - top_edge]]


def _commonest(image: bytes) -> str:
    try:
        pixels = read(image)
    except UnreadableError:
        return "red"
    return max(_NAMED, key=lambda colour: int(_alike(pixels, colour).sum()))


def word_of(image: bytes) -> str:
    """Guess a written word by its picture's size, which a PNG has in its header: the commonest of about its length."""
    width, height = struct.unpack(">II", image[16:24])
    letters = round(width / (height * _LETTER))
    return _COMMON[min(max(letters, 1), len(_COMMON)) - 1]
