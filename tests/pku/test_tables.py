"""Output of the commands: tables of reports, the end of a report, the cycle in words without field names."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from contest.cycle.wire.cycle import ParametersBody
from contest.results.rules.reports import described_parameters
from contest.results.wire import LimitsBody
from pku import tables
from pku.errors import ExchangeError
from pku.tables import cycle
from tests.pku.platform import pku_error
from tests.samples import PARAMETERS
from tracks.essay.items import complete


@pytest.mark.parametrize(("language", "words"), [("en", "fewer than ten texts"), ("ru", "меньше десяти текстов")])
@pytest.mark.parametrize("rows", [[], [["rus", 61.5]]])
def test_a_table_without_rows_says_what_may_be_left_out(language: str, words: str, rows: list[list[object]]) -> None:
    columns = [{"en": "Type", "ru": "Тип"}, {"en": "OTAR", "ru": "ОТАР"}]
    section = {"key": "by_subject", "title": {"en": "By type", "ru": "По типам"}, "columns": columns, "rows": rows}
    table, hidden = tables.section(section, language)
    assert hidden == 0
    assert (words in str(table.caption)) is (rows == [])


REASON = {"code": "run_stopped", "message": "The run was stopped.", "message_ru": "Остановлено."}
VOIDED = {"code": "too_many_voided", "message": "Too many files.", "message_ru": "Слишком много."}


class Shown:
    """Recorder of the lines that a person sees; sentences are recorded by name."""

    language = "en"

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print_sentence(self, name: str, **values: Any) -> None:
        del values
        self.lines.append(name)

    def show_text(self, text: str) -> None:
        self.lines.append(text)


def shown(*reasons: Any, result: Any = None, **run: Any) -> list[str]:
    app = Shown()
    report = {
        "timing": {},
        "files": [],
        "solution": {"voided_share": 0.0, "allowed_share": 0.05, "voided": False},
        "run": {"mode": "final", "trial": False, "stopped_at": None, **run},
        "readiness": {"ready": not reasons, "valid_share": 1.0, "reasons": list(reasons)},
        "result": result,
    }
    tables.show(app, report)  # type: ignore[arg-type]  # two methods of the application are all it needs
    return app.lines


def test_a_final_says_whether_results_are_to_come_and_makes_nobody_ready_for_a_final() -> None:
    stopped = shown(VOIDED, REASON, stopped_at="2026-12-01T09:00:00.000Z")
    for lines, end in ((shown(result={}), []), (shown(), ["report.unpublished"]), (stopped, ["The run was stopped."])):
        assert lines == ["report.solution_stands", *end]


@pytest.mark.parametrize("run", [{"mode": "technical"}, {"trial": True}])
def test_a_technical_run_and_a_trial_conclude_on_readiness(run: Any) -> None:
    assert "report.ready" in shown(**run)
    assert shown(REASON, **run)[-2:] == ["report.not_ready", "  - The run was stopped."]


class Charts:
    """A platform that knows one session's chart."""

    def timeline(self, session_id: str) -> str:
        if session_id != "s1":
            raise ExchangeError("unknown_run", message="", message_ru="", status=404)
        return "<svg/>"


