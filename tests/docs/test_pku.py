"""``docs/pku.md`` tells every command, option and exit code; its programs and the examples of ``docs/notation.md``
work, in both languages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from markup_core.model import Markup
from markup_core.notation import NotationError, parse, render
from markup_core.reading.validation import dump, validate
from markup_core.reading.wire import Limits
from pku import commanding
from pku.cli import main
from pku.solvers import checked
from tests.pku.platform import essay
from tracks.diagnosis import answers
from tracks.exam import items as answers_of_exam
from tracks.fusion import score
from tracks.gec import items, operations, unpack

DOCS = Path(__file__).resolve().parents[2] / "docs"
COMMON = {"--lang", "--json", "--help"}


@pytest.fixture(params=["pku.md", "pku.ru.md"])
def document(request: pytest.FixtureRequest) -> str:
    """Return the page's name, in each language."""
    return str(request.param)


def chapters(name: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", (DOCS / name).read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def options(command: click.Command) -> set[str]:
    return {name for each in command.params if isinstance(each, click.Option) for name in each.opts} - COMMON


def test_every_command_option_and_exit_code_is_told_and_none_that_does_not_exist(document: str) -> None:
    found = chapters(document)
    for name, command in main.commands.items():
        assert f"`pku {name}" in found[name], name
        # what `start` explains, `run` and `pilot` need not explain again
        told = found[name] + (found["start"] if name == "run" else "")
        assert {option for option in options(command) if option not in told} == set(), name
    known = set().union(*(options(command) for command in main.commands.values())) | COMMON
    assert set(re.findall(r"--[a-z][a-z-]*", (DOCS / document).read_text("utf-8"))) <= known
    listed = re.findall(r"^\| (\d+) \|", (DOCS / document).read_text("utf-8"), flags=re.MULTILINE)
    codes = {0, 2, commanding.FAILED, commanding.UNANSWERED, commanding.UNREACHABLE, commanding.INTERRUPTED}
    assert [int(code) for code in listed] == sorted(codes)


def test_programs_of_the_page_run_and_are_accepted(document: str, tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(import json, sys.*?)```", (DOCS / document).read_text("utf-8"), re.DOTALL)
    given = essay("f1", "Автор поднимает проблему совести.")
    (tmp_path / "marker.py").write_text(program, encoding="utf-8")
    (tmp_path / "in.json").write_text(json.dumps(given), encoding="utf-8")
    subprocess.run([sys.executable, "marker.py", "in.json", "out.json"], cwd=tmp_path, check=True)
    answer = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert len(json.loads(checked(answer, given))["selections"]) == 1
    (program,) = re.findall(r"```python\n(from pathlib.*?)\nwith", (DOCS / document).read_text("utf-8"), re.DOTALL)
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_caps_of_an_answer_are_the_codes(document: str) -> None:
    """Rows give the contest and the limits of the third column, which equal the limits in the code."""
    table = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", (DOCS / document).read_text("utf-8"), re.MULTILINE)
    rows = [
        (contest, [int(re.sub(r"[ ,\u00a0]", "", number)) for number in re.findall(r"\d+(?:[ ,\u00a0]\d{3})*", most)])
        for contest, most in table
        if contest.split(",")[0] in {"essay", "exam", "gec", "diagnosis", "fusion"}
    ]
    of_essay, exam = Limits(), [answers_of_exam.MOST_LETTERS]
    assert [numbers for contest, numbers in rows if contest == "essay"] == [
        [of_essay.max_fragments],
        [of_essay.max_code_points],
    ]
    assert [numbers for contest, numbers in rows if contest == "exam"] == [exam]
    assert [numbers for contest, numbers in rows if contest.startswith("gec")] == [
        [items.MOST_EDITS],
        [items.MOST_TOKENS, operations.MOST_SENTENCES, unpack.MOST_ANNOTATORS],
    ]
    assert [numbers for contest, numbers in rows if contest == "diagnosis"] == [
        [answers.MOST_OBJECTS, answers.MOST_OF_A_KIND, answers.MOST_CHARACTERS]
    ]
    assert [numbers for contest, numbers in rows if contest == "fusion"][1:] == [
        [score.LONGEST_TEXT],
        [score.MOST_BOXES, score.LARGEST],
    ]


@pytest.fixture(params=["notation.md", "notation.ru.md"])
def notation(request: pytest.FixtureRequest) -> str:
    """Return the page, in each language."""
    return (DOCS / request.param).read_text(encoding="utf-8")


@pytest.fixture
def examples(notation: str) -> list[Markup]:
    """Parse the page's examples, in their order."""
    return [parse(block) for block in re.findall(r"```notation\n(.*?)\n```", notation, re.DOTALL)]


def marked(markup: Markup) -> dict[str, str]:
    return {fragment.code: markup.text[fragment.start : fragment.end] for fragment in markup.fragments}


def test_examples_are_valid_and_mean_what_the_page_says(examples: list[Markup]) -> None:
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


def test_the_error_of_the_document_is_the_parsers(notation: str) -> None:
    with pytest.raises(NotationError) as refused:
        parse("Предмет: rus\n\nПервая *) строка")
    assert f"```\n{refused.value}\n```" in notation
