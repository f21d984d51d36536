"""The glossary's tables have one form, its identifiers exist, and a reader finds a notion by the field's word."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAD = ("the field's word", "Russian", "identifier", "clause", "unit, values", "not to be confused with")
CODE = ("layers", "functions", "infra", "local", "rehearsal", "clients")


@cache
def rows() -> tuple[tuple[str, ...], ...]:
    """Return the rows of all tables but the last one, which lists words of Russian texts."""
    page = (
        (ROOT / "docs" / "glossary.md").read_text("utf-8").partition("\n## Words that the Russian texts do not use")[0]
    )
    lines = (line for line in page.splitlines() if line.startswith("| "))
    return tuple(tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines)


@cache
def words_of_the_code() -> set[str]:
    sources = [path for folder in CODE for path in (ROOT / folder).rglob("*.py")]
    sources += [*(ROOT / "web" / "src").rglob("*.ts"), *(ROOT / "web" / "src").rglob("*.tsx")]
    return {word for path in sources for word in re.findall(r"\w+", path.read_text("utf-8"))}


def test_every_row_has_three_words_none_that_it_bans_and_identifiers_of_the_code() -> None:
    assert {len(row) for row in rows()} == {len(HEAD)}
    notions = [row for row in rows() if row != HEAD]
    assert len(notions) > 100
    assert [row for row in notions if not all(row[:3])] == []
    spans = {span for row in rows() for span in re.findall(r"`([^`]+)`", row[2])}
    assert len(spans) > 100
    assert {word for span in spans for word in re.findall(r"\w+", span)} - words_of_the_code() == set()
    for row in rows():
        assert not set(re.split(r"[,;] ", row[0])) & set(re.split(r"[,;] ", row[5])), row


@pytest.mark.parametrize(
    ("word", "identifier"),
    [
        ("annotation", "`Markup`"),
        ("annotation project", "`Marking`"),
        ("gold annotation", "expert markup"),
        ("reference", "expert markup"),
        ("prediction", "algorithm markup"),
        ("adjudication", "`third_expert`"),
        ("curation", "`third_expert`"),
        ("IoU", "Jaccard distance"),
        ("inter-annotator agreement", "`Agreement`"),
        ("span", "`Fragment`"),
        ("leaderboard", "leaderboard"),
        ("submission", "`Submission`"),
        ("phase", "`Stage`"),
        ("dead letter", "`dead_letters`"),
        ("annotator", "`Expert`"),
    ],
)
def test_a_word_of_the_field_leads_to_our_identifier(word: str, identifier: str) -> None:
    identifiers = [row[2] for row in rows() if re.search(rf"(?<!\w){word}(?!\w)", row[0])]
    assert any(identifier in cell for cell in identifiers)