def test_a_timeline_is_written_or_it_is_said_why_not(tmp_path: Path) -> None:
    charts: Any = Charts()
    tables.write_timeline(charts, "s1", tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text() == "<svg/>"
    with pku_error("no_timeline"):
        tables.write_timeline(charts, "s2", tmp_path / "chart.svg")


LIMITS = LimitsBody(answer_bytes=2_097_152, log_bytes=1_048_576, files_per_session=1000).model_dump()


def body(**changed: Any) -> dict[str, Any]:
    described = described_parameters(PARAMETERS) | {"track": complete({})[0]}
    parameters = ParametersBody.model_validate(described).model_dump(mode="json") | changed  # as it is answered
    stage = {"name": "final", "first": "2027-06-01", "last": "2027-06-03"}
    stage |= {"message": "No final can be planned for another day.", "message_ru": "На другой день финал не назначить."}
    return {
        "name": {"en": "Trial cycle", "ru": "Пробный цикл"},
        "languages": {"rus": ["lit", "hist"]},
        "stages": [stage],
        "sets": {"train": {"files": 3, "by_language": {"rus": 3}}},
        "parameters": parameters,
        "limits": LIMITS,
    }


def printed(said: dict[str, Any], language: str) -> str:
    out = io.StringIO()
    Console(file=out, width=400).print(cycle(said, language))
    return out.getvalue()


@pytest.mark.parametrize("language", ["en", "ru"])
def test_no_field_is_shown_under_its_name(language: str) -> None:
    assert re.findall(r"\b[a-z]+_[a-z_]+\b|[{}]|\bTrue\b|\bFalse\b|\bNone\b", printed(body(), language)) == []


def test_russian_has_no_english_label() -> None:
    lines = [re.split(r"[│┃]", line)[1].strip() for line in printed(body(), "ru").splitlines() if "│" in line]
    assert len(lines) > 15
    assert [line for line in lines if not re.search(r"[а-яё]", line)] == []


def test_everything_that_a_participant_plans_by_is_told() -> None:
    told = printed(body(), "en")
    for part in ("lit, hist", "2027-06-01 – 2027-06-03", "rus 3", "10 to 60 s", "0.95"):
        assert part in told
    assert "0,95" in printed(body(), "ru")


@pytest.mark.clause("D 8.19")
def test_the_knowledge_base_is_listed_with_its_addresses() -> None:
    document = {
        "title": {"en": "Guides", "ru": "Пособия"},
        "url": "https://a.example",
        "about": {"en": "x", "ru": "икс"},
    }
    for language, words in (("en", "Guides"), ("ru", "икс")):
        told = printed(body() | {"knowledge_base": [document]}, language)
        assert words in told
        assert "https://a.example" in told


def test_a_stage_says_in_words_what_becomes_of_other_days() -> None:
    for language, words in (("en", "No final can be planned"), ("ru", "На другой день финал не назначить")):
        (line,) = [row for row in printed(body(), language).splitlines() if "2027-06-01 – 2027-06-03" in row]
        assert words in line


def test_a_cycle_without_technical_qualifications_says_so() -> None:
    technical = described_parameters(PARAMETERS)["technical"] | {"enabled": False}
    assert "none in this cycle" in printed(body(technical=technical), "en")


@pytest.mark.parametrize(("language", "words"), [("en", "on test sets"), ("ru", "на тестовых выборках")])
def test_a_kind_of_set_with_a_quota_of_its_own_is_named(language: str, words: str) -> None:
    told = printed(body(sessions_per_day_on={"test": 3}), language)
    assert words in told
    assert "sessions_per_day" not in told


def test_a_nomination_has_its_title() -> None:
    named = {"logic": {"name": {"en": "Logic", "ru": "Логика"}, "languages": [], "groups": []}}
    assert "Логика" in printed(body(nominations=named), "ru")


def test_what_a_newer_platform_tells_stands_under_its_own_name() -> None:
    told = printed(body(final={"files": [1, 2]}, another={"new_part": 7}), "en")
    assert "final.files" in told
    assert "another.new_part" in told


def test_a_baseline_stands_on_the_board_with_its_mark_and_without_a_place() -> None:
    row = {"place_to": None, "team_id": "b", "files": 4, "answered": 4, "value": 50.0, "barrier": False, "result": {}}
    rows = [
        {**row, "place": 1, "place_to": 1, "team_id": "a", "team": "Red", "value": 60.0},
        {**row, "place": None, "team": "Majority"},
    ]
    rules = {"measure": {"en": "OTAR", "ru": "OTAR"}, "places": 2, "levels": [], "barrier": 100.0, "whole_set": False}
    table = tables.board({"board": rules, "language": "all", "rows": rows}, "en")
    places, teams = (list(column.cells) for column in table.columns[:2])
    assert list(zip(places, teams, strict=True)) == [("1", "Red"), ("–", "Majority (baseline)")]
