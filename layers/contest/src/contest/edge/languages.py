"""Language of a reader, and the platform's own words in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from aws_lambda_powertools.event_handler.openapi.params import Header, Query

from contest.tables import Column, Kind
from tracks.protocol import Text
from tracks.protocol import in_language as one_of_both

Language = Literal["ru", "en"]
USUAL: Final[Language] = "ru"
"""Of who says nothing."""
Wanted = Annotated[Language | None, Query(description="Language of texts for people; by default the reader's")]
Accepted = Annotated[str | None, Header(alias="Accept-Language", description="Languages the reader prefers (RFC 9110)")]
_RANGE: Final = re.compile(r"\s*([a-z]{1,8})(?:-[a-z0-9]+)*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE)

WORDS: Final[Mapping[str, Text]] = {
    "waiting": Text(en="waiting", ru="ждёт"),
    "open": Text(en="open", ru="открыт"),
    "answered": Text(en="answered", ru="ответ принят"),
    "voided": Text(en="annulled", ru="аннулирован"),
    "team_late": Text(en="team late", ru="опоздание команды"),
    "team_invalid": Text(en="invalid answer", ru="неверный ответ"),
    "network": Text(en="network", ru="сеть"),
    "platform": Text(en="platform", ru="платформа"),
    "organizer_decision": Text(en="organizers' decision", ru="решение Оргкомитета"),
    "finished": Text(en="finished", ru="завершена"),
    "aborted": Text(en="aborted", ru="прервана"),
    "stopped": Text(en="stopped", ru="остановлена"),
    "timed_out": Text(en="timed out", ru="закрыта по времени"),
    "algorithmic": Text(en="algorithmic qualification", ru="алгоритмическая квалификация"),
    "technical": Text(en="technical qualification", ru="техническая квалификация"),
    "final": Text(en="final", ru="Финальные испытания"),
    "answers": Text(en="file of answers", ru="файл с ответами"),
    "program": Text(en="program", ru="программа"),
    "missing": Text(en="no answer", ru="нет ответа"),
    "all": Text(en="all", ru="все"),
    "pause": Text(en="pause", ru="пауза"),
    "resume": Text(en="resumption", ru="возобновление"),
    "stop": Text(en="stop", ru="остановка"),
    "void": Text(en="annulment for everybody", ru="аннулирование для всех"),
    "replace": Text(en="replacement", ru="замена"),
    "rule": Text(en="ruling", ru="решение о причине"),
    "admit": Text(en="late admission", ru="допуск опоздавшей команды"),
    "undo": Text(en="taken back", ru="отмена решения"),
    "judgement": Text(en="judges", ru="Судейская коллегия"),
    "total": Text(en="total points differ", ru="расходятся суммы баллов"),
    "criterion": Text(en="points of a criterion differ", ru="расходятся баллы по критерию"),
    "zero": Text(en="one gave no points", ru="одна из оценок нулевая"),
    "count": Text(en="points of several criteria differ", ru="расходятся баллы по нескольким критериям"),
    "verification": Text(en="commission", ru="Техническая комиссия"),
}
"""The platform's codes; one that is not here is shown as it is."""


def language_of(requested: Language | None, accepted: str | None) -> Language:
    """Return the requested language, or the one of ours that ``Accept-Language`` prefers; of equal ones the first.

    Clause: R 2.18
    """
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
