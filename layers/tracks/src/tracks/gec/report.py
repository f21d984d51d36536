"""Tables of the gec track for people, in both languages (tracks.md §3; G, Tables 2 and 4–7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tracks.gec.concentrated import Direction, Scope
from tracks.gec.results import item_counts
from tracks.protocol import Json, Outcome, Section, Text

Found = Mapping[str, Any]
"""Counts and fractions as :meth:`tracks.gec.counts.Counts.to_dict` gives them."""

SYSTEM: Final = Text(en="System", ru="Система")
TYPE: Final = Text(en="Type", ru="Тип ошибки")
SOURCE: Final = Text(en="Corpus", ru="Корпус")
_EDITS: Final = Text(en="Edits", ru="Ошибок")
_SHARE: Final = Text(en="Share, %", ru="Доля, %")
_ALL: Final = "all · все"
_KINDS: Final[Mapping[str, str]] = {
    "correction": "correction · исправление",
    "span": "detection, spans · обнаружение, отрезки",
    "token": "detection, tokens · обнаружение, слова",
}
_DIRECTIONS: Final[Mapping[Direction, str]] = {
    Direction.LEFT: "left · слева",
    Direction.RIGHT: "right · справа",
    Direction.EITHER: "left or right · слева или справа",
    Direction.BOTH: "left and right · слева и справа",
}
_EVALUATION: Final = Text(en="Evaluation", ru="Оценка")
_BREAKDOWNS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_operation": (Text(en="By operation", ru="По операциям"), Text(en="Operation", ru="Операция")),
    "by_type": (Text(en="By type", ru="По типам"), TYPE),
    "by_source": (Text(en="By corpus", ru="По корпусам"), SOURCE),
    "concentrated_by_type": (Text(en="Context-dependent, by type", ru="Контекстно зависимые, по типам"), TYPE),
    "concentrated_by_source": (Text(en="Context-dependent, by corpus", ru="Контекстно зависимые, по корпусам"), SOURCE),
}
_NEEDS: Final[Mapping[str, str]] = {
    "detection": "detection alone · только для обнаружения",
    "detection_and_correction": "detection and correction · для обнаружения и исправления",
    "correction": "correction alone · только для исправления",
    "unknown": "not said · не указано",
}


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


def overall(systems: Iterable[tuple[str, Mapping[str, Found | None]]], beta: float) -> Section:
    """Every system at correction and at detection."""
    rows = tuple((system, shown, *numbers(found[kind])) for system, found in systems for kind, shown in _KINDS.items())
    columns = (SYSTEM, _EVALUATION, *measures(beta))
    return Section("overall", Text(en="Overall", ru="В целом"), columns, rows)


def breakdown(key: str, title: Text, name: Text, found: Mapping[str, Found], beta: float) -> Section:
    """Counts by category."""
    rows = tuple((category, *numbers(counts)) for category, counts in found.items())
    return Section(key, title, (name, *measures(beta)), rows)


def by_operation(system: str, found: Mapping[str, Found], beta: float) -> Section:
    """Insertions, deletions, replacements: the first letters of ERRANT's labels."""
    title = Text(en=f"{system}: by operation", ru=f"{system}: по операциям")
    return breakdown("by_operation", title, Text(en="Operation", ru="Операция"), found, beta)


def by_type(system: str, found: Mapping[str, Found], beta: float) -> Section:
    """Types of errors."""
    return breakdown("by_type", Text(en=f"{system}: by type", ru=f"{system}: по типам"), TYPE, found, beta)


def shares(key: str, title: Text, name: Text, counted: Mapping[str, int]) -> Section:
    """How many of what, with shares and the total (G, Tables 4 and 5)."""
    every = sum(counted.values())
    rows = [(category, count, 100 * count / every if every else None) for category, count in counted.items()]
    rows.append((_ALL, every, 100.0 if every else None))
    return Section(key, title, (name, _EDITS, _SHARE), tuple(rows))


def data_set(types: Mapping[str, int], sources: Mapping[str, int], needs: Mapping[str, int]) -> tuple[Section, ...]:
    """What a data set holds (G, Tables 4 and 5)."""
    said = {shown: needs[name] for name, shown in _NEEDS.items() if needs[name]}
    return (
        shares("types", Text(en="Types of errors", ru="Типы ошибок"), TYPE, types),
        shares("sources", Text(en="Source corpora", ru="Исходные корпусы"), SOURCE, sources),
        shares("needs", Text(en="Context needed for", ru="Для чего нужен контекст"), Text(en="For", ru="Для"), said),
    )


