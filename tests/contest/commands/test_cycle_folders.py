"""Cycles' folders: created, copied with moved dates, validated without a network, compared with the running one."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import click
import pytest

from contest import reading
from contest.commands.main import main
from contest.cycle.commands import offline, sets
from contest.cycle.commands.folders import read_file
from contest.people.rules import Role
from contest.texts import CATALOGUE
from contest.values import DAY, from_iso, iso
from markup_core.texts import in_language
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.cycle.test_working_days import at
from tests.stage import Stage, staged
from tests.toys import ToyTrack, toy_cycle
from tracks import registry

ESSAYS = Path(__file__).resolve().parents[3] / "local" / "demonstration"


def fill(folder: Path, files: dict[str, Any]) -> Path:
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return folder


@pytest.mark.clause("platform §7 create")
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_created_folder_lacks_nothing_but_the_files_of_its_sets(tmp_path: Path, suffix: str) -> None:
    place = tmp_path / "spring"
    words = ("--track", "essay", "--name", "spring-2027", "--title-ru", "Весна: 1", "--start", "2027-03-01")
    created = run("cycle", "create", str(place), *words, "--format", suffix, "--language", "rus=rus,lit")
    assert created.exit_code == 0, created.output
    description = read_file(place / f"cycle.{suffix}")
    assert (description["cycle"], description["name"], description["languages"]) == (
        "spring-2027",
        {"ru": "Весна: 1", "en": "spring-2027"},
        {"rus": ["rus", "lit"]},
    )
    stages = description["stages"]
    assert (stages["selection"]["first"], stages["results"]["last"]) == ("2027-03-01", "2027-07-19")
    between = from_iso(f"{stages['final']['first']}T00:00:00.000Z") - from_iso(
        f"{stages['qualification']['last']}T00:00:00.000Z"
    )
    assert between > 10 * DAY
    wrong = run("cycle", "validate", str(place))
    assert (wrong.exit_code, wrong.stderr.count("empty_set")) == (1, 4)
    assert "Error: 4 faults" in wrong.stderr


@pytest.mark.clause("platform §7 create")
def test_init_and_check_are_create_and_validate_and_a_cycle_is_called_as_its_folder(tmp_path: Path) -> None:
    assert run("cycle", "init", str(tmp_path / "spring"), "--track", "essay").exit_code == 0
    assert run("cycle", "create", str(tmp_path / "other"), "--track", "essay", "--name", "spring").exit_code == 0
    created, other = ((tmp_path / folder / "cycle.yaml").read_text("utf-8") for folder in ("spring", "other"))
    assert created == other
    checked, validated = (run("cycle", word, str(tmp_path / "spring")) for word in ("check", "validate"))
    assert (checked.exit_code, checked.stderr) == (1, validated.stderr)


@pytest.mark.clause("TS T17")
@pytest.mark.parametrize(
    ("track", "language", "remark"),
    [
        ("essay", "en", "#   markups: 15 working days (R 7.3)"),
        ("diagnosis", "ru", "#   schedule: 5 раб. дн. (D 8.8)"),
        ("exam", "en", "#   none"),
    ],
)
def test_a_new_file_tells_notice_periods(tmp_path: Path, track: str, language: str, remark: str) -> None:
    created = run("cycle", "create", str(tmp_path), "--track", track, "--name", "a", "--lang", language)
    assert created.exit_code == 0, created.output
    lines = (tmp_path / "cycle.yaml").read_text("utf-8").splitlines()
    assert lines.index(remark) < lines.index("notices: {}")
    assert read_file(tmp_path / "cycle.yaml")["notices"] == {}


def test_a_yaml_file_is_created_with_remarks_and_nothing_that_is_there_is_written_over(tmp_path: Path) -> None:
    run("cycle", "create", str(tmp_path), "--track", "exam", "--name", "a")
    text = (tmp_path / "cycle.yaml").read_text("utf-8")
    assert text.count("#") > 5
    assert read_file(tmp_path / "cycle.yaml")["stages"] == {}
    arguments = ("cycle", "create", str(tmp_path), "--track", "exam", "--name", "a")
    again = run(*arguments, "--format", "json")
    assert (again.exit_code, "is there already" in again.stderr) == (1, True)
    assert not (tmp_path / "cycle.json").exists()


@pytest.mark.parametrize(
    ("exit_code", "words", "reason"),
    [
        *((1, ("--track", "essay", "--name", name), "") for name in ("Spring", "весна", "a--b", "x" * 21, "", "paws")),
        (2, ("--from", ".", "--set", "train"), "leave out --set"),
        (2, ("--language", "en=a=b"), "no language with its groups"),
    ],
)
def test_wrong_names_write_nothing(tmp_path: Path, exit_code: int, words: tuple[str, ...], reason: str) -> None:
    refused = run("cycle", "create", str(tmp_path / "new"), *words)
    assert (refused.exit_code, reason in " ".join(refused.stderr.split())) == (exit_code, True), refused.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.clause("platform §7 create")
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_copy_has_another_name_and_moved_days_and_keeps_remarks_and_holidays(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / "spring", tmp_path / "autumn"
    words = ("--track", "essay", "--name", "spring", "--start", "2027-03-01", "--format", suffix)
    run("cycle", "create", str(source), *words)
    before = read_file(source / f"cycle.{suffix}")
    (source / "train" / "a.json").write_text("{}", "utf-8")
    copied = run("cycle", "copy", str(source), str(target), "--start", "2027-09-01")
    assert copied.exit_code == 0, copied.output
    after = read_file(target / f"cycle.{suffix}")
    assert after["cycle"] == "autumn"
    assert after["stages"]["selection"] == {"first": "2027-09-01", "last": "2027-10-01"}
    shift = at(after["stages"]["results"]["last"]) - at(before["stages"]["results"]["last"])
    assert shift == 184 * DAY
    assert {**after, "cycle": 0, "stages": 0} == {**before, "cycle": 0, "stages": 0}
    assert ("# A cycle" in (target / f"cycle.{suffix}").read_text("utf-8")) is (suffix == "yaml")
    assert not (target / "train").exists()
    assert run("cycle", "copy", str(source), str(target)).exit_code == 1


def test_a_copy_with_its_sets_and_days_that_are_holidays_too(tmp_path: Path) -> None:
    files = toy_cycle(final=2)
    files["cycle.json"] |= {
        "stages": {"final": {"first": "2027-05-01", "last": "2027-05-02", "outside": "take"}},
        "working_days": {"holidays": ["2027-05-01"]},
        "pages": {"rules": {"title": {"ru": "Регламент", "en": "Regulation"}}},
    }
    source, target = fill(tmp_path / "one", files | {"pages/rules.en.md": "# Rules"}), tmp_path / "two"
    assert run("cycle", "copy", str(source), str(target), "--start", "2027-06-01", "--with-sets").exit_code == 0
    after = read_file(target / "cycle.json")
    assert after["stages"]["final"] == {"first": "2027-06-01", "last": "2027-06-02", "outside": "take"}
    assert after["working_days"]["holidays"] == ["2027-05-01"]
    names = sorted(path.name for path in (target / "final").iterdir())
    assert names == ["final-000.json", "final-001.json"]
    assert (target / "pages" / "rules.en.md").read_text() == '"# Rules"'


def test_days_or_a_file_that_are_not_there_cannot_be_moved(tmp_path: Path) -> None:
    source = fill(tmp_path / "one", toy_cycle())
    for folder, reason in ((source, "leave --start out"), (source / "train", "train has none of cycle.json")):
        refused = run("cycle", "copy", str(folder), str(tmp_path / "two"), "--start", "2027-06-01")
        assert (refused.exit_code, reason in " ".join(refused.stderr.split())) == (1, True), refused.stderr
    assert not (tmp_path / "two").exists()


@pytest.mark.clause("platform §7 create")
@pytest.mark.parametrize("wrong", [{"sessions_per_day": 0}, {"malus": 1}])
def test_everything_that_is_wrong_with_a_folder_is_named_at_once_without_a_deployment(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    assert run("cycle", "validate", str(ESSAYS)).exit_code == 0
    files = toy_cycle(train=3)
    files["cycle.json"]["parameters"] = {**files["cycle.json"]["parameters"], **wrong}
    stages = {"final": {"first": "2027-03-02", "last": "2027-03-01"}}
    files["cycle.json"] |= {"time_zone": "Europe/Nowhere", "stages": stages}
    files["train/train-001.json"] = {"id": "train-001"}
    files["test/test-000_exp01.json"] = {"letters": 5}
    with registry.registered(ToyTrack()):
        validated = run("cycle", "validate", str(fill(tmp_path, files)))
        nothing = run("cycle", "validate", str(tmp_path / "train"))
    assert validated.exit_code == 1
    named = ("Europe/Nowhere", "stage_ends_before_it_begins", "no_question", "no_letters", next(iter(wrong)))
    for complaint in named:
        assert complaint in validated.stderr, (complaint, validated.stderr)
    assert (nothing.exit_code, "missing_file" in nothing.stderr) == (1, True)


def test_sets_without_markups_and_files_that_are_passed_over_are_warned_about(tmp_path: Path) -> None:
    files = {name: value for name, value in toy_cycle(train=3).items() if not name.startswith("train/train-000_exp")}
    files["train/notes.docx"] = {"any": "thing"}
    with registry.registered(ToyTrack()):
        validated = run("cycle", "validate", str(fill(tmp_path, files)))
    warnings = " ".join(validated.stderr.split())
    assert validated.exit_code == 0, warnings
    assert "1 of 3 items have no experts' markups" in warnings
    with registry.registered(ToyTrack()):
        russian = run("--lang", "ru", "cycle", "validate", str(tmp_path))
    assert "предупреждение train: без экспертных разметок элементов: 1 из 3" in " ".join(russian.stderr.split())
    assert (
        "train: left out, neither in the platform's form (.json, .txt) nor in the contest's own: notes.docx" in warnings
    )
    assert "test: " not in warnings.replace("test: a real cycle's", "")


@pytest.mark.clause("platform §7 compare")
def test_a_folder_is_compared_with_a_cycle(stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stage.load(toy_cycle(train=4, final=3))
    stage.plan(in_s=20 * DAY / 1000)
    stage.plan(in_s=9 * DAY / 1000)
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    before = stage.everything_stored()
    same = json.loads(
        run("cycle", "compare", str(fill(tmp_path / "same", toy_cycle(train=4, final=3))), "--json").stdout
    )
    assert same == {"fields": [], "sets": [], "warnings": []}
    files = toy_cycle(train=5, test=4, final=3, sends_per_file=7)
    files["train/train-000.json"] |= {"question": "another one?"}
    files["cycle.json"] |= {
        "known_clients": ["b" * 64],
        "stages": {"final": {"first": "2027-05-01", "last": "2027-05-02"}},
    }
    arguments = ("cycle", "compare", str(fill(tmp_path / "other", files)))
    comparison = json.loads(run(*arguments, "--json").stdout)
    fields = {change["field"]: (change["before"], change["after"]) for change in comparison["fields"]}
    assert fields["parameters.sends_per_file"] == (10, 7)
    assert fields["stages.final"] == (None, {"first": "2027-05-01", "last": "2027-05-02", "outside": "refuse"})
    assert comparison["sets"] == [
        {"name": "test", "added": [], "removed": ["test-004"], "changed": []},
        {"name": "train", "added": ["train-004"], "removed": [], "changed": ["train-000"]},
    ]
    assert [warning["code"] for warning in comparison["warnings"]] == [
        "sets_too_new",
        "modules_too_new",
        "short_notice",
    ]
    printed = run(*arguments)
    assert "1: train-004" in printed.stdout
    assert "R 4.7" in printed.stderr
    assert stage.platform.catalogue.cycle() is not None
    assert before.count("PARAMETERS#") == stage.everything_stored().count("PARAMETERS#")
    files["cycle.json"]["notices"] = {"sets": 30, "modules": 0, "parameters": 0}
    own = json.loads(run("cycle", "compare", str(fill(tmp_path / "own", files)), "--json").stdout)
    assert [(warning["code"], warning["clause"]) for warning in own["warnings"]] == [
        ("sets_too_new", "cycle: notices.sets")
    ]
    assert {"field": "notices.sets", "before": None, "after": 30} in own["fields"]
    files["cycle.json"]["protocols"] = ["judges", "commission", "judges"]
    own = json.loads(run("cycle", "compare", str(fill(tmp_path / "sides", files)), "--json").stdout)
    assert {"field": "protocols", "before": None, "after": ["commission", "judges"]} in own["fields"]


def test_items_and_description_are_told_without_contents(stage: Stage) -> None:
    stage.load(toy_cycle(final=3))
    olga = stage.person(Role.ORGANIZER, "olga")
    listing = stage.request("GET", "/v1/cycle/sets/final/items", None, olga)
    assert [row[0] for row in listing.json["items"]] == ["final-000", "final-001", "final-002"]
    assert "question" not in listing.text
    assert stage.request("GET", "/v1/cycle/sets/nothing/items", None, olga).code == "unknown_set"
    answer = stage.request("GET", "/v1/cycle/description", None, olga).json
    assert answer["server_time"] == iso(stage.now)
    assert set(answer["description"]["sets"]) == {"train", "test", "final"}


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_new_cycles_file_explains_every_parameter_with_its_limits(tmp_path: Path, language: str) -> None:
    words = ["create", str(tmp_path), "--track", "essay", "--name", "spring", "--lang", language]
    assert run("cycle", *words).exit_code == 0
    text = (tmp_path / "cycle.yaml").read_text("utf-8")
    remarks = [line for line in text.splitlines() if line.startswith("#")]
    for path, schema in offline.described():
        (line, *_) = [remark for remark in remarks if remark.lstrip("# ").startswith(f"{path.rpartition('.')[2]}:")]
        assert "minimum" not in schema or f"({schema['minimum']}…{schema['maximum']})" in text, line
        words = CATALOGUE.word("parameter", schema["description"])
        assert words.ru != words.en, path
        assert in_language(words, language) in text
    russian = [line for line in remarks if any("а" <= letter <= "я" for letter in line)]
    assert russian == (remarks if language == "ru" else [])


SHIPPED = {"essay": ESSAYS, **{path.name: path for path in sorted((ESSAYS.parent / "contests").iterdir())}}


def zip_of(folder: Path, place: Path) -> Path:
    """Pack a folder as any program packs it, all its files below one folder."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, Path(folder.name) / path.relative_to(folder))
    return place


