"""Answers: JSON strings, whatever they say (tracks.md §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import Limits, MalformedInput, decode, short
from tracks.protocol import Json, Reason, Verdict
from tracks.reasons import of_json, reason

MOST_LETTERS: Final = 1000
"""Code points of an answer; the longest right ones have some dozens."""
_LIMITS: Final = Limits(max_bytes=16 * 1024)
SCHEMA: Final[Mapping[str, Json]] = {
    "type": "string",
    "title": "Answer",
    "description": "Numbers with commas and without blanks, or a word or words written together.",
    "maxLength": MOST_LETTERS,
}


def validate(body: bytes) -> Verdict:
    """Judge an answer as received: a JSON string, whatever it says."""
    try:
        raw = decode(body, _LIMITS)
    except MalformedInput as error:
        return Verdict((of_json(error),))
    found = fault(raw)
    return Verdict((found,)) if found else Verdict((), canonical=raw, kind="answer")


def fault(raw: Json) -> Reason | None:
    """Why a JSON value is no answer; None for one."""
    if not isinstance(raw, str):
        en, ru = f"an answer is a JSON string, not {short(raw)}", "ответ — строка JSON"
        return reason("wrong_type", "", en, ru)
    if len(raw) > MOST_LETTERS:
        en = f"the answer has {len(raw)} characters, at most {MOST_LETTERS} are taken"
        return reason("text_too_long", "", en, f"в ответе {len(raw)} знаков, можно {MOST_LETTERS}")
    if SURROGATE.search(raw):
        en = "the answer has half a surrogate pair; whole characters are needed"
        return reason("lone_surrogate", "", en, "в ответе половина суррогатной пары")
    return None
