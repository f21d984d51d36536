"""An organizer's own cycle is rehearsed: contest, parameters, days, sets; operations of the interface are counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from local.organizing import OrganizerError
from rehearsal.ending import Settings
from rehearsal.history import History, to_text
from rehearsal.play import items
from rehearsal.play.items import Items
from rehearsal.play.material import FINAL, RESERVE, Cycle, Material, write_json
from rehearsal.play.prying import operations
from rehearsal.play.wire import Fault, faults_named
from rehearsal.proof.oracle import CUSTOM, ESSAY
from rehearsal.stages import KINDS, STARTED_MS, rehearse, settings_of, started
from tests.rehearsal.playing import red

ENTITIES = Path(__file__).parents[2] / "docs/examples/entities"
TIMES = {"request_s": 15, "answer_s": 40, "total_s": 55, "interval_s": 75, "join_s": 150}


@pytest.fixture(scope="module")
def essays(tmp_path_factory: pytest.TempPathFactory) -> Cycle:
    """Return a cycle of essays with four of them in its final, times and days of its own."""
    folder = tmp_path_factory.mktemp("own") / "cycle"
    material = Material(Cycle.demonstrated("essay"), 4)
    material.write(folder, "mine", {"final": TIMES})
    head = json.loads((folder / "cycle.json").read_text("utf-8"))
    stages = {
        "qualification": {"first": "2027-02-01", "last": "2027-02-20"},
        "final": {"first": "2027-03-10", "last": "2027-03-12"},
    }
    own = {"final": {"kind": "final"}, "more": {"kind": "training"}}
    (folder / "train").rename(folder / "more")
    write_json(folder / "cycle.json", {**head, "stages": stages, "sets": own, "protocols": ["judges"]})
    return Cycle.owned(folder)


def test_an_own_cycle_is_played_by_its_times_on_its_day_with_its_files(essays: Cycle, tmp_path: Path) -> None:
    settings = settings_of(
        ESSAY, Settings(faults=faults_named("all"), cycle=essays, interval=essays.time("interval", 60))
    )
    times = settings.interval, settings.request, settings.answer, settings.total, settings.join
    assert times == (75, 15, 40, 55, 150)
    assert not {Fault.PRACTICE, Fault.QUALIFYING} & settings.faults
    assert to_text(started(settings)) == "2027-03-10T12:00:30.000Z"
    assert started(Settings()) == STARTED_MS
    assert essays.signatories == ["judges"]
    assert Cycle.demonstrated("diagnosis").signatories == ["commission"]

    own = [item["text"] for item, _ in essays.own(FINAL)]
    material = Material(essays, len(own))
    assert [essay.item["text"] for essay in material.sets["final"]] == own
    assert material.size(RESERVE) == 8, (
        "the reserve that the cycle lacks is made of its essays, each with another last line"
    )
    assert len({item["text"] for item, _ in material.own()}) == sum(
        map(material.size, ("final", "reserve", "train", "test"))
    )
    material.write(tmp_path / "played", "mine", {"final": {"most_replaced": 3}})
    played = json.loads((tmp_path / "played/cycle.json").read_text("utf-8"))
    assert played["parameters"]["final"] == {**TIMES, "most_replaced": 3}
    assert played["stages"]["qualification"]["outside"] == "take"


def test_items_without_references_are_refused_with_their_set(essays: Cycle) -> None:
    bare = Cycle(Path(), {**essays.head, "sets": {"final": {"kind": "final"}}}, {}, is_own=True)
    bare.__dict__["_sets"] = {"final": ("final", [(item, ()) for item, _ in essays.own(FINAL)])}
    with pytest.raises(OrganizerError, match="set final: 4 items have no references"):
        bare.own(FINAL)


def test_a_folder_that_cannot_be_loaded_is_refused_with_its_faults(tmp_path: Path) -> None:
    write_json(tmp_path / "cycle.json", {"cycle": "mine", "sets": {}})
    with pytest.raises(OrganizerError, match="languages"):
        Cycle.owned(tmp_path)


def test_a_measure_in_a_container_image_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "cycle"
    shutil.copytree(ENTITIES, folder)
    head = json.loads((folder / "cycle.json").read_text("utf-8"))
    head["parameters"]["measure"]["program"] = f"example/measure@sha256:{'0' * 64}"
    write_json(folder / "cycle.json", head)
    with pytest.raises(OrganizerError, match="image"):
        Cycle.owned(folder)


def test_items_of_a_declared_measure_are_known_by_their_mark_and_wrong_with_others_answers(tmp_path: Path) -> None:
    cycle = Cycle.owned(ENTITIES)
    material = Items(items.declared(cycle), cycle, 6)
    own = list(material.own())
    assert len([which for _, _, which in own if "step" in which]) == 11
    assert [item["id"].partition("-")[0] for item, _, _ in own[:4]] == ["kite", "mill", "pond", "train"]
    for number, (item, references, _) in enumerate(own, start=1):
        content: Any = cycle.track.hand_out(item, "f1", "item")
        assert material.texts_in(json.dumps(content)) == (number,)
        right, wrong = material.answer(content, 1.0), material.answer(content, 0.0)
        assert right == references[0]["answer"] != wrong
        assert material.digest(content, wrong) != material.digest(content, right)
    material.write(tmp_path / "played", "mine")
    assert (tmp_path / "played/entities.py").read_bytes() == cycle.program
    Cycle.owned(tmp_path / "played")


@pytest.mark.long
@pytest.mark.integration
def test_a_contest_with_a_declared_measure_is_rehearsed_green() -> None:
    cycle = Cycle.owned(ENTITIES)
    settings = Settings(3, 4, 1, faults_named("some"), 30.0, workers=1, cycle=cycle)
    outcome = rehearse(settings_of(CUSTOM, settings), History(), lambda _: None, KINDS[CUSTOM][0])
    assert red(outcome) == {}
    assert outcome.story.header["files"] == 4


def test_operations_are_counted_by_the_interfaces_document() -> None:
    document = {"paths": {"/v1/runs/{run_id}": {"get": {}}, "/v1/runs/latest": {"get": {}, "put": {}}}}
    answers = {("GET", "/v1/runs/a1", 200): 2, ("GET", "/v1/runs/latest", 404): 1, ("GET", "/v1/runs/a/b", 200): 4}
    assert [tuple(operation.values()) for operation in operations(document, answers)] == [
        ("GET /v1/runs/latest", 0, 1),
        ("PUT /v1/runs/latest", 0, 0),
        ("GET /v1/runs/{run_id}", 2, 0),
    ]
