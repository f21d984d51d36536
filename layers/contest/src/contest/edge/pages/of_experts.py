"""The report of the coordinator of experts as a page: progress, speed, agreement, drift, third experts (R 7.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from contest.charts.bars import Bar
from contest.domain.experts import progress_tables
from contest.domain.moments import Millis, iso
from contest.domain.tables import Table
from contest.edge.languages import Language, in_language, said
from contest.edge.pages.page import Block, Chart, Page, drawn, moment, section, written
from contest.services.experts.progressing import MarkingReport
from tracks.protocol import Text

_TITLE: Final = Text(en="Experts' work on {0}", ru="Работа экспертов: {0}")
_MARKING: Final = Text(en="The work", ru="Работа")
_COUNTS: Final = {
    "essays": Text(en="Essays given out", ru="Эссе в работе"),
    "done": Text(en="Done", ru="Готово"),
    "lacking": Text(en="Experts lacking", ru="Не хватает экспертов"),
    "thirds": Text(en="Third experts", ru="Третьих экспертов"),
}
_SET: Final = Text(en="Set", ru="Выборка")
_NOW: Final = Text(en="As of", ru="На момент")
_CHARTS: Final = {
    "handed_in": Text(en="Essays handed in", ru="Сдано эссе"),
    "mean_s": Text(en="Mean time of an essay, s", ru="Среднее время на эссе, с"),
    "accuracy": Text(en="Agreement with partners, %", ru="Согласованность с напарниками, %"),
    "points": Text(
        en="Drift of points from partners, % of the most", ru="Сдвиг баллов относительно напарников, % от максимума"
    ),
}
_INTERVALS: Final = {"mean_s": "mean_95", "accuracy": "accuracy_95", "points": "points_95"}
_ALPHA: Final = Text(en="Krippendorff's alpha", ru="Альфа Криппендорфа")
_DONE: Final = Text(en="Essays done, %", ru="Готово эссе, %")


def tables(report: MarkingReport) -> tuple[Table, ...]:
    """The report's tables, the experts' own first."""
    of = report.agreement
    return progress_tables.of_report(report.progress, of.agreement, of.speeds, report.pseudonyms)


def page(report: MarkingReport, now: Millis, language: Language) -> str:
    """The page of a report made at a moment. O(essays + experts).

    Clause: R 7.10, R 8.3.2
    """
    found = tables(report)
    charts = {
        "experts": tuple(_experts(found[0], language)),
        "progress": _progress(found, language),
        "agreement": _alpha(found, language),
    }
    blocks = [section(each, language, charts.get(each.name, ())) for each in found]
    title = in_language(_TITLE, language).format(report.marking.marking_id)
    return written(Page(language, title, (_about(report, now, language), *blocks)))


def _about(report: MarkingReport, now: Millis, language: Language) -> Block:
    work = report.progress
    counts = {"essays": len(work.essays), "done": work.done, "lacking": work.lacking, "thirds": work.thirds}
    facts = [(in_language(_SET, language), report.marking.set_name), (in_language(_NOW, language), moment(iso(now)))]
    facts += [(in_language(_COUNTS[name], language), str(count)) for name, count in counts.items()]
    return Block(in_language(_MARKING, language), facts=tuple(facts))


def _experts(experts: Table, language: Language) -> Iterator[Chart]:
    for name, title in _CHARTS.items():
        rows = [Bar(str(each["expert_id"]), _number(each[name]), _ends(each, name)) for each in experts.records()]
        digits = 0 if name == "handed_in" else 2
        yield from _drawn(in_language(title, language), rows, f"experts-{name}", language, digits)


def _progress(found: Sequence[Table], language: Language) -> tuple[Chart, ...]:
    table = _named(found, "progress")
    rows = [Bar(f"{each['language']} · {each['subject']}", _share(each)) for each in table.records()]
    return tuple(_drawn(in_language(_DONE, language), rows, "done", language))


def _alpha(found: Sequence[Table], language: Language) -> tuple[Chart, ...]:
    rows = [
        Bar(said(str(each["group"]), language), _number(each["alpha"]), _pair(each, "alpha_95"))
        for each in _named(found, "agreement").records()
    ]
    return tuple(_drawn(in_language(_ALPHA, language), rows, "alpha", language))


def _drawn(title: str, rows: Sequence[Bar], key: str, language: Language, digits: int = 2) -> Iterator[Chart]:
    """A chart, where there is anything to see."""
    if any(each.value is not None for each in rows):
        yield drawn(title, rows, key, language, digits=digits)


def _named(found: Sequence[Table], name: str) -> Table:
    return next(each for each in found if each.name == name)


def _share(each: Mapping[str, Any]) -> float:
    return 100.0 * float(each["done"]) / float(each["essays"])


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _ends(each: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    return _pair(each, _INTERVALS[name]) if name in _INTERVALS else None


def _pair(each: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    low, high = each[f"{name}_from"], each[f"{name}_to"]
    return None if low is None or high is None else (float(low), float(high))
