"""A document in two languages says the same in both: headings, commands, programs, options, codes and links agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.docs.terminals import BLOCK, ROOT

SHORT = ROOT / "docs" / "rehearsal.ru.md"
"""A page whose Russian is an introduction: the rest is for those who work on the code."""
RUSSIAN = sorted({*ROOT.glob("*.ru.md"), *(ROOT / "docs").glob("*.ru.md")} - {SHORT})
COMMENT = re.compile(r"(^|\s+)# .*$", re.MULTILINE)
RUSSIAN_LITERAL = re.compile(r'"[^"\n]*[а-яё][^"\n]*"', re.IGNORECASE)
RUSSIAN_WORD = re.compile(r"[а-яё]+", re.IGNORECASE)


def english_of(russian: Path) -> Path:
    return russian.with_name(russian.name.replace(".ru.md", ".md"))


def alike(english: str, russian: str, translated: re.Pattern[str], any_words: str) -> bool:
    """Return True if two pieces of code differ only in their translated parts."""
    return original(russian, translated, any_words).fullmatch(english) is not None


@cache
def original(russian: str, translated: re.Pattern[str], any_words: str) -> re.Pattern[str]:
    """Return the pattern of a piece of Russian code in English."""
    return re.compile(any_words.join(re.escape(part) for part in translated.split(russian)))


@cache
def in_english(command: str) -> str:
    """Return a command without its options for Russian, with generated ids, such as a session's, replaced by ``ID``."""
    return re.sub(
        r"\b(?:[a-z0-9]{20}|[1-9][0-9]{14})\b", "ID", command.replace(" --lang ru", "").replace(', language="ru"', "")
    )


def code(page: str) -> Iterator[tuple[str, str]]:
    """Yield kind and content of every block, without comments; of a terminal's block the command lines alone."""
    for block in BLOCK.finditer(page):
        body = block["body"]
        if block["kind"] == "console":
            body = "\n".join(line for line in body.splitlines() if line.startswith("$ "))
        yield block["kind"], "" if block["kind"] == "text" else COMMENT.sub("", body)


def spans(page: str) -> set[str]:
    """Return every text in backticks outside of blocks."""
    return {" ".join(span.split()) for span in re.findall(r"`([^`]+)`", BLOCK.sub("", page))}


def first_cells(page: str) -> list[str]:
    """List the code in the first column of every table."""
    rows = (line.split("|")[1] for line in BLOCK.sub("", page).splitlines() if line.startswith("|"))
    return [" ".join(re.findall(r"`([^`]+)`", cell)) for cell in rows]


def headings(page: str) -> list[int]:
    return [len(marks) for marks in re.findall(r"^(#+) ", BLOCK.sub("", page), re.MULTILINE)]


def links(page: str) -> set[str]:
    return set(re.findall(r"\]\(([^)]+)\)", BLOCK.sub("", page)))


def differences(english: str, russian: str) -> list[str]:
    """List the facts that only one of two pages states."""
    found = [] if headings(english) == headings(russian) else ["the headings"]
    for (kind, ours), (other, theirs) in zip_longest(code(english), code(russian), fillvalue=("nothing", "")):
        if kind != other or not alike(in_english(ours), in_english(theirs), RUSSIAN_LITERAL, r'"[^"\n]*"'):
            found.append(f"a block:\n{ours}\n---\n{theirs}")
    for ours, theirs in zip_longest(first_cells(english), first_cells(russian), fillvalue="no row"):
        if not alike(ours, theirs, RUSSIAN_WORD, r"[\w ]+"):
            found.append(f"a row: {ours} / {theirs}")
    said, told = spans(english), spans(russian)
    missing = [each for each in said if not any(alike(each, in_english(a), RUSSIAN_WORD, r"\w+") for a in told)]
    # how to have it in Russian is said in Russian alone
    extra = {each for each in told if "--lang ru" not in each}
    added = [each for each in extra if not any(alike(a, each, RUSSIAN_WORD, r"\w+") for a in said)]
    found += [f"not in Russian: {each}" for each in missing] + [f"not in English: {each}" for each in added]
    return found


