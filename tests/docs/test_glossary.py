"""The glossary's tables have one form and its identifiers exist; Russian texts use none of the words that it bans."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
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


PACKAGES = ("clients", "functions", "layers", "local", "rehearsal", "infra", "tools")
KEPT = re.compile(r"финальн\w+\s+испытани\w+", re.IGNORECASE)
"""The final's name in the regulation (R 2.9)."""
CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
REMARK = re.compile(r"#.*[а-яё]", re.IGNORECASE)


def banned() -> dict[str, re.Pattern[str]]:
    """Return the stems of the glossary's last table, each as a pattern of a word's beginning."""
    table = (ROOT / "docs" / "glossary.md").read_text().rpartition("\n## Words that the Russian texts do not use")[2]
    stems = re.findall(r"^\| ([а-яё ]+) \|", table, re.MULTILINE)
    return {stem: re.compile(rf"\b{stem}", re.IGNORECASE) for stem in stems}


BANNED = banned()


def literals(source: str) -> Iterator[str]:
    """Yield the strings of a Python program that hold Russian; neighbours, which Python joins, as one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CYRILLIC.search(node.value):
            yield node.value


def comments(source: str) -> Iterator[str]:
    if not REMARK.search(source):
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and CYRILLIC.search(token.string):
            yield token.string


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Return each Russian text with the name of its file."""
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    pages = [*ROOT.glob("*.ru.md"), *(ROOT / "docs").rglob("*.ru.md"), *ROOT.glob("layers/*/README.md")]
    pages += [*ROOT.glob("layers/*/src/**/*.ru.md"), *ROOT.glob("clients/*/README.md")]
    pages += [ROOT / "web/src/ui/clauses.json"]
    for page in pages + sorted(ROOT.glob("web/src/i18n/*/ru.po")):
        yield str(page.relative_to(ROOT)), page.read_text()
    for package in PACKAGES:
        for catalogue in sorted((ROOT / package).rglob("ru.po")):
            yield str(catalogue.relative_to(ROOT)), catalogue.read_text().replace('"\n"', "")  # lines of one text
        for module in sorted((ROOT / package).rglob("*.py")):
            source = module.read_text()
            if CYRILLIC.search(source):
                yield str(module.relative_to(ROOT)), "\n".join([*literals(source), *comments(source)])


def misused(text: str) -> list[str]:
    """List the stems of the banned words that a text uses; words may be parted by the end of a line."""
    running = KEPT.sub("", " ".join(text.split())).lower()
    return [stem for stem, pattern in BANNED.items() if stem in running and pattern.search(running)]


def test_no_russian_text_uses_a_banned_word_and_all_texts_are_looked_at() -> None:
    actual = [f"{name}: {stem}" for name, text in texts() for stem in misused(text)]
    assert not actual, "docs/glossary.md names the word to use instead:\n" + "\n".join(actual)
    names = [name for name, _ in texts()]
    assert len(BANNED) >= 15
    for part in (
        ".ru.md",
        "ru.po",
        "errors.py",
        "local/ru.po",
        "markup_core/ru.po",
        "contest/ru.po",
        "tracks/ru.po",
        "pku/ru.po",
    ):
        assert any(name.endswith(part) for name in names), part


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Ближайшее испытание начнётся завтра", ["испытани"]),
        ("До Финальных испытаний команда отвечает на вопросы", []),
        ("эксперты размечают файлы финальных\n  испытаний", []),
        ("Финальные испытания прошли; испытания повторят", ["испытани"]),
        ("каждый файл запрашивают в миг\nоткрытия", ["в миг"]),
        ("Решатель выдал расписку", ["решател", "расписк"]),
        ("двадцать минут", []),
    ],
)
def test_a_banned_word_is_found_wherever_it_stands(text: str, stems: list[str]) -> None:
    assert misused(text) == stems
