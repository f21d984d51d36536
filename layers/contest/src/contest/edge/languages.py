"""Language of a reader, and the platform's own words in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from aws_lambda_powertools.event_handler.openapi.params import Header, Query

from contest.tables import Column, Kind
from contest.texts import tr, tr_in
from tracks.protocol import Text
from tracks.protocol import in_language as one_of_both

Language = Literal["ru", "en"]
USUAL: Final[Language] = "ru"
"""Of who says nothing."""
Wanted = Annotated[Language | None, Query(description="Language of texts for people; by default the reader's")]
Accepted = Annotated[str | None, Header(alias="Accept-Language", description="Languages the reader prefers (RFC 9110)")]
_RANGE: Final = re.compile(r"\s*([a-z]{1,8})(?:-[a-z0-9]+)*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE)

WORDS: Final[Mapping[str, Text]] = {
    "waiting": tr("waiting"),
    "open": tr("open"),
    "answered": tr("answered"),
    "voided": tr("annulled"),
    "team_late": tr("team late"),
    "team_invalid": tr("invalid answer"),
    "network": tr("network"),
    "platform": tr("platform"),
    "organizer_decision": tr("organizers' decision"),
    "finished": tr("finished"),
    "aborted": tr("aborted"),
    "stopped": tr("stopped"),
    "timed_out": tr("timed out"),
    "algorithmic": tr("algorithmic qualification"),
    "technical": tr("technical qualification"),
    "final": tr_in("languages", "final"),
    "answers": tr("file of answers"),
    "program": tr("program"),
    "missing": tr("no answer"),
    "all": tr("all"),
    "pause": tr("pause"),
    "resume": tr("resumption"),
    "stop": tr("stop"),
    "void": tr("annulment for everybody"),
    "replace": tr("replacement"),
    "rule": tr("ruling"),
    "admit": tr("late admission"),
    "undo": tr("taken back"),
    "judgement": tr("judges"),
    "total": tr("total points differ"),
    "criterion": tr("points of a criterion differ"),
    "zero": tr("one gave no points"),
    "count": tr("points of several criteria differ"),
    "verification": tr("commission"),
}
"""The platform's codes; one that is not here is shown as it is."""


# Clause: R 2.18
def language_of(requested: Language | None, accepted: str | None) -> Language:
    """Return the requested language, or the one of ours that ``Accept-Language`` prefers; of equal ones the first."""
    if requested is not None:
        return requested
    weights: dict[Language, float] = {}
    for part in (accepted or "").split(","):
        match = _RANGE.fullmatch(part)
        for ours in ("ru", "en"):
            if match and match[1].lower() == ours:
                weights.setdefault(ours, float(match[2] or 1))
    best = max(weights, key=lambda language: weights[language], default=USUAL)
    return best if weights.get(best, 1) > 0 else USUAL


def in_language(text: Text, language: Language) -> str:
    """Return a text in a language."""
    return text.ru if language == "ru" else text.en


def code_in_words(code: str, language: Language) -> str:
    """Return a code in words."""
    text = WORDS.get(code)
    return code if text is None else in_language(text, language)


def worded(column: Column, value: str, language: Language) -> str:
    """Return a text of a table's cell for a reader of one language."""
    if column.kind is Kind.CODE:
        return code_in_words(value, language)
    return str(one_of_both(value, language)) if column.kind is Kind.BOTH else value
