"""Generate markups for the benchmark: always the same ones, from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier, Code

SYLLABLES = "ба ве ги до жу зы ка ле ми но пу ры са те фи хо цу ша".split()
COMMENTS = (
    "лишняя запятая",
    "пропущена запятая перед союзом",
    "неверное управление",
    "повтор слова в соседних предложениях",
    "нет связи между абзацами",
    "неточно передана мысль автора",
    "разговорное слово",
)
Raw = dict[str, Any]


def typical_pair(rng: random.Random, fragments: int) -> tuple[Raw, Raw]:
    """Return two annotators' markups of one essay: each sees nine tenths of the places, some a little differently.

    An essay has 3 000 characters. Two fragments in five are semantic blocks, a sentence to a paragraph long, the
    others errors, a word to a phrase: half the fragments are shorter than 40 characters, a quarter longer than 130,
    rather shorter than in the example markups that the earlier comparer was published with.
    """
    pieces = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 5))) for _ in range(450)]
    text = "".join(piece + rng.choice((" ", " ", " ", ", ", ". ", " — ")) for piece in pieces)
    codes = Classifier.default().codes("rus")
    first: list[Raw] = []
    second: list[Raw] = []
    for _ in range(fragments):
        group = "meaning" if rng.random() < 0.4 else "error"
        place = _place(rng, text, rng.choice([code for code in codes if code.group == group]))
        if rng.random() < 0.9:
            first.append({"id": len(first) + 1, **place})
        if rng.random() < 0.9:
            second.append({"id": len(second) + 1, **_varied(rng, text, place, codes)})
    return _markup(text, first), _markup(text, second)


def _place(rng: random.Random, text: str, code: Code) -> Raw:
    length = round(60 * 10 ** rng.random()) if code.group == "meaning" else rng.randint(4, 40)
    start = rng.randrange(len(text) - length)
    return {
        "startSelection": start,
        "endSelection": start + length,
        "type": code.code,
        "subtype": rng.choice(("", *code.subtypes)),
        "comment": rng.choice(("", *COMMENTS)),
        "explanation": "",
        "correction": "".join(rng.choices(SYLLABLES, k=3)) if code.correction and rng.random() < 0.7 else "",
        "tag": "",
        "group": code.group,
    }


def _varied(rng: random.Random, text: str, place: Raw, codes: tuple[Code, ...]) -> Raw:
    second = dict(place)
    if rng.random() < 0.4:
        second["endSelection"] = min(len(text), second["endSelection"] + rng.randint(1, 12))
    if rng.random() < 0.2:
        second["startSelection"] = max(0, second["startSelection"] - rng.randint(1, 6))
    if rng.random() < 0.15:
        other = rng.choice([code for code in codes if code.group == place["group"]])
        second.update(type=other.code, subtype="", correction="")
    if rng.random() < 0.3:
        second["comment"] = rng.choice(COMMENTS)
    return second


def _markup(text: str, selections: list[Raw]) -> Raw:
    meta = {"id": "0000001", "subject": "rus", "theme": "", "class": "11", "year": 2020}
    return {"meta": meta, "criteria": {"K1": 1}, "selections": selections, "text": text}


def overlapping(rng: random.Random, size: int, codes: str, starts: int) -> Markup:
    """Return fragments that all overlap each other."""
    return _of(size, lambda _: Fragment(rng.randrange(starts), rng.randint(5_001, 10_000), rng.choice(codes)))


def identical(rng: random.Random, size: int) -> Markup:
    """Return fragments on one span that differ in subtype, correction and comment alone: nothing but ties."""
    return _of(size, lambda _: Fragment(10, 20, "a", rng.choice("st"), str(rng.random()), "", rng.choice("xyz")))


def scattered(rng: random.Random, size: int) -> Markup:
    """Return fragments apart from each other along a long text."""
    return _of(size, lambda i: Fragment(50 * i + rng.randrange(20), 50 * i + 30, rng.choice("abcdefgh")))


def chained(rng: random.Random, size: int, length: int) -> Markup:
    """Return fragments each of which overlaps the next, so that all of them make one component."""
    return _of(size, lambda i: Fragment(50 * i + rng.randrange(25), 50 * i + length + rng.randrange(25), "a"))


def regular_chain(size: int, offset: int) -> Markup:
    """Build a chain of equal links. Against a chain half a link off and a link shorter, every cut costs the same."""
    return _of(size, lambda i: Fragment(50 * i + offset, 50 * i + offset + 80, "a"))


def _of(size: int, make: Callable[[int], Fragment]) -> Markup:
    return Markup("", tuple(make(i) for i in range(size)))
