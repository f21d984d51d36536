"""An export of another annotation tool, brought as a set: shown first, loaded after an organizer's word."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest import reading
from contest.people.rules import Role
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.cycle.test_importing import Organizer
from tests.pku.platform import essay_cycle, numbered
from tests.stage import Stage, staged

FILES = Path(__file__).resolve().parents[2] / "annotation_exports" / "files"
PROJECT = (FILES / "inception.zip").read_bytes()
HINTS = {"subject": "rus-free", "codes": {"PER": None}}
NEW = {"kind": "set", "set": "new", "set_kind": "training"}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        cycle = essay_cycle(numbered(2), numbered(3, "Это проба номер"))
        cycle["cycle.json"]["cycle"] = "toy-1"
        ready.load(cycle)
        yield ready


@pytest.fixture
def olga(stage: Stage) -> Organizer:
    return Organizer(stage)


def with_hints(hints: Any, content: bytes = PROJECT) -> bytes:
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("import.json", json.dumps(hints))
    return out.getvalue()


def brought(olga: Organizer, content: bytes) -> Any:
    """Return an import after its worker."""
    name = olga.bring(content, **NEW)
    olga.stage.advance(1)
    assert olga.stage.load_imports() == []
    return olga.ask("GET", f"/{name}").json


@pytest.mark.clause("platform §7 import")
def test_a_project_is_shown_first_and_loaded_after_the_organizers_word(olga: Organizer) -> None:
    preview = brought(olga, with_hints(HINTS))
    name = preview["import_id"]
    assert (preview["state"], preview["faults"], preview["loaded"], preview["stored"]) == ("checked", [], None, 0)
    assert [warning["message"] for warning in preview["warnings"] if warning["code"] == "coming"] == [
        "uima-xmi: files: 5",
        "documents: 2, annotators: anna = exp01, boris = exp02, curated = exp03",
        "of no format that is read: 1 (source/one.txt)",
        "labels: Г.слов 2, Г.упр 2, PER 1",
        (
            "not carried: relations: 1; annotations of no length: 1; annotations of other layers: 4; features: 1; "
            "labels to be left out: 1"
        ),
    ]
    assert reading.cycle_now(olga.stage.platform).set_named("new") is None
    assert olga.ask("POST", f"/{name}/complete").json["state"] == "checked"  # a repeated request is no word
    assert olga.stage.load_imports() == []
    assert olga.ask("POST", f"/{name}/complete?confirmed=true").json["state"] == "queued"
    olga.stage.load_imports()
    outcome = olga.ask("GET", f"/{name}").json
    assert (outcome["state"], outcome["loaded"]["sets"]["new"]) == ("done", 2)
    assert [warning["message"] for warning in outcome["warnings"]][:5] == [
        warning["message"] for warning in preview["warnings"]
    ][:5]
    new = reading.cycle_now(olga.stage.platform).set_named("new")
    assert new is not None
    items = reading.manifest(olga.stage.platform, "toy-1", new.manifest).items
    assert {item.item_id: len(item.references) for item in items} == {"one": 3, "two": 1}
    changes = [entry.what for entry in olga.stage.platform.audit_log.on("2026-09-21") if entry.who == "person:olga"]
    assert changes[-4:] == ["import begun", "import sent", "import confirmed", "set imported"]


def test_the_command_shows_what_would_come_in_and_loads_it_when_told_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    place = tmp_path / "project.zip"
    place.write_bytes(with_hints(HINTS))
    order = ("set", "import", "new", str(place), "--kind", "training")
    preview = run(*order)  # nobody answers
    assert preview.exit_code != 0
    assert "annotators: anna = exp01, boris = exp02, curated = exp03" in " ".join(preview.stderr.split())
    assert reading.cycle_now(stage.platform).set_named("new") is None
    loaded = run(*order, "--yes")
    assert (loaded.exit_code, "new 2" in loaded.stdout) == (0, True), loaded.output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PROJECT, 'annotation/one.txt/anna/anna.xmi: xmi:id 13: the label "PER" is no code of the subject rus-free'),
        (with_hints({"codes": {"PER": 5}}), 'import.json: {"subject": "…", "codes": {"LABEL": "CODE"}} is expected'),
        (with_hints({"subject": "geo"}), "the classifier has no subject"),
    ],
    ids=["label", "hints", "subject"],
)
def test_what_cannot_come_in_is_refused_at_once_with_what_to_do(olga: Organizer, content: bytes, message: str) -> None:
    refused = brought(olga, content)
    assert refused["state"] == "refused"
    assert message in refused["faults"][0]["message"]
    assert all("import.json" in refused["faults"][0][name] for name in ("message", "message_ru"))
