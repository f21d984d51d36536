"""What is read in Russian uses the regulation's words: none of those that the glossary bans."""

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
    """Everything that is read in Russian, with the name of its file."""
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


def test_no_russian_text_uses_a_banned_word() -> None:
    found = [f"{name}: {stem}" for name, text in texts() for stem in misused(text)]
    assert not found, "docs/glossary.md names the word to use instead:\n" + "\n".join(found)


def test_the_texts_are_looked_at() -> None:
    """A moved folder or another form of the table must not make the test above silent."""
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
