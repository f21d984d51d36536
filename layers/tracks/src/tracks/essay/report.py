"""The tables of an essay session's report (R 6.5.1, 6.5.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markup_core.params import METRICS
from markup_core.rounding import PERCENT_PLACES
from markup_core.sample import over_other_essays
from tracks.essay.aggregate import measures
from tracks.protocol import Json, Outcome, Section, Text

_ACCURACIES: Final[Mapping[str, Text]] = {
    "algorithm_accuracy": Text(en="Algorithm accuracy (STAR), %", ru="Точность алгоритма (СТАР), %"),
    "expert_accuracy": Text(en="Expert accuracy (STER), %", ru="Точность экспертов (СТЭР), %"),
    "relative_accuracy": Text(en="Relative accuracy (OTAR), %", ru="Относительная точность (ОТАР), %"),
}
_SHORT: Final[Mapping[str, str]] = {
    "algorithm_accuracy": "STAR · СТАР",
    "expert_accuracy": "STER · СТЭР",
    "relative_accuracy": "OTAR · ОТАР",
}
_ALL: Final = "algorithm_accuracy_all"
_ESSAYS: Final = Text(en="Essays", ru="Эссе")
_INTERVAL: Final = (
    Text(en="95 % interval, from", ru="95 %-й интервал, от"),
    Text(en="to", ru="до"),
)
_GROUPS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_subject": (Text(en="By type of essay", ru="По типам эссе"), Text(en="Type", ru="Тип")),
    "by_language": (Text(en="By language", ru="По языкам"), Text(en="Language", ru="Язык")),
    "by_metric": (Text(en="By metric", ru="По метрикам"), Text(en="Metric", ru="Метрика")),
}
METRIC_NAMES: Final[Mapping[str, Text]] = {
    "M1": Text(en="M1 grade", ru="M1 оценка"),
    "M2": Text(en="M2 fragments found", ru="M2 поиск фрагментов"),
    "M3": Text(en="M3 codes", ru="M3 коды"),
    "M4": Text(en="M4 subtypes and comments", ru="M4 подтипы и комментарии"),
    "M5": Text(en="M5 localisation", ru="M5 локализация"),
    "M6": Text(en="M6 corrections", ru="M6 исправления"),
    "M7": Text(en="M7 explanations", ru="M7 пояснения"),
}
_FILE_PLACES: Final = 1
"""Decimals of one file's per cent: of ten metrics beside one another more would say nothing."""


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """Overall accuracies, the breakdowns, and every file with every metric, in the order of the files.

    Algorithm accuracy over more essays than the three that divide has a table of its own, where there is any.
    """
    groups = (_group(aggregate, key) for key in _GROUPS)
    return (_overall(aggregate), *groups, *_over_all(aggregate), _files(outcomes))


def _overall(aggregate: Json) -> Section:
    """Clause: R 6.5.1.1, platform §4 intervals"""
    rows = tuple((short, aggregate[name], *_ends(aggregate["interval_95"][name])) for name, short in _SHORT.items())
    columns = (Text(en="Measure", ru="Показатель"), Text(en="Value, %", ru="Значение, %"), *_INTERVAL)
    return Section("overall", Text(en="The whole session", ru="Вся сессия"), columns, rows, least_places=PERCENT_PLACES)


def _group(aggregate: Json, key: str) -> Section:
    """Clause: R 6.5.1.2, R 6.5.1.3"""
    title, name = _GROUPS[key]
    columns = (name, _ESSAYS, *_ACCURACIES.values(), *_INTERVAL)
    rows = tuple(
        (
            group,
            found["essays"],
            *(found[measure] for measure in _ACCURACIES),
            *_ends(found["interval_95"]["relative_accuracy"]),
        )
        for group, found in sorted(aggregate[key].items())
    )
    return Section(key, title, columns, rows, least_places=PERCENT_PLACES)


def _over_all(aggregate: Json) -> Iterator[Section]:
    named = [("all · все", aggregate)]
    named += [pair for key in _GROUPS for pair in sorted(aggregate[key].items())]
    rows = tuple(
        (name, found["algorithm_essays"], found["algorithm_accuracy_all"], *_ends(found["interval_95"][_ALL]))
        for name, found in named
        if over_other_essays(found)
    )
    if rows:
        title = Text(
            en="Algorithm accuracy over all essays with an expert markup, not to be divided by that of the experts",
            ru="Точность алгоритма по всем эссе с экспертной разметкой, для деления на точность экспертов не годится",
        )
        columns = (Text(en="Group", ru="Группа"), _ESSAYS, _ACCURACIES["algorithm_accuracy"], *_INTERVAL)
        yield Section(_ALL, title, columns, rows, least_places=PERCENT_PLACES)


def _files(outcomes: Sequence[Outcome]) -> Section:
    """Clause: R 6.5.2"""
    columns = (
        Text(en="File", ru="Файл"),
        Text(en="Type", ru="Тип"),
        *_ACCURACIES.values(),
        *METRIC_NAMES.values(),
    )
    return Section(
        "files", Text(en="Files", ru="Файлы"), columns, tuple(map(_file, outcomes)), least_places=_FILE_PLACES
    )


def _file(outcome: Outcome) -> tuple[Json, ...]:
    facts = outcome.item
    return (facts.item_id, facts.group, *_numbers(outcome.score))


def _numbers(score: Json) -> tuple[float | None, ...]:
    """Return a file's measures, of a score record or as they are told of a hidden set."""
    if score is None:
        return (None,) * (len(_ACCURACIES) + len(METRICS))
    told = measures(score) if "fingerprint" in score else score
    return (*(told[name] for name in _ACCURACIES), *(told["metrics"][name] for name in METRICS))


def _ends(interval: Sequence[float] | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval[0], interval[1])
