"""``docs/tracks.md`` and ``docs/tracks.ru.md`` tell every command, option, op and error code, with real examples.

After an intended change of the output ``python -m tests.docs.test_tracks`` writes the examples anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import tracks
from tests.docs.test_markup_core import COMMANDS, DOCS, rewritten
from tracks.command.cli import group
from tracks.command.printing import operation_names

PAGES = (DOCS / "tracks.md", DOCS / "tracks.ru.md")
COMMANDS.update(tracks=[sys.executable, "-m", "tracks"], python=[sys.executable])
CONTEXT = click.Context(group)
EVERYWHERE = {"--json", "--lang", "--help", "--split"}


@pytest.fixture(params=[PAGES[0], pytest.param(PAGES[1], marks=pytest.mark.long)], ids=lambda page: page.name)
def document(request: pytest.FixtureRequest) -> str:
    """Return the page, in each language."""
    page: Path = request.param
    return page.read_text("utf-8")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, with the words that call it."""
    for name in group.list_commands(CONTEXT):
        command = group.get_command(CONTEXT, name)
        assert command is not None
        if isinstance(command, click.Group):
            for part in command.list_commands(CONTEXT):
                inner = command.get_command(CONTEXT, part)
                assert inner is not None
                yield f"{name} {part}", inner
        else:
            yield name, command


ALL = dict(commands())


def chapters(document: str) -> dict[str, str]:
    parts = re.split(r"^##+ (.+)$", document, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.long
def test_the_examples_are_what_the_command_prints(document: str) -> None:
    assert rewritten(document) == document


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_a_chapter_with_an_example_and_all_its_options(name: str, document: str) -> None:
    chapter = chapters(document)[name]
    assert f"$ tracks {name}" in chapter
    options = {each for option in ALL[name].params if isinstance(option, click.Option) for each in option.opts}
    long = {each for each in options if each.startswith("--")} - EVERYWHERE
    assert {each for each in long if each not in chapter} == set()


def test_the_example_all_ops_options_codes_and_exit_codes_are_told_and_none_that_does_not_exist(document: str) -> None:
    assert (DOCS / "examples/entities/entities.py").read_text("utf-8").rstrip() in document
    assert {each for each in EVERYWHERE if each not in document} == set()
    known = {each for command in ALL.values() for option in command.params for each in option.opts}
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", document))
    assert told <= known | EVERYWHERE | {"--version"}
    assert {
        name for name in chapters(document) if " " in name and name.split()[0] in group.list_commands(CONTEXT)
    } <= set(ALL)
    source = "".join(path.read_text("utf-8") for path in sorted(Path(str(tracks.__file__)).parent.rglob("*.py")))
    codes = set(re.findall(r'RefusedError\(\s*"([a-z_0-9]+)"', source)) | {"invalid_json", "internal_error"}
    assert len(codes) > 5
    assert [name for name in (*operation_names(), *sorted(codes)) if f"| `{name}` |" not in document] == []
    assert re.findall(r"^\| (\d+) \|", document, flags=re.MULTILINE) == ["0", "1", "2", "130", "141"]


def test_every_warning_of_an_answer_is_told(document: str) -> None:
    source = Path(str(tracks.__file__)).parent / "diagnosis" / "answers.py"
    told = re.search(r"Codes of warnings: (.+)\.", source.read_text("utf-8"))
    assert told is not None
    assert set(re.findall(r"``(\w+)``", told[1])) == set(
        re.findall(r"^\| `(\w+)` \| .+ \| .+ \|$", _warnings(document), re.M)
    )
    assert "`admission" in document


def _warnings(document: str) -> str:
    """Return the table in the chapter of ``diagnosis validate``."""
    return chapters(document)["diagnosis validate"].partition("````console")[0]


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
