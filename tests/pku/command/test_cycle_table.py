"""The cycle in words: everything that the platform tells of a cycle, and no name of a field."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from contest.contracts.parameters import ParametersBody
from contest.contracts.public import LimitsBody
from contest.domain.results.session_report import described_parameters
from pku.command.tables import cycle
from tests.samples import PARAMETERS
from tracks.essay.items import complete

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


def shown(said: dict[str, Any], language: str) -> str:
    out = io.StringIO()
    Console(file=out, width=400).print(cycle(said, language))
    return out.getvalue()


@pytest.mark.parametrize("language", ["en", "ru"])
def test_no_field_is_shown_under_its_name(language: str) -> None:
    assert re.findall(r"\b[a-z]+_[a-z_]+\b|[{}]|\bTrue\b|\bFalse\b|\bNone\b", shown(body(), language)) == []


def test_russian_has_no_english_label() -> None:
    lines = [re.split(r"[│┃]", line)[1].strip() for line in shown(body(), "ru").splitlines() if "│" in line]
    assert len(lines) > 15
    assert [line for line in lines if not re.search(r"[а-яё]", line)] == []


def test_everything_that_a_participant_plans_by_is_told() -> None:
    told = shown(body(), "en")
    for part in ("lit, hist", "2027-06-01 – 2027-06-03", "rus 3", "10 to 60 s", "0.95"):
        assert part in told
    assert "0,95" in shown(body(), "ru")


@pytest.mark.clause("D 8.19")
def test_the_knowledge_base_is_listed_with_its_addresses() -> None:
    document = {
        "title": {"en": "Guides", "ru": "Пособия"},
        "url": "https://a.example",
        "about": {"en": "x", "ru": "икс"},
    }
    for language, words in (("en", "Guides"), ("ru", "икс")):
        told = shown(body() | {"knowledge_base": [document]}, language)
        assert words in told
        assert "https://a.example" in told


def test_a_stage_says_in_words_what_becomes_of_other_days() -> None:
    for language, words in (("en", "No final can be planned"), ("ru", "На другой день финал не назначить")):
        (line,) = [row for row in shown(body(), language).splitlines() if "2027-06-01 – 2027-06-03" in row]
        assert words in line


def test_a_cycle_without_technical_qualifications_says_so() -> None:
    technical = described_parameters(PARAMETERS)["technical"] | {"enabled": False}
    assert "none in this cycle" in shown(body(technical=technical), "en")


@pytest.mark.parametrize(("language", "words"), [("en", "on test sets"), ("ru", "на тестовых выборках")])
def test_a_kind_of_set_with_a_quota_of_its_own_is_named(language: str, words: str) -> None:
    told = shown(body(sessions_per_day_on={"test": 3}), language)
    assert words in told
    assert "sessions_per_day" not in told


def test_a_nomination_has_its_title() -> None:
    named = {"logic": {"name": {"en": "Logic", "ru": "Логика"}, "languages": [], "groups": []}}
    assert "Логика" in shown(body(nominations=named), "ru")


def test_what_a_newer_platform_tells_stands_under_its_own_name() -> None:
    told = shown(body(final={"files": [1, 2]}, another={"new_part": 7}), "en")
    assert "final.files" in told
    assert "another.new_part" in told
