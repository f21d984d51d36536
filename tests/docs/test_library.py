"""The examples of ``docs/library.md`` and its Russian page, run one after another as in a notebook.

After an intended change of the output run this file as a program: it writes the outputs anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import markup_core

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("library.md", "library.ru.md")
EXAMPLE = re.compile(r"(?P<program>```python\n(.*?)```\n\n)```text\n(.*?)```\n", re.DOTALL)


@contextlib.contextmanager
def within(folder: Path) -> Iterator[None]:
    """Make the folder the current one, as the page says."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def rewritten(page: str) -> str:
    """Return the page with the present output of its examples; they share their variables."""
    shared: dict[str, object] = {}

    def run(example: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example[2], "<example>", "exec"), shared)  # noqa: S102  our own page
        return f"{example['program']}```text\n{printed.getvalue()}```\n"

    with within(DOCS / "examples"):
        return EXAMPLE.sub(run, page)


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_print_what_stands_below_them(name: str) -> None:
    page = (DOCS / name).read_text("utf-8")
    assert page.count("```python\n") == len(EXAMPLE.findall(page)) > 5
    assert rewritten(page) == page


def test_every_public_function_is_told_of() -> None:
    page = (DOCS / PAGES[0]).read_text("utf-8") + (DOCS / "markup-core.md").read_text("utf-8")
    assert [name for name in markup_core.__all__ if not name.startswith("_") and f"`{name}`" not in page] == []


if __name__ == "__main__":
    for path in (DOCS / name for name in PAGES):
        path.write_text(rewritten(path.read_text("utf-8")), "utf-8")