@pytest.mark.clause("platform §7 import", "TS T14")
@pytest.mark.parametrize(
    "contest", [name if name == "fusion" else pytest.param(name, marks=pytest.mark.long) for name in SHIPPED]
)
def test_a_cycle_is_the_same_by_every_door(contest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = SHIPPED[contest]
    description = read_file(folder / "cycle.json")
    checked, faults = offline.check(folder, lambda _: None)
    assert (checked is not None, faults) == (True, ())
    assert checked is not None
    expected = {essay_set.name: (essay_set.manifest, essay_set.size) for essay_set in checked.cycle.sets}
    with staged(tmp_path, description["cycle"]) as stage:

        def loaded() -> dict[str, tuple[str, int]]:
            stage.restart()
            return {
                essay_set.name: (essay_set.manifest, essay_set.size)
                for essay_set in reading.cycle_now(stage.platform).sets
            }

        direct = run("cycle", "load", "--direct", str(folder))
        assert direct.exit_code == 0, direct.output
        assert "LICENSE, README.md" in direct.stderr
        assert loaded() == expected
        sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
        through = run("cycle", "load", str(folder))
        assert through.exit_code == 0, through.output
        assert "LICENSE, README.md" in through.stderr
        assert loaded() == expected
        whole = zip_of(folder, tmp_path / "whole.zip").read_bytes()
        with click.Context(main):
            sets._tell(sets._brought(sets.desk(), whole, {"kind": "cycle"}))  # as the site brings a zip
        assert loaded() == expected
        first, last = min(expected), max(expected)
        places = {first: folder / first, last: zip_of(folder / last, tmp_path / "set.zip")}
        for name, place in places.items():
            done = run("set", "import", name, str(place))
            assert (done.exit_code, loaded()) == (0, expected), done.output


@pytest.mark.clause("platform §7 import", "TS T14")
def test_what_a_folder_holds_beside_its_sets_is_named_at_every_door(tmp_path: Path) -> None:
    run("cycle", "create", str(tmp_path), "--track", "gec", "--name", "a", "--set", "train", "--language", "eng=own")
    (tmp_path / "train" / "own.m2").write_text("S It rain .\nA 1 2|||R:VERB|||rains|||REQUIRED|||-NONE-|||0\n\n")
    (tmp_path / "train" / "notes.docx").write_bytes(b"-")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "b.m2").write_text("")
    (tmp_path / "readme.md").write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("")
    done = run("cycle", "check", str(tmp_path))
    assert done.exit_code == 0, done.output
    warnings = " ".join(done.stderr.split())
    assert "cycle.yaml: left out, for they belong to no set of the cycle: old/b.m2, readme.md" in warnings
    assert "contest's own: notes.docx" in warnings
    (tmp_path / "train" / "own.m2").unlink()
    refused = run("cycle", "check", str(tmp_path))
    assert (refused.exit_code, "left out are notes.docx" in " ".join(refused.stderr.split())) == (1, True)


