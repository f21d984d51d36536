"""Ratings of an answer's explanations by five yes/no questions, which make M7 (R-App1, markup-scoring §3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from markup_core.metrics import QUESTIONS
from markup_core.reading.wire import MalformedInput, decode
from markup_core.receipt import sha256_hex
from tracks.beside import Judged
from tracks.essay.items import hand_out
from tracks.essay.parameters import EssayParameters
from tracks.protocol import Json, Reason
from tracks.reasons import of_json, reason

_SHOWN: Final = ("startSelection", "endSelection", "type", "subtype", "explanation")
_M7: Final = 6
"""Place of M7 among the weights."""


def explained(answer: Json) -> dict[str, Mapping[str, Any]]:
    """The fragments that have an explanation, by their ids as ratings name them."""
    return {str(each["id"]): each for each in answer["selections"] if each.get("explanation", "").strip()}


def cards(item: Json, answer: Json, file_id: str) -> Json:
    """The essay with what is to be rated: each explanation with its fragment and code, and nothing of who made it.

    The order is drawn by the name under which the rater knows the essay, so that it differs from rater to rater. None
    where nothing is to be rated.
    """
    shown = [{"fragment": name, **{key: each[key] for key in _SHOWN}} for name, each in explained(answer).items()]
    if not shown:
        return None
    shown.sort(key=lambda card: sha256_hex(f"{file_id}\0{card['fragment']}".encode()))
    return {**hand_out(item, file_id), "cards": shown, "questions": QUESTIONS}


def judge(answer: Json, body: bytes, rules: EssayParameters) -> Judged:
    """Judge a rater's draft ``{"ratings": {fragment: [yes or no × 5]}}``; valid when every explanation has its five.

    Clause: R-App1 M7
    """
    try:
        raw = decode(body, rules.limits)
    except MalformedInput as error:
        return Judged((of_json(error),))
    given = raw.get("ratings") if isinstance(raw, dict) else None
    if not isinstance(given, dict):
        said = ("the draft must be an object with ratings", "нужен объект с полем ratings")
        return Judged((reason("no_ratings", "ratings", *said),))
    known = explained(answer)
    faults = [_unknown(name) for name in given if name not in known]
    faults += [_unanswered(name) for name in known if not _is_answered(given.get(name))]
    if faults:
        return Judged(tuple(faults))
    return Judged((), (), {name: [bool(each) for each in given[name]] for name in sorted(known)})


def is_rated(answer: Json, ratings: Json) -> bool:
    """Whether every explanation of an answer has a rating; one without explanations needs none."""
    return all((ratings or {}).get(name) for name in explained(answer))


def weigh(rules: EssayParameters) -> bool:
    """Whether M7 counts in the pair accuracy, so that an answer waits for its ratings."""
    return rules.scoring.weights[_M7] > 0


def _is_answered(found: Json) -> bool:
    return isinstance(found, list) and len(found) == QUESTIONS and all(each in (0, 1) for each in found)


def _unknown(name: str) -> Reason:
    shown = json.dumps(name[:40], ensure_ascii=False)
    en, ru = f"no explanation has the fragment {shown}", f"нет пояснения у фрагмента {shown}"
    return reason("unknown_explanation", f"ratings.{name[:40]}", en, ru)


def _unanswered(name: str) -> Reason:
    en = f"the explanation of fragment {name} needs {QUESTIONS} answers, each yes or no"
    ru = f"пояснению фрагмента {name} нужны ответы на вопросы, да или нет: {QUESTIONS}"
    return reason("not_rated", f"ratings.{name}", en, ru)
