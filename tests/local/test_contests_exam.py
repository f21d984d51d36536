"""The exam's demonstration data: whole variants in the published form, whose answers the track takes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from local.contest_folders import folder_of
from tracks import registry
from tracks.exam.tasks import TASKS
from tracks.protocol import Outcome

TRACK: Any = registry.get("exam")
FOLDER = folder_of("exam")
CYCLE = json.loads((FOLDER / "cycle.json").read_text("utf-8"))
PARAMETERS, _ = TRACK.read_parameters({**CYCLE["parameters"], "classifier": "default", "languages": CYCLE["languages"]})
PUBLISHED = {name: json.loads((FOLDER / name / "use.json").read_text("utf-8")) for name in ("train", "test")}
ITEMS = [each for items in PUBLISHED.values() for each in items]


def result(answer_of: Any, items: list[Any]) -> Any:
    """Return the track's aggregate of these answers."""
    outcomes = []
    for item in items:
        facts, reasons = TRACK.read_item(item, PARAMETERS)
        assert reasons == ()
        record = TRACK.score(item, answer_of(item), [{"outputs": item["outputs"]}], PARAMETERS)
        outcomes.append(Outcome(facts, answered=True, score=record))
    return TRACK.aggregate(outcomes, PARAMETERS, 1)


def first(item: Any) -> str:
    """Return the first of the right answers that a text's gold lists; of others the whole."""
    gold: str = item["outputs"]
    return gold.partition(",")[0] if item["meta"]["type"] == "text" else gold


@pytest.mark.parametrize("name", ["train", "test"])
def test_a_set_is_unpacked_without_a_fault_and_hides_its_answers(name: str) -> None:
    body = (FOLDER / name / "use.json").read_bytes()
    found = TRACK.unpack({"use.json": body}, PARAMETERS)
    assert found.reasons == ()
    assert len(found.files) == 2 * len(PUBLISHED[name])
    for item in PUBLISHED[name]:
        made = json.loads(found.files[f"{item['meta']['id']}.json"])
        reference = json.loads(found.files[f"{item['meta']['id']}_exp01.json"])
        assert reference == {"outputs": item["outputs"]}
        assert TRACK.read_reference(made, reference, PARAMETERS) == ()
        assert "outputs" not in json.dumps(TRACK.hand_out(made, "f1", "task"))


@pytest.mark.clause("TS T18")
def test_there_are_three_whole_variants_of_thirty_tasks() -> None:
    tasks = Counter((each["meta"]["variant"], each["meta"]["id_task"]) for each in ITEMS)
    assert tasks == Counter({(variant, task): 1 for variant in (1, 2, 3) for task in TASKS})
    assert {each["meta"]["variant"] for each in PUBLISHED["train"]} == {1, 2}
    assert len({each["meta"]["id"] for each in ITEMS}) == 90


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_the_right_answers_are_worth_all_points_and_the_pilots_few(variant: int) -> None:
    items = [each for each in ITEMS if each["meta"]["variant"] == variant]
    assert result(first, items)["grade_norm"] == 1
    pilots = result(lambda _: "1", items)
    assert pilots["grade_norm"] < 0.3
    assert list(pilots["variants"]) == [str(variant)]


def test_every_choice_of_an_answer_is_there_to_be_chosen() -> None:
    chosen = [each for each in ITEMS if each["meta"]["type"] != "text"]
    assert chosen
    for item in chosen:
        offered = item["inputs"]["choices"] or item["inputs"]["text"]
        for number in item["outputs"].split(","):
            assert f"{number})" in offered or f"({number})" in offered, item["meta"]["id"]
