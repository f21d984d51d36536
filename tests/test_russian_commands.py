"""``--lang ru`` is Russian to the last word: help, usage errors, tables and sentences of all five commands."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from babel.messages.pofile import read_po
from click.testing import CliRunner

from contest.commands.main import main as contest
from local.cli import main as hurdle
from markup_core import texts
from markup_core.command import cli as markup_core
from pku.cli import main as pku
from tests.leftovers import english
from tracks.command import cli as tracks
from tracks.command import spoken
from tracks.command.cli import group as tracks_group

ROOT = Path(__file__).resolve().parents[1]
CLICK: list[tuple[str, click.Group, str]] = [
    ("contest", contest, "layers/contest/src/contest"),
    ("hurdle", hurdle, "local/src/local"),
    ("pku", pku, "clients/pku/src/pku"),
    ("tracks", tracks_group, "layers/tracks/src/tracks"),
]
"""Programs of click, and the folders of their catalogues."""
KEPT = set(
    "json yaml zip test train final all none some unit errant default notation qualification approved rejected "
    "suspended name python marker package module function "
    "withdrawn disqualified demo hist rus team htr vqa zsod smin full alpha fix max null seed partial algorithmic "
    "technical list get status accepted receipts true false matching variants person http https".split()
)
"""Values of options and fields of files, which stay as programs know them."""


def named(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command and all below it with their words."""
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            assert found is not None
            yield from named(found, (*path, name))


def in_russian(folder: str, context: str) -> dict[str, str]:
    """Return the words of a context of a package's catalogue."""
    with (ROOT / folder / "ru.po").open("rb") as file:
        return {str(word.id): str(word.string) for word in read_po(file) if word.context == context}


@pytest.mark.parametrize(("name", "group", "folder"), CLICK, ids=[name for name, *_ in CLICK])
def test_every_help_text_has_its_russian_and_no_other(name: str, group: click.Group, folder: str) -> None:
    texts = set[str]()
    for _, command in named(group):
        options = [option.help for option in command.params if isinstance(option, click.Option)]
        texts |= {spoken.one_line(text) for text in (command.help, *options) if text is not None}
    assert texts == in_russian(folder, "help").keys(), name


@pytest.mark.parametrize(("name", "group"), [row[:2] for row in CLICK], ids=[name for name, *_ in CLICK])
def test_every_help_page_is_in_russian(name: str, group: click.Group) -> None:
    for path, command in named(group):
        shown = CliRunner().invoke(group, ["--lang", "ru", *path, "--help"], prog_name=name)
        assert shown.exit_code == 0, (path, shown.output)
        usage, _, rest = shown.output.partition("\n\n")
        assert usage.startswith("Вызов: "), path
        choices = {each for option in command.params for each in getattr(option.type, "choices", ())}
        commands = command.commands if isinstance(command, click.Group) else {}
        assert not english(rest, KEPT | {str(each) for each in choices} | set(commands) | set(TRACKS)), (path, rest)


TRACKS = ("custom", "diagnosis", "essay", "exam", "fusion", "gec", "batch")
WRONG = [
    ("contest", ["nosuch"], "Команды 'nosuch' нет."),
    ("contest", ["run", "plan"], "Не указан параметр '--start'."),
    ("contest", ["run", "plan", "--start", "noon"], "не момент вида"),
    ("contest", ["run", "list", "--limit", "0"], "вне пределов"),
    ("contest", ["run", "list", "--mode", "x"], "Значения 'x' нет; возможны"),
    ("contest", ["cycle", "validate", "nowhere"], "'nowhere': такого файла или папки нет."),
    ("contest", ["run", "void", "a", "--reason", "b", "x"], "не список номеров"),
    ("contest", ["team", "list", "--x"], "Параметра '--x' нет."),
    ("contest", ["whoami", "a"], "Лишний аргумент: a"),
    ("hurdle", ["up", "--workers", "many"], "'many' — не число."),
    ("pku", ["compare", "--lang", "ru"], "Не указан аргумент 'NUMBER'."),
    ("pku", ["run", "--files", "--lang", "ru"], "'--lang' — не число"),
    ("tracks", ["exam", "score", "--lang", "ru"], "Не указан аргумент 'ITEMS'."),
]


