"""Data sets by the command on a running local cloud: brought as a zip, loaded by the worker, exported, published."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from contest.commands.main import main
from contest.cycle.commands import sets
from contest.values import canonical
from local.environment import FOLDER
from markup_core import texts
from tests.contest.commands.test_people import Person
from tests.exchange_programs import Exchange

pytestmark = [pytest.mark.integration, pytest.mark.slow]
SONIA = "sonia@example.org"


@pytest.fixture(scope="module")
def sonia(exchange: Exchange, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    exchange.organizer.contest("staff", "invite", SONIA, "Sonia", "organizer")
    person = Person(tmp_path_factory.mktemp("sonia"))
    person.clock = exchange.clock
    person.login(exchange.cloud.url, SONIA)
    yield person
    assert exchange.screen.getvalue() == ""


def canonical_files(folder: Path) -> dict[str, bytes]:
    return {each.name: canonical(json.loads(each.read_bytes())) for each in folder.glob("*.json")}


def files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


@pytest.mark.clause("platform §7 import", "platform §7 cycle")
def test_a_cycle_and_its_sets_come_back(sonia: Person, exchange: Exchange, tmp_path: Path) -> None:
    assert "train " in sonia.contest("cycle", "load", str(FOLDER))
    exchange.clock.advance(5)
    for name in ("train", "test"):
        sonia.contest("set", "export", name, str(tmp_path / name))
        exchange.clock.advance(5)
        assert files(tmp_path / name) == canonical_files(FOLDER / name)
    assert "not empty" in sonia.contest("set", "export", "train", str(tmp_path / "test"), fails=True)


@pytest.mark.clause("platform §7 import")
def test_a_set_comes_from_a_zip_with_its_faults(sonia: Person, exchange: Exchange, tmp_path: Path) -> None:
    exchange.clock.advance(5)
    chosen = sorted((FOLDER / "test").glob("rus-0*"))
    place = tmp_path / "more.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for each in chosen:
            archive.writestr(f"more/{each.name}", each.read_bytes().replace(b"meta", b"mata", 1))
    refused = sonia.contest("set", "import", "more", str(place), "--kind", "reserve", fails=True)
    assert "nothing was loaded" in refused
    assert "rus-06.json" in refused
    exchange.clock.advance(5)
    folder = tmp_path / "more"
    folder.mkdir()
    for each in sorted((FOLDER / "train").glob("rus-01*")):
        raw: Any = json.loads(each.read_bytes())
        raw["text"] += "\nЕщё одно предложение."
        (folder / each.name).write_text(json.dumps(raw, ensure_ascii=False, indent=3), "utf-8")
    assert "more 1" in sonia.contest("set", "import", "more", str(folder), "--kind", "reserve")
    exchange.clock.advance(5)
    sonia.contest("set", "export", "more", str(tmp_path / "back"))
    assert files(tmp_path / "back") == canonical_files(folder)
    listed = json.loads(sonia.contest("set", "list", "--json"))["sets"]
    assert {each["name"]: each["references"] for each in listed}["more"] == len(list(folder.iterdir())) - 1


@pytest.mark.clause("platform §1 public")
def test_a_published_set_is_there_for_everybody(sonia: Person, exchange: Exchange) -> None:
    exchange.clock.advance(15)
    assert exchange.public("GET", "/v1/published-sets").json() == {"sets": []}
    assert sonia.contest("set", "publish", "train", "--reason", "the season is over") == "train: published"
    exchange.clock.advance(15)
    (offered,) = exchange.public("GET", "/v1/published-sets").json()["sets"]
    part = exchange.public("GET", "/v1/published-sets/train/parts/1").json()
    assert (offered["name"], len(part["files"])) == ("train", offered["files"])
    assert sonia.contest("set", "unpublish", "train", "--reason", "a mistake") == "train: not published"
    exchange.clock.advance(15)
    assert exchange.public("GET", "/v1/published-sets/train").status_code == 404


def test_a_folder_is_split_by_shares_within_every_subject(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "train", tmp_path / "all")
    words = ["set", "split", str(tmp_path / "all"), str(tmp_path / "out"), "--by", "meta.subject", "--seed", "7"]
    done = CliRunner().invoke(main, [*words, "--part", "train=0.5", "--part", "test=0.5"])
    assert done.exit_code == 0, done.stderr
    made = {name: files(tmp_path / "out" / name) for name in ("train", "test")}
    assert made["train"] | made["test"] == files(tmp_path / "all")
    assert not set(made["train"]) & set(made["test"])
    for each in made.values():
        items = {name.partition("_exp")[0].removesuffix(".json") for name in each}
        assert {f"{item}.json" for item in items} <= set(each)
        assert all(len([name for name in each if name.startswith(f"{item}_exp")]) == 2 for item in items)
    again = CliRunner().invoke(main, [*words, "--part", "train=0.5", "--part", "test=0.5"])
    assert (again.exit_code, "exist already" in again.stderr) == (1, True)
    wrong = CliRunner().invoke(main, [*words[:3], str(tmp_path / "other"), "--part", "a=0.5", "--part", "b=x"])
    assert (wrong.exit_code, "make 1 together" in wrong.stderr) == (1, True)


class _Failing:
    """A platform whose worker fails for good while the command looks on."""

    def __init__(self) -> None:
        self.looks = 0

    def post(self, *_: Any, **__: Any) -> Any:
        return {"import_id": "stuck", "missing_parts": []}

    def get(self, *_: Any, **__: Any) -> Any:
        self.looks += 1
        failed_at = "2026-09-21T12:00:00.000Z" if self.looks == 3 else None
        return {"state": "checking", "read": self.looks, "files": 9, "stored": 0, "failed_at": failed_at}


def test_an_import_whose_worker_failed_for_good_is_told_at_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = _Failing()
    monkeypatch.setattr(sets.time, "sleep", lambda _: None)
    with pytest.raises(click.ClickException, match="failed for good at 2026-09-21") as told:
        sets._brought(failing, b"zip", {"kind": "cycle"})  # type: ignore[arg-type]
    assert failing.looks == 3
    assert "contest doctor --mend" in told.value.message
    with texts.speaking("ru"):
        russian = sets._failed("stuck", failing.get()).message
    assert "обработчик окончательно не справился" in russian
    assert "its worker" not in russian
