"""The rows that docs/rehearsal.md shows of a rehearsal are worded as the command words them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rehearsal import show
from rehearsal.play.injections import Trick

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^[│┃] (?:[✓✗ ] [│┃] )?(?P<text>.*?) +[│┃]", re.MULTILINE)
CONTINUED = re.compile(r"\n│ +│ (?P<text>\S.*?) +│ +│ +│")


@pytest.mark.parametrize("name", ["docs/rehearsal.md", "docs/rehearsal.ru.md"])
def test_the_rows_of_the_rehearsal_are_the_commands_own(name: str) -> None:
    page = (ROOT / name).read_text("utf-8")
    shown = "\n".join(re.findall(r"```text\n(.*?)```", page[page.index("make rehearse") :], re.DOTALL)[:2])
    whole = re.sub(r" +│ (\d+) +│ 0 +│" + CONTINUED.pattern, r" \g<text> │ \1 │ 0 │", shown)
    rows = [each.strip() for each in ROW.findall(whole)]
    assert len(rows) > 15
    heads = {
        "What was injected",
        "What happened to the files",
        "what is promised",
        "times",
        "channel away",
        "tick missed",
    }
    words = {*show.TEXTS.values(), *heads, *(trick.replace("_", " ") for trick in Trick)}
    assert not set(rows) - words
    assert "GREEN: every check passed" in shown