@pytest.mark.parametrize(("name", "arguments", "told"), WRONG, ids=[" ".join([name, *more]) for name, more, _ in WRONG])
def test_a_wrong_call_is_told_in_russian(name: str, arguments: list[str], told: str) -> None:
    group = next(group for known, group, _ in CLICK if known == name)
    found = CliRunner(env={"LANG": "ru_RU.UTF-8", "LC_ALL": ""}).invoke(group, arguments, prog_name=name)
    assert found.exit_code == 2
    assert told in " ".join(found.output.split()), found.output
    assert "Ошибка: " in found.output
    assert "Справка: " in found.output
    assert not english(found.output, KEPT | {name, *arguments, "rain", "disconnects"} | _faults())


def _faults() -> set[str]:
    from rehearsal.play.wire import Fault

    return {each.value for each in Fault}


def test_the_language_is_the_calls_alone() -> None:
    runner = CliRunner(env={"LANG": "C", "LC_ALL": ""})
    assert "Ошибка" in runner.invoke(contest, ["--lang", "ru", "nosuch"]).output
    assert "Error: No such command" in runner.invoke(contest, ["nosuch"]).output
    assert "Usage:" in runner.invoke(contest, ["--help"]).output
    help_page = runner.invoke(contest, ["--help"]).output
    assert "Show this message and exit." in help_page
    assert "..." not in help_page.partition("Commands:")[2], "no line of the list is cut"


def test_markup_core_and_tracks_speak_russian_where_the_system_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    with pytest.raises(SystemExit):
        markup_core.main(["grade"])
    assert "ошибка: не указаны: FILE" in capsys.readouterr().err
    assert tracks.main(["gec", "check", "nowhere.m2"]) == 2
    assert "нет такого файла или папки" in capsys.readouterr().err
    assert markup_core.main(["grade", "nowhere.json", "--lang", "en"]) == 2
    assert "no such file" in capsys.readouterr().err


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _parsers(each)


def test_every_help_text_of_markup_core_has_its_russian_and_no_other() -> None:
    shown = {"FILE", "show this help message and exit", "options", "positional arguments"}
    used = set[str]()
    for parser in _parsers(markup_core.build_parser()):
        told = [parser.description, *(group.title for group in parser._action_groups)]
        told += [action.help for action in parser._actions]
        used |= {each for each in told if each is not None and each != argparse.SUPPRESS} - shown
    assert used == in_russian("layers/markup_core/src/markup_core", "help").keys()


@pytest.mark.parametrize(
    "arguments", [["--help"], *([name, "--help"] for name in ("compare", "convert", "plot", "report", "verify"))]
)
def test_the_help_of_markup_core_is_in_russian(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with texts.speaking("ru"), pytest.raises(SystemExit):
        markup_core._run(arguments)
    usage, _, rest = capsys.readouterr().out.partition("\n\n")
    assert usage.startswith("вызов: ")
    choices = {
        str(choice)
        for parser in _parsers(markup_core.build_parser())
        for action in parser._actions
        for choice in action.choices or ()
    }
    assert not english(rest, choices | KEPT), rest


def test_headings_and_codes_of_tables_have_their_russian() -> None:
    headings = in_russian("layers/contest/src/contest", "heading")
    for path, call in _calls():
        if isinstance(call.func, ast.Name) and call.func.id == "table":
            for each in call.args:
                if isinstance(each, ast.Constant) and each.value not in {"", "SHA-256"}:
                    assert each.value in headings, (path, each.value)


SAYING = {"echo", "print", "ClickException", "UsageError", "BadParameter", "SignInError", "fail", "Table", "add_column"}


def test_no_sentence_of_the_organizers_command_is_said_in_one_language() -> None:
    """Literals with English words reach people through ``say``, which has both."""
    found = []
    for path, call in _calls():
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name not in SAYING:
            continue
        for each in call.args:
            found += [f"{path.name}:{call.lineno}: {text}" for text in _literals(each) if english(text, {"red", "dim"})]
    assert not found, "\n".join(found)


def _calls() -> Iterator[tuple[Path, ast.Call]]:
    for path in sorted((ROOT / "layers/contest/src/contest/commands").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                yield path, node


def _literals(node: ast.AST) -> Iterator[str]:
    """Yield the literals of an expression, without those in its calls."""
    if isinstance(node, ast.Call):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, ast.Subscript):
            yield from _literals(child)