@pytest.mark.parametrize("russian", RUSSIAN, ids=lambda path: path.name)
def test_a_pair_says_the_same(russian: Path) -> None:
    assert differences(english_of(russian).read_text("utf-8"), russian.read_text("utf-8")) == []


def test_a_short_page_leads_to_the_long_one_and_shows_and_names_nothing_that_is_not_there() -> None:
    english, russian = english_of(SHORT).read_text("utf-8"), SHORT.read_text("utf-8")
    assert SHORT.name in links(english)
    assert links(russian) == {english_of(SHORT).name}
    ours, theirs = (
        {" ".join(line.split()) for _, block in code(page) for line in block.splitlines()}
        for page in (english, russian)
    )
    assert not [row for row in theirs if not any(alike(line, row, RUSSIAN_WORD, r"\w+") for line in ours)]
    assert len(theirs) >= 5
    named = {span for span in spans(russian) if not re.match(RUSSIAN_WORD, span)}
    assert not [span for span in named if not any(word in english for word in (span, span.split()[0]))]


@pytest.mark.parametrize("russian", RUSSIAN, ids=lambda path: path.name)
def test_a_pair_links_to_each_other_and_to_the_same_pages_in_its_own_language(russian: Path) -> None:
    english = english_of(russian)
    ours, theirs = links(english.read_text("utf-8")), links(russian.read_text("utf-8"))
    assert russian.name in ours
    assert english.name in theirs
    both = {link for link in ours | theirs if (russian.parent / link.replace(".md", ".ru.md")).is_file()}
    assert {link.replace(".ru.md", ".md") for link in ours ^ theirs} <= {*both, english.name}
    assert {link.replace(".md", ".ru.md") for link in both - {english.name}} <= theirs


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("$ make demo", "$ make show"),
        ("contest run watch RUN  ", "contest run look RUN  "),
        ("| `make up` |", "| `make down` |"),
        ("`make up`", "make up"),
        ('"Совы Омска"', "Совы"),
        ("## Оценивать", "### Оценивать"),
        ("```console\n$ git clone … hurdle && cd hurdle\n$ make demo\n```", ""),
        ("--once", "--twice"),
    ],
)
def test_a_difference_is_found(was: str, becomes: str) -> None:
    english, russian = (
        "\n".join((ROOT / f"{page}{suffix}").read_text("utf-8") for page in ("README", "docs/index"))
        for suffix in (".md", ".ru.md")
    )
    english, russian = f"{english}\nSee `pku --once`.\n", f"{russian}\nСм. `pku --once`.\n"
    assert differences(english, russian) == []
    assert was in russian
    assert differences(english, russian.replace(was, becomes)) != []


def documents() -> list[Path]:
    contests = (ROOT / "local" / "contests" / name for name in ("diagnosis", "exam", "fusion", "gec"))
    data = (ROOT / "local" / "demonstration", *contests)
    folders = (ROOT, ROOT / "docs", ROOT / "docs" / "decisions", *data)
    return [path for folder in folders for path in sorted(folder.glob("*.md"))]


def test_every_link_leads_to_a_file_and_every_task_of_make_that_is_told_exists() -> None:
    tasks = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for document in documents():
        page, name = document.read_text("utf-8"), document.relative_to(ROOT).as_posix()
        inside = {link.split("#")[0] for link in links(page) if "://" not in link}
        assert [link for link in inside if link and not (document.parent / link).exists()] == [], name
        assert tasks_told(page) <= tasks, name


def tasks_told(page: str) -> set[str]:
    """Return the tasks of make that a page names, in its blocks and in running text."""
    blocks = "\n".join(block["body"] for block in BLOCK.finditer(page))
    told = re.findall(r"^ *(?:\$ )?make ([a-z ]+)(?!\S)", COMMENT.sub("", blocks), re.MULTILINE)
    told += [words for span in spans(page) for words in re.findall(r"^make ([a-z ]+)(?!\S)", span)]
    return {task for words in told for task in words.split()}
