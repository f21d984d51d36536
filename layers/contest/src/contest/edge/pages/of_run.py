"""The commission's record of a run as a page (R 8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contest.charts.bars import Bar
from contest.domain.results import run_tables
from contest.domain.session.delivery import Cause
from contest.domain.tables import Table
from contest.edge.languages import Language, in_language, said
from contest.edge.pages.page import Block, Chart, Page, drawn, moment, plain, section, written
from tracks.protocol import Text

_TITLE: Final = Text(en="Record of run {0} for the commission", ru="Материалы комиссии о прогоне {0}")
_RUN: Final = Text(en="The run", ru="Прогон")
_FACTS: Final = {
    "mode": Text(en="Kind", ru="Вид"),
    "set": Text(en="Set", ru="Выборка"),
    "files": Text(en="Files", ru="Файлов"),
    "trial": Text(en="Trial", ru="Пробные"),
    "starts_at": Text(en="Start", ru="Начало"),
    "ends_at": Text(en="End", ru="Окончание"),
    "stopped_at": Text(en="Stopped", ru="Остановлены"),
    "closed_at": Text(en="Record made", ru="Протокол сформирован"),
    "published_at": Text(en="Results published", ru="Результаты опубликованы"),
}
_MASS_FAILURE: Final = Text(en="Proposal on a mass failure", ru="Предложение о массовом сбое")
_CAUSES: Final = Text(en="Annulled files by cause", ru="Аннулированные файлы по причинам")
_SHARES: Final = Text(en="Share of missed files by team, %", ru="Доля пропущенных файлов по командам, %")
_BY_TEAM: Final = Text(en="By team: {}", ru="По командам: {}")


def page(record: Mapping[str, Any], language: Language) -> str:
    """The page of the commission's record. O(annulled files).

    Clause: R 8.3.1, R 8.3.3
    """
    title = in_language(_TITLE, language).format(record["run"]["run_id"])
    charts = {"teams": _annulments(record, language), "results": _results(record, language)}
    tables = run_tables.of_record(record)
    blocks = [_about(record, language), *(_section(each, language, charts) for each in tables)]
    if record["mass_failure"] is not None:
        blocks.insert(1, _mass_failure(record["mass_failure"], language))
    return written(Page(language, title, tuple(blocks)))


def _section(table: Table, language: Language, charts: Mapping[str, tuple[Chart, ...]]) -> Block:
    return section(table, language, charts.get(table.name, ()))


def _about(record: Mapping[str, Any], language: Language) -> Block:
    run = record["run"]
    facts = tuple(
        (in_language(name, language), _fact(key, run[key], language))
        for key, name in _FACTS.items()
        if run[key] is not None
    )
    return Block(in_language(_RUN, language), facts=facts)


def _fact(key: str, value: Any, language: Language) -> str:
    if key.endswith("_at"):
        return moment(value)
    return said(value, language) if key == "mode" else plain(value, language)


def _mass_failure(found: Mapping[str, Any], language: Language) -> Block:
    numbers = ", ".join(str(each) for each in found["numbers"])
    return Block(in_language(_MASS_FAILURE, language), (f"{numbers} · {said(found['standing'], language)}",))


def _annulments(record: Mapping[str, Any], language: Language) -> tuple[Chart, ...]:
    sessions = record["sessions"]
    causes, shares = in_language(_CAUSES, language), in_language(_SHARES, language)
    by_cause = [
        Bar(said(cause.value, language), float(sum(_files(each, cause) for each in sessions))) for cause in Cause
    ]
    by_team = [Bar(each["team_id"], _percent(each["solution"]["voided_share"])) for each in sessions]
    allowed = max((each["solution"]["allowed_share"] for each in sessions), default=None)
    return (
        drawn(causes, by_cause, "causes", language, digits=0),
        drawn(shares, by_team, "shares", language, mark=_percent(allowed)),
    )


def _files(session: Mapping[str, Any], cause: Cause) -> int:
    return int(session["voided"]["by_cause"][cause.value]["files"])


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _results(record: Mapping[str, Any], language: Language) -> tuple[Chart, ...]:
    measure = record["board"]["measure"][language]
    title = in_language(_BY_TEAM, language).format(measure)
    rows = [Bar(each["team_id"], each["value"]) for each in record["results"] or ()]
    return (drawn(title, rows, "results", language, mark=record["board"]["barrier"]),)
