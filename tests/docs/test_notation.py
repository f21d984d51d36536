"""The examples of docs/notation.md and docs/notation.ru.md are what the parser reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from markup_core.model import Markup
from markup_core.notation import NotationError, parse, render
from markup_core.reading.validation import dump, validate

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(params=["notation.md", "notation.ru.md"])
def document(request: pytest.FixtureRequest) -> str:
    """Return the page, in each language."""
    return (DOCS / request.param).read_text(encoding="utf-8")


@pytest.fixture
def examples(document: str) -> list[Markup]:
    """Parse the page's examples, in their order."""
    return [parse(block) for block in re.findall(r"```notation\n(.*?)\n```", document, re.DOTALL)]


def marked(markup: Markup) -> dict[str, str]:
    return {fragment.code: markup.text[fragment.start : fragment.end] for fragment in markup.fragments}


def test_examples_are_valid_and_mean_what_the_page_says(
    examples: list[Markup],
) -> None:
    assert len(examples) == 7
    for markup in examples:
        result = validate(dump(markup))
        assert result.errors == result.warnings == ()
        assert parse(render(markup)) == markup
    first, earlier, nested, crossing, whole, escaped, header = examples
    assert first.text == "Что такое добро? Автор описывает о войне."
    assert first.fragments[1][4:7] == ("лишний предлог", "сравните: описывать что?", "описывает войну")
    assert earlier.text == "These are the animals who live."
    assert marked(earlier) == {"А.грамм": "animals who"}
    assert marked(nested)["ПРИМЕР"] == "Герой большой степь увидел впервые."
    assert marked(crossing) == {"ПРИМЕР": "увидел степь", "ПОЯСНЕНИЕ": "степь и понял"}
    assert whole.fragments[0].is_full_text
    assert whole.fragments[0].comment == "тема не раскрыта"
    assert escaped.text == "Смайлик ^_^ и дробь и\\или смешны (*сноска*)."
    assert escaped.fragments[0].comment == "см. #3"
    assert dict(header.meta) == {"class": 11, "year": "2020", "third": False, "subject": "rus"}


def test_the_error_of_the_document_is_the_parsers(document: str) -> None:
    with pytest.raises(NotationError) as refused:
        parse("Предмет: rus\n\nПервая *) строка")
    assert f"```\n{refused.value}\n```" in document