@pytest.mark.clause("platform §7 import")
def test_an_own_corpus_whose_group_is_unknown_is_one_fault_a_file_with_the_line_to_write(tmp_path: Path) -> None:
    run("cycle", "create", str(tmp_path), "--track", "gec", "--name", "a", "--set", "train", "--language", "rus=rus")
    for name in ("mine", "other"):
        (tmp_path / "train" / f"{name}.m2").write_text(
            "S It rain .\nA 1 2|||R:VERB|||rains|||REQUIRED|||-NONE-|||0\n\n" * 50
        )
    checked, faults = offline.check(tmp_path, lambda _: None)
    assert checked is None
    assert [(fault.code, fault.file, fault.where["items"]) for fault in faults] == [
        ("unknown_group", "train/mine.m2", 50),
        ("unknown_group", "train/other.m2", 50),
    ]
    line = '"languages": {"rus": ["rus"], "eng": ["mine", "other"]}'
    assert all(line in fault.message.en and line in fault.message.ru for fault in faults)


def test_faults_are_told_of_the_file_that_the_folder_has_and_never_as_json(tmp_path: Path) -> None:
    run("cycle", "create", str(tmp_path), "--track", "essay", "--name", "a", "--set", "train")
    place = tmp_path / "cycle.yaml"
    place.write_text(place.read_text("utf-8").replace("time_zone:", "time_zones:"), "utf-8")
    (tmp_path / "train" / "a.txt").write_text("(\\ Г.упр \\ открытая", "utf-8")
    complaints = run("cycle", "check", str(tmp_path)).stderr
    assert "cycle.yaml" in complaints
    assert "cycle.json" not in complaints
    assert "{" not in complaints
