"""``contest cycle …`` and ``contest announce …`` over the interface; a cycle's file in JSON and YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contest.cycle.commands.folders import FolderError, read_file
from contest.people.rules import Role
from contest.values import DAY, iso
from tests.contest.commands.stage_desk import run, sit_down
from tests.stage import Stage
from tests.toys import toy_cycle


@pytest.fixture
def olga(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> str:
    stage.load(toy_cycle(final=3))
    token = stage.person(Role.ORGANIZER, "olga")
    sit_down(monkeypatch, stage, token)
    return token


def written(place: Path, text: str) -> Path:
    place.write_text(text, "utf-8")
    return place


@pytest.mark.clause("R 5.8", "platform §2 effective time")
def test_a_yaml_files_parameters_are_changed_and_withdrawn(stage: Stage, olga: str, tmp_path: Path) -> None:
    file = written(tmp_path / "cycle.yaml", "parameters:\n  sends_per_file: 5\n")
    asked = ("cycle", "parameters", str(file), "--effective", iso(stage.now + 3 * DAY), "--reason", "agreed")
    seen = run(*asked, "--preview")
    assert seen.exit_code == 0, seen.output
    assert "nothing was stored" in seen.stdout
    done = run(*asked)
    assert "sends_per_file" in done.stdout
    assert "version 2 from" in done.stdout
    assert "R 5.8" in done.stderr
    assert "Объявлено другое" in run("--lang", "ru", *asked, "--preview").stderr
    assert "pending" in run("cycle", "versions").stdout
    assert "sends_per_file" in run("cycle", "changes", "2").stdout
    assert run("cycle", "withdraw", "2", "--reason", "a slip").stdout == "version 2 is withdrawn\n"
    stage.advance(60)
    versions = json.loads(run("cycle", "versions", "--json").stdout)["versions"]
    assert [(each["version"], each["state"]) for each in versions] == [(2, "withdrawn"), (1, "in_force")]
    assert olga


@pytest.mark.parametrize("text", ["[]", "{}", "parameters: 5", "a: 1\na: 2", "parameters: &x {}\nb: *x", "{"])
def test_a_file_without_parameters_is_refused(stage: Stage, olga: str, tmp_path: Path, text: str) -> None:
    file, before = written(tmp_path / "cycle.yaml", text), stage.now
    asked = run("cycle", "parameters", str(file), "--effective", iso(stage.now + DAY), "--reason", "x")
    assert (asked.exit_code, stage.now) == (1, before)
    assert olga


@pytest.mark.clause("D 6.12")
def test_announcements_are_written_published_corrected_and_withdrawn(stage: Stage, olga: str, tmp_path: Path) -> None:
    prose = written(tmp_path / "ru.txt", "Дождь идёт")
    words = ("--title-en", "Rain", "--title-ru", "Дождь", "--text-en", "It rains", "--text-ru", f"@{prose}")
    draft = run("announce", "new", *words, "--draft", "--about", "run=x").stdout.split(":")[0]
    assert "Rain" in run("announce", "drafts").stdout
    assert run("announce", "publish", draft, "--title-en", "Only one language").exit_code == 2
    assert run("announce", "publish", draft).stdout == f"{draft}: published\n"
    corrected = run("announce", "correct", draft, *words).stdout.split(":")[0]
    assert run("announce", "withdraw", corrected, "--reason", "dry").stdout == f"{corrected}: withdrawn\n"
    stage.advance(3)
    found = json.loads(run("announce", "list", "--json").stdout)["announcements"]
    assert [(each["state"], each["text"]["ru"]) for each in found] == [
        ("withdrawn", "Дождь идёт"),
        ("corrected", "Дождь идёт"),
    ]
    assert run("announce", "new", *words, "--about", "run").exit_code == 2
    refused = run("announce", "withdraw", draft, "--reason", "x")
    assert (refused.exit_code, "announcement_state" in refused.stderr) == (1, True)


def test_a_cycle_in_yaml_is_loaded_as_the_same_in_json(stage: Stage, olga: str, tmp_path: Path) -> None:
    files = toy_cycle(final=3)
    for name, value in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path / name, json.dumps(value))
    (tmp_path / "cycle.json").rename(tmp_path / "cycle.yaml")  # JSON is YAML
    loaded = run("cycle", "load", str(tmp_path))
    assert loaded.exit_code == 0, loaded.output
    assert "parameters version 1" in loaded.stdout
    (tmp_path / "cycle.json").write_text("{}", "utf-8")
    refused = run("cycle", "load", str(tmp_path))
    assert (refused.exit_code, "two_files" in refused.output) == (1, True)
    assert olga


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("first: 2027-03-01", {"first": "2027-03-01"}),
        ("on: no\nyes: off", {"on": "no", "yes": "off"}),
        ("a: true\nb: false\nc: null\nd: ~", {"a": True, "b": False, "c": None, "d": None}),
        ("a: 5\nb: 0.5\nc: '5'", {"a": 5, "b": 0.5, "c": "5"}),
        ("1: x", {"1": "x"}),
        ("a: [1, {b: 2}] # a remark", {"a": [1, {"b": 2}]}),
        (
            "a: 12:30\nb: 010\nc: 0x1F\nd: 1_000\ne: .nan",
            {"a": "12:30", "b": "010", "c": "0x1F", "d": "1_000", "e": ".nan"},
        ),
        ("a: -1.5\nb: 1e5\nc: -2\nd: =", {"a": -1.5, "b": 100_000, "c": -2, "d": "="}),
    ],
)
def test_yaml_is_the_json_that_it_stands_for(tmp_path: Path, text: str, value: Any) -> None:
    assert read_file(written(tmp_path / "x.yaml", text)) == value


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("x.json", '{"a": 1, "b": {"d": 0, "c": 1, "c": 2}}', "named_twice"),
        ("x.yaml", "a: 1\nb:\n  d: 0\n  c: 1\n  c: 2", "named_twice"),
        ("x.yaml", "a: &a [x]\nb: [*a, *a]", "malformed_file"),
        ("x.yaml", "a: !!python/object/apply:os.getcwd []", "malformed_file"),
        ("x.yaml", "a: [", "malformed_file"),
        ("x.yaml", "a: 1\n---\nb: 1", "malformed_file"),
        ("x.yaml", "[" * 5000, "malformed_file"),
        ("x.json", "{", "malformed_json"),
        ("x.json", '{"a": NaN}', "malformed_json"),
        ("x.yaml", "a: !!set {b}", "malformed_file"),
        ("x.yaml", "a: \x07", "malformed_file"),
        ("x.json", '{"a": 1e999}', "not_a_number"),
        ("x.yaml", "a: -1e999", "not_a_number"),
    ],
)
def test_an_unreadable_file_is_refused_with_its_code(tmp_path: Path, name: str, text: str, code: str) -> None:
    with pytest.raises(FolderError) as caught:
        read_file(written(tmp_path / name, text))
    assert caught.value.fault.code == code
    assert code != "named_twice" or caught.value.fault.where["field"] == "c"
    assert "\n" not in caught.value.fault.message.en


def test_a_number_that_is_too_large_is_told_with_its_place(tmp_path: Path) -> None:
    for name, text in (("x.json", '{"a": [1.5, {"b": 1e999}]}'), ("x.yaml", "a: [1.5, {b: 1e999}]")):
        with pytest.raises(FolderError) as caught:
            read_file(written(tmp_path / name, text))
        fault = caught.value.fault
        assert (fault.where, fault.message.en) == ({"field": "a[1].b"}, "a[1].b: the number is too large")


@pytest.mark.parametrize(
    ("text", "problem", "problem_ru"),
    [
        ("cycle: a\nname: b: c\n", "mapping values are not allowed here", "двоеточие здесь не на месте"),
        ("cycle: [1,\n", "expected the node content", "нарушена запись"),
        ("a: &a [x]\nb: *a", "aliases are not read", "ссылки (*) не читаются"),
        ("a: 1\n---\nb: 1", "expected a single document", "нарушена запись"),
        ("a:\n\t- b", "cannot start any token", "с этого знака значение не начинается"),
    ],
)
def test_broken_yaml_is_told_in_a_line(olga: str, tmp_path: Path, text: str, problem: str, problem_ru: str) -> None:
    file = written(tmp_path / "p.yaml", text)
    for language, place, sentence in (("en", "line 2, column", problem), ("ru", "строке 2, столбце", problem_ru)):
        words = ("cycle", "parameters", str(file), "--effective", iso(0), "--reason", "x")
        refused = run("--lang", language, *words)
        assert refused.exit_code == 1
        (told,) = refused.stderr.splitlines()
        assert "p.yaml" in told
        assert place in told
        assert sentence in told
    assert olga
