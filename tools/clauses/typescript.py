"""Marks and tests of the site's TypeScript, read as text.

A mark is a line ``Clause: R 2.19`` in the comment ``/** … */`` right above an exported function, class or constant. A
test has the same line in the comment right above its ``test(…)``; a test that a loop repeats is one, by its title as it
is written, with ``${language}`` in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path("web/src")
TESTS = (Path("web/tests"), SOURCES)
LINE = re.compile(r"^[\s/*]*clauses?\s*:(?P<keys>[^*\n]*)", re.IGNORECASE | re.MULTILINE)
COMMENT = r"(?P<comment>/\*\*(?:[^*]|\*(?!/))*\*/)\s*"
MARKED = re.compile(COMMENT + r"export\s+(?:async\s+)?(?:function|const|class)\s+(?P<name>\w+)")
PROVED = re.compile(COMMENT + r"""(?:test|it)\(\s*(?P<quote>["'`])(?P<title>(?:\\.|(?!(?P=quote)).)+)(?P=quote)""")
ANY = re.compile(COMMENT)


@dataclass(frozen=True, slots=True)
class Said:
    """What a file says of a clause: of which name (a test's title; empty where nothing that can be marked follows)."""

    clause: str
    path: Path
    name: str
    line: int


def marks_in(root: Path) -> Iterator[Said]:
    """Every clause that the site's sources mark; a name is empty where the comment stands above nothing exported."""
    for path in _files(root, (SOURCES,), "*.ts", "*.tsx"):
        if not path.name.endswith((".test.ts", ".test.tsx")):
            yield from _said(root, path, MARKED, "name")


def proofs_in(root: Path) -> Iterator[Said]:
    """Every clause that a test of the site proves; a name is empty where the comment stands above no test."""
    for path in _files(root, TESTS, "*.spec.ts", "*.test.ts", "*.test.tsx"):
        yield from _said(root, path, PROVED, "title")


def _files(root: Path, folders: tuple[Path, ...], *patterns: str) -> list[Path]:
    return sorted(path for folder in folders for pattern in patterns for path in (root / folder).rglob(pattern))


def _said(root: Path, path: Path, form: re.Pattern[str], part: str) -> Iterator[Said]:
    text = path.read_text("utf-8")
    for comment in ANY.finditer(text):
        found = form.match(text, comment.start())
        name = found[part] if found else ""
        line = text.count("\n", 0, comment.end()) + 1
        for keys in LINE.findall(comment["comment"]):
            for key in re.split(r"[,;]", keys):
                yield Said(key.strip(), path.relative_to(root), name, line)
