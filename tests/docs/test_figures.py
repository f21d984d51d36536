"""Hold that the house's figures fall, that the table of promises is complete, and that catalogues of sentences are
whole."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from rehearsal.harm.bugs import BUGS
from rehearsal.proof.checker import PROOFS
from rehearsal.proof.oracle import ESSAY
from tools import house, texts
from tools.promises import PAGE as PROMISES
from tools.promises import SOURCE, bugs_of, promises, written


@pytest.fixture(scope="module")
def today() -> Mapping[str, float]:
    return house.counts()


def test_no_count_rises_each_figure_is_lowered_with_it_and_the_page_shows_them(today: Mapping[str, float]) -> None:
    assert house.faults(today) == []
    assert house.PAGE.read_text("utf-8") == house.page()
    bound = house.figures()["python_modules"].bound
    (risen,) = house.faults({"python_modules": bound + 1})
    assert risen == f"python_modules is {bound + 1}, at most {bound}: take something away, or raise it and say for what"
    (fallen,) = house.faults({"python_modules": bound // 2})
    assert fallen.endswith("lower it in figures.toml, then python -m tools.house")
    assert house.faults({"python_modules": bound}) == []


def test_counts_of_short_functions_and_of_empty_names() -> None:
    """Count private functions of six lines that are called once, and the share of empty names that are assigned."""
    body = "\n".join(f"    x{line} = {line}" for line in range(5))
    for source, count in (
        (f"def _once():\n{body}\n_once()\n", 1),
        (f"def _once():\n{body}\n    y = 1\n_once()\n", 0),
        (f"def _twice():\n{body}\n_twice()\n_twice()\n", 0),
        (f"def public():\n{body}\npublic()\n", 0),
        (f"def _value():\n{body}\nx = [_value]\n", 0),
        ("class A:\n    def _m(self): return 1\n    def n(self): return self._m()", 1),
        ("import a\n@a.b\ndef _once(): return 1\n_once()\n", 0),
    ):
        assert house.short_functions([*ast.walk(ast.parse(source))]) == count, source
    named = [*ast.walk(ast.parse("def f(self, told, session): found, team = told, session"))]
    assert house.empty_names([named]) == 50.0
    assert house.empty_names([[*ast.walk(ast.parse("1 + 1"))]]) == 0.0


OF_ALL = {"doors_kept", "people_kept", "day_kept", "news_kept", "boards_as_decided", "told_as_played"}
"""Checks of all that anybody reads and of all acts on people: more bugs turn them red than there are promises."""


def test_the_table_of_promises_is_on_its_page_and_complete_for_checks_and_bugs() -> None:
    assert PROMISES.read_text("utf-8") == written(), "python -m tools.promises"
    result = tomllib.loads(SOURCE.read_text("utf-8"))
    assert len(result["promise"]) == len(promises()), "no entry without a clause"
    assert [name for name, each in promises().items() if not each["checks"]] == []
    assert [name for name, each in promises().items() if not bugs_of(each)] == []
    watching = {check for each in promises().values() for check in each["checks"]}
    beside = {"channel_kept", "channel_alive", "archive_kept", "experts_apart", "experts_counted"}
    assert watching | beside | OF_ALL == set(PROOFS[ESSAY].checks)


def test_checks_and_bugs_are_those_there_are_and_find_each_other() -> None:
    checks = set(PROOFS[ESSAY].checks)
    wrong = []
    for name, result in promises().items():
        bugs = bugs_of(result)
        if not set(result["checks"]) <= checks or not set(bugs) <= BUGS.keys():
            wrong.append(f"{name}: names what there is not")
        wrong += [
            f"{name}: {bug} is detected by {BUGS[bug].detected_by.check}"
            for bug in bugs
            if bug in BUGS and BUGS[bug].detected_by.check not in result["checks"]
        ]
    assert wrong == []


def test_every_bug_breaks_a_promise_or_alone_shows_what_its_check_can_detect() -> None:
    behind = {bug for each in promises().values() for bug in bugs_of(each)}
    detected = {BUGS[bug].detected_by.check for bug in behind} - OF_ALL
    finals = {name: bug.detected_by for name, bug in BUGS.items() if bug.detected_by.kind == ESSAY}
    assert [name for name, by in finals.items() if name not in behind and by.check in detected] == []


RUSSIAN = (
    'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\nmsgid "{count} files"\nmsgstr "файлов: {count}"\n'
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a package of one sentence whose catalogue is up to date."""
    (tmp_path / "module.py").write_text('tr("{count} files", count=1)\n', "utf-8")
    (tmp_path / "ru.po").write_text(RUSSIAN, "utf-8")
    monkeypatch.setattr(texts, "PACKAGES", (tmp_path,))
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    assert texts.main([]) == 0
    return tmp_path


def test_a_whole_catalogue_passes_and_gives_the_same_bytes_again(package: Path) -> None:
    before = (package / "ru.mo").read_bytes()
    assert texts.main(["--check"]) == 0
    assert texts.main([]) == 0
    assert (package / "ru.mo").read_bytes() == before


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ('tr("a new sentence")', "no Russian for 'a new sentence'"),
        ("print(f\"{say('{count} files', count=1)}\")", "say(…) in an f-string is not collected"),
        ('tr("{count} files", number=1)', "has other fields than its sentence"),
        ('tr(f"{count} files")', "Skipping f-string"),
        ("pass", "ru.po is not up to date"),
    ],
)
def test_a_lacking_sentence_is_found(package: Path, capsys: pytest.CaptureFixture[str], code: str, fault: str) -> None:
    (package / "module.py").write_text(f"{code}\n", "utf-8")
    assert texts.main(["--check"]) == 1
    assert fault in capsys.readouterr().out


def test_other_fields_and_a_stale_compiled_file_are_refused(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (package / "ru.po").write_text(RUSSIAN.replace("файлов: {count}", "файлов: {number}"), "utf-8")
    assert texts.main(["--check"]) == 1
    output = capsys.readouterr().out
    assert "other fields in Russian: '{count} files'" in output
    assert "ru.mo is not up to date" in output
