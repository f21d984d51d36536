"""The tables of a gec session's report, in both languages (tracks.md §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tracks.gec.concentrated import UNKNOWN, Direction
from tracks.gec.counts import Counts
from tracks.gec.score import item_counts
from tracks.protocol import Json, Outcome, Section, Text, in_both, in_language

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
_SHARES: Final = (4, 5, 6)
"""Places of precision, recall and F after a row's name and its three counts."""
_FURTHER_BETAS: Final = (1.0, 2.0)
"""Beside the cycle's own: what F says depends on how much recall weighs (G, discussion).

Clause: TS G-3, G beta
"""
EVALUATION: Final = Text(en="Evaluation", ru="Оценка")
DIRECTIONS: Final[Mapping[str, str]] = {
    Direction.LEFT.value: "left · слева",
    Direction.RIGHT.value: "right · справа",
    Direction.EITHER.value: "left or right · слева или справа",
    Direction.BOTH.value: "left and right · слева и справа",
    UNKNOWN: "not said · не указано",
}
NEEDS_SHOWN: Final[Mapping[str, str]] = {
    "detection": "detection alone · только для обнаружения",
    "detection_and_correction": "detection and correction · для обнаружения и исправления",
    "correction": "correction alone · только для исправления",
    UNKNOWN: "not said · не указано",
}
_BREAKDOWNS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_operation": (Text(en="By operation", ru="По операциям"), Text(en="Operation", ru="Операция")),
    "by_type": (Text(en="By type", ru="По типам"), TYPE),
    "by_source": (Text(en="By corpus", ru="По корпусам"), SOURCE),
    "concentrated_by_type": (Text(en="Context-dependent, by type", ru="Контекстно зависимые, по типам"), TYPE),
    "concentrated_by_source": (Text(en="Context-dependent, by corpus", ru="Контекстно зависимые, по корпусам"), SOURCE),
    "concentrated_by_context": (
        Text(en="Context-dependent, by direction and distance", ru="Контекстно зависимые, по направлению и расстоянию"),
        Text(en="Context", ru="Контекст"),
    ),
    "concentrated_by_need": (
        Text(en="Context-dependent, by what the context is for", ru="Контекстно зависимые, по назначению контекста"),
        Text(en="For", ru="Для"),
    ),
}


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """The tables of a session's report; those on context-dependent edits, and on texts, where there are such."""
    beta = aggregate["beta"]
    kinds = {**KINDS, "concentrated": "context-dependent · контекстно зависимые"}
    betas = [each for each in _FURTHER_BETAS if each != beta]
    rows = tuple((shown, *numbers(aggregate[kind]), *_further(aggregate[kind], betas)) for kind, shown in kinds.items())
    title = Text(en="The whole session", ru="Вся сессия")
    columns = (EVALUATION, *measures(beta), *(Text(en=f"F{each:g}", ru=f"F{each:g}") for each in betas))
    whole = Section("overall", title, columns, rows, shares=_SHARES)
    parts = [
        breakdown(key, *_BREAKDOWNS[key], _named(key, aggregate[key]), beta) for key in _BREAKDOWNS if aggregate[key]
    ]
    return (whole, *parts, *([_files(outcomes, beta)] if outcomes else []))


def _named(key: str, found: Mapping[str, Found]) -> Mapping[str, Found]:
    """Contexts and needs stand in both languages, for tables have one set of rows."""
    if key == "concentrated_by_need":
        return {NEEDS_SHOWN[name]: each for name, each in found.items()}
    if key != "concentrated_by_context":
        return found
    split = {name: name.partition(" ") for name in found}
    return {with_more(DIRECTIONS[split[name][0]], f" {split[name][2]}".rstrip()): each for name, each in found.items()}


def with_more(both: str, more: str) -> str:
    """A name in both languages with the same after it in either."""
    return in_both(*(in_language(both, language) + more for language in ("en", "ru")))


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


def _further(found: Found | None, betas: Sequence[float]) -> tuple[float | None, ...]:
    """F of the same counts by other betas."""
    if found is None:
        return (None,) * len(betas)
    counts = Counts(found["tp"], found["fp"], found["fn"])
    return tuple(counts.f(each) for each in betas)


def breakdown(key: str, title: Text, name: Text, found: Mapping[str, Found], beta: float) -> Section:
    """Counts by category."""
    rows = tuple((category, *numbers(counts)) for category, counts in found.items())
    return Section(key, title, (name, *measures(beta)), rows, shares=_SHARES)


def _files(outcomes: Sequence[Outcome], beta: float) -> Section:
    rows = tuple(_file(outcome, beta) for outcome in outcomes)
    columns = (Text(en="Text", ru="Текст"), SOURCE, Text(en="Answered", ru="Отвечен"), *measures(beta))
    return Section("files", Text(en="Texts", ru="Тексты"), columns, rows, shares=tuple(each + 2 for each in _SHARES))


def _file(outcome: Outcome, beta: float) -> tuple[Json, ...]:
    counts = item_counts(outcome.score, "correction")
    found = None if counts is None else counts.to_dict(beta)
    return (outcome.item.item_id, outcome.item.group, int(outcome.answered), *numbers(found))
