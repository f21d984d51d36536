"""The tables of a gec session's report, in both languages (tracks.md §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tracks.gec.score import item_counts
from tracks.protocol import Json, Outcome, Section, Text

Found = Mapping[str, Any]
"""Counts and fractions as :meth:`tracks.gec.counts.Counts.to_dict` gives them."""

SYSTEM: Final = Text(en="System", ru="Система")
TYPE: Final = Text(en="Type", ru="Тип ошибки")
SOURCE: Final = Text(en="Corpus", ru="Корпус")
ALL: Final = "all · все"
KINDS: Final[Mapping[str, str]] = {
    "correction": "correction · исправление",
    "span": "detection, spans · обнаружение, отрезки",
    "token": "detection, tokens · обнаружение, слова",
}
EVALUATION: Final = Text(en="Evaluation", ru="Оценка")
_BREAKDOWNS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_operation": (Text(en="By operation", ru="По операциям"), Text(en="Operation", ru="Операция")),
    "by_type": (Text(en="By type", ru="По типам"), TYPE),
    "by_source": (Text(en="By corpus", ru="По корпусам"), SOURCE),
    "concentrated_by_type": (Text(en="Context-dependent, by type", ru="Контекстно зависимые, по типам"), TYPE),
    "concentrated_by_source": (Text(en="Context-dependent, by corpus", ru="Контекстно зависимые, по корпусам"), SOURCE),
}


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """The tables of a session's report; those on context-dependent edits, and on texts, where there are such."""
    beta = aggregate["beta"]
    kinds = {**KINDS, "concentrated": "context-dependent · контекстно зависимые"}
    rows = tuple((shown, *numbers(aggregate[kind])) for kind, shown in kinds.items())
    whole = Section("overall", Text(en="The whole session", ru="Вся сессия"), (EVALUATION, *measures(beta)), rows)
    parts = [breakdown(key, *_BREAKDOWNS[key], aggregate[key], beta) for key in _BREAKDOWNS if aggregate[key]]
    return (whole, *parts, *([_files(outcomes, beta)] if outcomes else []))


def measures(beta: float) -> tuple[Text, ...]:
    """Column titles of counts and fractions."""
    return (
        Text(en="TP", ru="TP"),
        Text(en="FP", ru="FP"),
        Text(en="FN", ru="FN"),
        Text(en="Precision", ru="Точность"),
        Text(en="Recall", ru="Полнота"),
        Text(en=f"F{beta:g}", ru=f"F{beta:g}"),
    )


def numbers(found: Found | None) -> tuple[Any, ...]:
    """A row's cells; undefined where there is nothing."""
    names = ("tp", "fp", "fn", "precision", "recall", "f")
    return (None,) * len(names) if found is None else tuple(found[name] for name in names)


def breakdown(key: str, title: Text, name: Text, found: Mapping[str, Found], beta: float) -> Section:
    """Counts by category."""
    rows = tuple((category, *numbers(counts)) for category, counts in found.items())
    return Section(key, title, (name, *measures(beta)), rows)


def _files(outcomes: Sequence[Outcome], beta: float) -> Section:
    rows = tuple(_file(outcome, beta) for outcome in outcomes)
    columns = (Text(en="Text", ru="Текст"), SOURCE, Text(en="Answered", ru="Отвечен"), *measures(beta))
    return Section("files", Text(en="Texts", ru="Тексты"), columns, rows)


def _file(outcome: Outcome, beta: float) -> tuple[Json, ...]:
    counts = item_counts(outcome.score, "correction")
    found = None if counts is None else counts.to_dict(beta)
    return (outcome.item.item_id, outcome.item.group, int(outcome.answered), *numbers(found))
