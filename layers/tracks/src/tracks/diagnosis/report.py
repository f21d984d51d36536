"""The tables of a diagnosis session's report; shares have three decimals, halves up (D-App1а 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markup_core.rounding import half_up, places_apart
from tracks.diagnosis.board import FINAL_CRITERION, SEMIFINAL_CRITERION
from tracks.diagnosis.measures import SHOWN_PLACES
from tracks.diagnosis.nosologies import NOSOLOGIES
from tracks.protocol import Json, Judged, Outcome, Section, Text, in_both

_NOSOLOGY: Final = Text(en="Nosology", ru="Нозология")
_COST: Final = Text(en="Cost", ru="Ресурсоёмкость")
_MEASURE: Final = (Text(en="Measure", ru="Показатель"), Text(en="Value", ru="Значение"))
_CELLS: Final = tuple(Text(en=name, ru=name) for name in ("TP", "FN", "FP", "TN"))
_ACCURACY: Final = (
    _NOSOLOGY,
    *_CELLS,
    Text(en="Se", ru="Se"),
    Text(en="Se, lower bound", ru="Se, нижняя граница"),
    Text(en="Sp", ru="Sp"),
    Text(en="Sp, lower bound", ru="Sp, нижняя граница"),
    _COST,
    Text(en="Barrier", ru="Барьер"),
    Text(en="Se, barrier", ru="Se, барьер"),
    Text(en="Sp, barrier", ru="Sp, барьер"),
)
_MATRIX: Final = (1, 2, 3, 4)
_SHARES: Final = (5, 6, 7, 8, 11, 12)
_JUDGED: Final = (Judged(5, barrier=11, bound=6), Judged(7, barrier=12, bound=8))
"""Se and Sp of a nosology: their lower bounds are what must reach the barrier (D-App1б 3)."""
_OVERALL: Final[Mapping[str, str]] = {
    "sk": "Sk",
    "se_lower": "Se ↓",
    "sp_lower": "Sp ↓",
    "cost": "C",
    "se_complications": "Se (attendDisease)",
    "se_comorbidities": "Se (diagnosisSup)",
    "mean_time_s": "t, s",
}
_CRITERION: Final = Text(en="Integral criterion", ru="Интегральный критерий")
_COMPARED: Final = Text(en="What the semifinal's board compares", ru="По чему ранжирует полуфинал")
_PASSED: Final = {True: "+", False: "−"}


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """The session's counts and the integral criterion's values, the nosologies, the files in their order."""
    if aggregate["stage"] == "selection":
        return _counts(aggregate), *([_selected(outcomes)] if outcomes else [])
    files = [_files(outcomes)] if outcomes else []
    return _counts(aggregate), overall(aggregate), accuracies(aggregate), *files


def shown(value: float | None, limit: float | None = None) -> float | None:
    """Return a number with three decimals, or with as many more as put it on its side of a limit."""
    return None if value is None else half_up(value, places_apart([value], [limit], SHOWN_PLACES))


def accuracies(result: Json) -> Section:
    """Matrix, shares, bounds and barrier of every nosology of a ``diagnosis.session`` result.

    Clause: D-App1б 4, D-App1в table, D 6.11
    """
    rows = tuple(
        (
            named(name),
            *(each[cell] for cell in ("tp", "fn", "fp", "tn")),
            *(shown(each[share], each["se_barrier"]) for share in ("se", "se_lower")),
            *(shown(each[share], each["sp_barrier"]) for share in ("sp", "sp_lower")),
            shown(each["cost"]),
            _PASSED[each["passed"]],
            each["se_barrier"],
            each["sp_barrier"],
        )
        for name, each in result["nosologies"].items()
    )
    title = Text(en="By nosology", ru="По нозологиям")
    return Section("nosologies", title, _ACCURACY, rows, shares=_SHARES, judged=_JUDGED, matrix=_MATRIX)


def named(*names: str) -> str:
    """Nosologies by their titles in both languages, several in a row."""
    titles = [NOSOLOGIES[name].title for name in names]
    return in_both(", ".join(each.en for each in titles), ", ".join(each.ru for each in titles))


def verdict(result: Json) -> Section:
    """Sk and the barrier of a ``diagnosis.session`` result."""
    rows = (("Sk", shown(result["sk"])), ("Barrier · Барьер", _PASSED[result["barrier"]]))
    return Section("verdict", Text(en="All six", ru="Все шесть"), _MEASURE, rows)


def overall(aggregate: Json) -> Section:
    """Return the values that the stage's criterion compares, in its order (D 8.15, D-App1в)."""
    is_semifinal = aggregate["stage"] == "semifinal"
    criterion = SEMIFINAL_CRITERION if is_semifinal else FINAL_CRITERION
    rows = tuple((_OVERALL[name], shown(aggregate["board"][name])) for name, _ in criterion.values)
    return Section("overall", _COMPARED if is_semifinal else _CRITERION, _MEASURE, rows)


def _counts(aggregate: Json) -> Section:
    names = {"files": "Files · Файлы", "answered": "Answered · С ответом", "voided": "Voided · Аннулировано"}
    rows = [(title, aggregate[name]) for name, title in names.items()]
    if "barrier" in aggregate:
        rows.append(("Barrier · Барьер", _PASSED[aggregate["barrier"]]))
    else:
        rows.append(("Passed · Пройдено", _PASSED[aggregate["passed"]]))
    return Section("counts", Text(en="The session", ru="Сессия"), _MEASURE, tuple(rows))


def _selected(outcomes: Sequence[Outcome]) -> Section:
    columns = (Text(en="File", ru="Файл"), _NOSOLOGY, Text(en="Right", ru="Верно"))
    rows = tuple(
        (each.item.item_id, each.item.group, None if each.score is None else _PASSED[each.score["right"]])
        for each in outcomes
    )
    return Section("files", Text(en="Files", ru="Файлы"), columns, rows)


def _files(outcomes: Sequence[Outcome]) -> Section:
    columns = (Text(en="File", ru="Файл"), _NOSOLOGY, Text(en="Cell", ru="Ячейка"), _COST)
    return Section("files", Text(en="Files", ru="Файлы"), columns, tuple(map(_file, outcomes)))


def _file(outcome: Outcome) -> tuple[Json, ...]:
    facts, record = outcome.item, outcome.score
    if record is None:
        return (facts.item_id, facts.group, None, None)
    return (facts.item_id, facts.group, record["cell"].upper(), record["cost"])
