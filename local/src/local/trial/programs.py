"""The programs that take part in a trial: an annotator itself, the annotator disturbed, and one that finds nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from local.trial.corpus import TrialText

Markup = dict[str, Any]
Program = Callable[[Markup], Markup]


def annotator(texts: Sequence[TrialText], number: int) -> Program:
    """Answers with the markup of annotator ``number`` (from 0); essays are recognised by their text."""
    known = {text.essay["text"]: text.annotators[number]["selections"] for text in texts}
    return lambda content: {**content, "selections": known[content["text"]]}


def nothing(content: Markup) -> Markup:
    """Answers with a markup without fragments."""
    return {**content, "selections": []}


def disturbed(program: Program, share: float, seed: int, codes: Sequence[str]) -> Program:
    """Spoils about ``share`` of another program's fragments: drops them, moves their ends, or swaps their codes.

    The same text is always spoilt alike, and a larger share spoils what a smaller one does and more, so that more
    disturbance is never a matter of luck.
    """

    def answer(content: Markup) -> Markup:
        made = program(content)
        length = len(content["text"])
        chance = random.Random(f"{seed} {content['text']}")  # noqa: S311 - a reproducible disturbance, no secret
        kept = [_spoilt(each, share, chance, length, codes) for each in made["selections"]]
        return {**made, "selections": [each for each in kept if each is not None]}

    return answer


def _spoilt(
    fragment: Mapping[str, Any], share: float, chance: random.Random, length: int, codes: Sequence[str]
) -> Markup | None:
    """The fragment as it was, changed, or gone; always takes the same number of random values."""
    luck, way, shift, code = chance.random(), chance.randrange(3), chance.randint(3, 12), chance.choice(codes)
    if luck >= share:
        return dict(fragment)
    if way == 0:
        return None
    if way == 1:
        return {**fragment, "endSelection": min(length, fragment["endSelection"] + shift), "correction": ""}
    return {**fragment, "type": code, "correction": ""}
