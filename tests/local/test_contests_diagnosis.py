"""The demonstration data of the diagnosis contest: so many epicrises as are promised, in its own files (T18)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from tracks import registry

FOLDER: Final = Path(__file__).resolve().parents[2] / "local" / "contests" / "diagnosis"
TRACK: Final[Any] = registry.get("diagnosis")
HEAD: Final = json.loads((FOLDER / "cycle.json").read_text("utf-8"))
OWN: Final = {name: each for name, each in HEAD["parameters"].items() if name != "technical"}
PARAMETERS: Final = TRACK.read_parameters(OWN)[0]


def epicrises(name: str) -> list[tuple[Any, Any]]:
    """List the items of a set with their references."""
    found = TRACK.unpack({each.name: each.read_bytes() for each in (FOLDER / name).iterdir()}, PARAMETERS)
    assert found.reasons == ()
    made = {each: json.loads(body) for each, body in found.files.items() if each.endswith(".json")}
    items = [each for each in made if "_exp" not in each]
    return [(made[each], made[each.replace(".json", "_exp01.json")]) for each in sorted(items)]


@pytest.mark.clause("TS T18")
def test_the_semifinal_has_six_ill_and_six_healthy_of_each_nosology_in_two_versions() -> None:
    found = epicrises("semifinal")
    groups = Counter((item["nosology"], reference["ill"]) for item, reference in found)
    assert groups == Counter({(name, ill): 6 for name in HEAD["languages"]["rus"] for ill in (True, False)})
    assert (len(found), len(HEAD["languages"]["rus"])) == (72, 6)
    assert {tuple(sorted(item["versions"])) for item, _ in found} == {("v2", "v3")}


@pytest.mark.clause("TS T18")
def test_dialogues_have_twenty_four_epicrises_of_three_studies_and_more() -> None:
    found = epicrises("train")
    assert Counter(item["nosology"] for item, _ in found) == Counter(dict.fromkeys(HEAD["languages"]["rus"], 4))
    assert len(found) == 24
    assert {tuple(item["versions"]) for item, _ in found} == {("v3F",)}
    assert min(len(item["studies"]) for item, _ in found) >= 3


@pytest.mark.clause("TS T18")
def test_every_epicrisis_and_reference_is_taken_and_no_text_is_there_twice() -> None:
    texts = list[str]()
    for name in ("semifinal", "train"):
        for item, reference in epicrises(name):
            assert TRACK.read_item(item, PARAMETERS)[1] == ()
            assert TRACK.read_reference(item, reference, PARAMETERS) == ()
            texts += TRACK.texts(item)
    assert len(set(texts)) == len(texts)
