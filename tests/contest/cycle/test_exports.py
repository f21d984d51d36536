"""An export of another annotation tool, brought as a set: shown first, loaded after an organizer's word."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from contest import reading
from contest.people.rules import Role
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.cycle.test_archive import packed
from tests.contest.cycle.test_importing import Organizer
from tests.pku.platform import essay_cycle, numbered
from tests.stage import Stage
from tests.stage_kept import Setting

FILES = Path(__file__).resolve().parents[2] / "annotation_exports" / "files"
PROJECT = (FILES / "inception.zip").read_bytes()
HINTS = {"subject": "rus-free", "codes": {"PER": None}}
NEW = {"kind": "set", "set": "new", "set_kind": "training"}


def loaded(stage: Stage) -> None:
    cycle = essay_cycle(numbered(2), numbered(3, "Это проба номер"))
    cycle["cycle.json"]["cycle"] = "toy-1"
    stage.load(cycle)


STAGE = Setting(play=loaded)


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


def test_the_command_shows_an_export_and_loads_it_with_a_file_of_codes(
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
    place.write_bytes(PROJECT)
    order = ("set", "import", "new", str(place), "--kind", "training", "--yes")
    refused = run(*order)
    assert refused.exit_code != 0
    assert "labels without a code: PER 1" in " ".join(refused.stderr.split())
    assert "--codes FILE" in refused.output
    codes = tmp_path / "codes.json"
    codes.write_text('{"PER": null}')
    assert "geo: no subject or code" in run(*order, "--codes", str(codes), "--subject", "geo").output
    assert "new 2" in run(*order, "--codes", str(codes)).stdout


def test_labels_without_a_code_are_shown_and_the_organizer_maps_each_or_leaves_it_out(olga: Organizer) -> None:
    preview = brought(olga, PROJECT)
    (choice,) = preview["choices"]
    assert (preview["state"], choice["subject"], choice["labels"]) == ("checked", "rus-free", {"PER": 1})
    assert {"Г.упр", "Г.слов"} <= set(choice["codes"])
    confirm = f"/{preview['import_id']}/complete?confirmed=true"
    for body, code, word in (
        ({}, "undecided", "PER"),
        ({"codes": {"PER": "?"}}, "not_offered", "?"),
        ({"subject": "geo", "codes": {"PER": None}}, "not_offered", "geo"),
    ):
        refused = olga.ask("POST", confirm, body)
        assert (refused.status, refused.json["error"]["code"]) == (422, "labels_undecided")
        (detail,) = refused.json["error"]["details"]
        assert detail["code"] == code
        assert all(word in detail[name] for name in ("message", "message_ru"))
    assert olga.ask("POST", confirm, {"codes": {"PER": "Г.упр"}}).json["state"] == "queued"
    olga.stage.load_imports()
    outcome = olga.ask("GET", f"/{preview['import_id']}").json
    assert (outcome["state"], outcome["choices"]) == ("done", [])
    assert not any("labels to be left out" in warning["message"] for warning in outcome["warnings"])


def test_what_cannot_come_in_is_refused_at_once_with_what_to_do(olga: Organizer) -> None:
    for hints, message in (
        ({"codes": {"PER": 5}}, 'import.json: {"subject": "…", "codes": {"LABEL": "CODE"}} is expected'),
        ({"subject": "geo"}, "the classifier has no subject"),
    ):
        refused = brought(olga, with_hints(hints))
        assert refused["state"] == "refused"
        assert message in refused["faults"][0]["message"]
        assert all("import.json" in refused["faults"][0][name] for name in ("message", "message_ru"))


NEW_CYCLE = {"track": "essay", "name": {"en": "Own", "ru": "Свой"}, "language": "rus", "subject": "own", "split": "100"}


@pytest.mark.clause("platform §7 import")
def test_a_whole_cycle_is_made_of_an_export_shown_and_loaded_after_the_organizers_word(olga: Organizer) -> None:
    name = olga.bring(PROJECT, kind="corpus", new_cycle=NEW_CYCLE)
    olga.stage.advance(1)
    assert olga.stage.load_imports() == []
    preview = olga.ask("GET", f"/{name}").json
    warnings = [warning["message"] for warning in preview["warnings"]]
    assert (preview["state"], preview["faults"], preview["choices"]) == ("checked", [], [])
    assert "sets, in documents: train 2; divided with --seed 0" in warnings
    assert any("experts: 01 = anna, 02 = boris, 03 = ?" in sentence for sentence in warnings)
    assert any(sentence.startswith("labels (3): ") for sentence in warnings)
    assert reading.cycle_now(olga.stage.platform).set_named("train") is not None  # the earlier cycle's
    before = reading.cycle_now(olga.stage.platform).version
    assert olga.ask("POST", f"/{name}/complete?confirmed=true").json["state"] == "queued"
    olga.stage.load_imports()
    outcome = olga.ask("GET", f"/{name}").json
    assert (outcome["state"], outcome["faults"]) == ("done", [])
    cycle = reading.cycle_now(olga.stage.platform)
    assert (cycle.version, [one.name for one in cycle.sets]) == (before + 1, ["train"])
    assert dict(cycle.languages) == {"rus": ("own",)}


def test_an_export_that_makes_no_cycle_is_refused_with_its_reason(olga: Organizer) -> None:
    nothing = packed({"one.txt": "Кот".encode()})
    for content, more, message in (
        (PROJECT, {}, "needs new_cycle"),
        (PROJECT, {"new_cycle": NEW_CYCLE | {"split": "60/60"}}, "numbers from 0 that make 100"),
        (PROJECT, {"new_cycle": NEW_CYCLE | {"split": "60/20/20"}}, "too few"),
        (PROJECT, {"new_cycle": NEW_CYCLE | {"track": "exam"}}, "not made of annotations"),
        (PROJECT, {"new_cycle": NEW_CYCLE | {"track": "none"}}, "needs new_cycle"),
        (nothing, {"new_cycle": NEW_CYCLE}, "no file of a format that is read"),
    ):
        name = olga.bring(content, kind="corpus", **more)
        olga.stage.advance(1)
        olga.stage.load_imports()
        refused = olga.ask("GET", f"/{name}").json
        assert (refused["state"], message in refused["faults"][0]["message"]) == ("refused", True), refused["faults"]