def contexts(found: Mapping[tuple[Direction, str], Mapping[Scope, int]]) -> Section:
    """Which context errors need (G, Table 6)."""
    rows: list[tuple[Any, ...]] = []
    for direction in Direction:
        part = [(distance, scopes) for (side, distance), scopes in found.items() if side is direction]
        rows += [(_DIRECTIONS[direction], distance, *_scopes([scopes])) for distance, scopes in part]
        if len(part) > 1:
            rows.append((f"{_DIRECTIONS[direction]}, Σ", "", *_scopes([scopes for _, scopes in part])))
    rows.append((_ALL, "", *_scopes(list(found.values()))))
    columns = (
        Text(en="Context", ru="Контекст"),
        Text(en="Distance", ru="Расстояние"),
        Text(en="Other clause", ru="Другая клауза"),
        Text(en="Other sentence", ru="Другое предложение"),
        _EDITS,
    )
    return Section("contexts", Text(en="Context that errors need", ru="Контекст, нужный ошибкам"), columns, tuple(rows))


def evaluation(key: str, name: Text, systems: Sequence[tuple[str, Found, Mapping[str, Found]]], beta: float) -> Section:
    """Every system on context-dependent edits, in all and by category (G, Table 7 and Figure 1)."""
    rows = []
    for system, found, categories in systems:
        rows.append((system, _ALL, *numbers(found)))
        rows += [(system, category, *numbers(counts)) for category, counts in categories.items()]
    title = Text(
        en=f"Context-dependent errors: {name.en.lower()}", ru=f"Контекстно зависимые ошибки: {name.ru.lower()}"
    )
    return Section(key, title, (SYSTEM, name, *measures(beta)), tuple(rows))


def agreement(found: Found, types: Mapping[str, Found], sizes: Mapping[str, int], items: int) -> Section:
    """Agreement in all and by type (G, Table 2)."""
    rows = ((_ALL, *found.values(), items), *((name, *part.values(), sizes[name]) for name, part in types.items()))
    columns = (
        TYPE,
        Text(en="Krippendorff's alpha", ru="Альфа Криппендорфа"),
        Text(en="Fleiss' kappa", ru="Каппа Флейсса"),
        Text(en="Randolph's kappa", ru="Каппа Рэндольфа"),
        Text(en="Matches with the base, %", ru="Совпадения с базовой, %"),
        Text(en="Items", ru="Примеров"),
    )
    return Section("agreement", Text(en="Agreement", ru="Согласованность"), columns, rows)


def session(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """The tables of a session's report; those on context-dependent edits where there are such edits."""
    beta = aggregate["beta"]
    kinds = {**_KINDS, "concentrated": "context-dependent · контекстно зависимые"}
    rows = tuple((shown, *numbers(aggregate[kind])) for kind, shown in kinds.items())
    whole = Section("overall", Text(en="The whole session", ru="Вся сессия"), (_EVALUATION, *measures(beta)), rows)
    parts = [breakdown(key, *_BREAKDOWNS[key], aggregate[key], beta) for key in _BREAKDOWNS if aggregate[key]]
    return (whole, *parts, _files(outcomes, beta))


def _files(outcomes: Sequence[Outcome], beta: float) -> Section:
    rows = tuple(_file(outcome, beta) for outcome in outcomes)
    columns = (Text(en="Text", ru="Текст"), SOURCE, Text(en="Answered", ru="Отвечен"), *measures(beta))
    return Section("files", Text(en="Texts", ru="Тексты"), columns, rows)


def _file(outcome: Outcome, beta: float) -> tuple[Json, ...]:
    counts = item_counts(outcome.score, "correction")
    found = None if counts is None else counts.to_dict(beta)
    return (outcome.item.item_id, outcome.item.group, int(outcome.answered), *numbers(found))


def _scopes(parts: Sequence[Mapping[Scope, int]]) -> tuple[int, ...]:
    counts = [sum(part.get(scope, 0) for part in parts) for scope in Scope]
    return (*counts, sum(counts))
