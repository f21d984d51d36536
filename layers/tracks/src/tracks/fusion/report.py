"""The tables of a fusion session's report (tracks.md §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Judged, Outcome, Section, Text

_NOT_PARTS: Final = frozenset({"subtask", "score", "fingerprint", "unknown", "unknown_classes", "missing"})
_SUBTASK: Final = Text(en="Subtask", ru="Подзадача")
_SCORE: Final = Text(en="Score", ru="Оценка")


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """The sum, and the tests, where there are any, with the parts of their scores."""
    parts = [parts_section([(each.item.item_id, each.score) for each in outcomes])] if outcomes else []
    modes = [modes_section(aggregate["modes"])] if aggregate.get("modes") else []
    return (sum_section(aggregate), *modes, *parts)


def modes_section(modes: Mapping[str, str]) -> Section:
    """Other ways of counting than the usual one, which the cycle has chosen; on the board, too.

    Clause: TS F-10
    """
    columns = (_SUBTASK, Text(en="Way of counting", ru="Способ подсчёта"))
    return Section("modes", Text(en="Ways of counting", ru="Способы подсчёта"), columns, tuple(modes.items()))


def sum_section(aggregate: Json) -> Section:
    """The four scores as they count, their minima, and S."""
    columns = (
        _SUBTASK,
        _SCORE,
        Text(en="In the sum", ru="В сумме"),
        Text(en="Minimum", ru="Минимум"),
        Text(en="Reached", ru="Достигнут"),
    )
    rows = [(each.value, *_row(aggregate["subtasks"][each.key])) for each in Subtask]
    rows.append(("S", None, aggregate["s"], aggregate["smin"], _sign(aggregate["reached"])))
    judged = (Judged(2, barrier=3),)
    return Section("sum", Text(en="Sum of the four", ru="Сумма четырёх"), columns, tuple(rows), judged=judged)


def parts_section(scored: Sequence[tuple[str, Json | None]]) -> Section:
    """What the scores are made of, a row for every number; undefined where there is no score."""
    columns = (Text(en="Test", ru="Тест"), _SUBTASK, Text(en="Part", ru="Часть"), Text(en="Value", ru="Значение"))
    rows = tuple(row for name, record in scored for row in _parts(name, record))
    return Section("parts", Text(en="Parts of the scores", ru="Части оценок"), columns, rows)


def _parts(name: str, record: Json | None) -> list[tuple[Json, ...]]:
    if record is None:
        return [(name, None, None, None)]
    numbers: Mapping[str, Json] = {key: value for key, value in record.items() if key not in _NOT_PARTS}
    return [(name, record["subtask"], key, value) for key, value in {"score": record["score"], **numbers}.items()]


def _row(found: Mapping[str, Json]) -> tuple[Json, ...]:
    return found["score"], found["rounded"], found["minimum"], _sign(found["reached"])


def _sign(reached: bool) -> str:
    return "+" if reached else "−"
