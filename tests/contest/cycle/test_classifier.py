"""The codes of the cycle, as everybody reads them (R 2.12)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from markup_core.reading.classifier import Classifier
from tests.stage import Program, Stage, staged

pytestmark = pytest.mark.integration

OWN: Final[dict[str, Any]] = {
    "subjects": {
        "uk": [{"code": "G/Case", "group": "error", "category": "Grammar", "subtypes": ["noun"], "correction": True}]
    },
    "descriptions": {"G/Case": {"ru": "Неверный падеж.", "en": "The wrong case."}},
    "titles": {"uk": {"ru": "Украинский язык", "en": "Ukrainian"}},
}
READ: Final = {
    "subjects": {
        subject: [
            {**code, "full_text": False, "relation": False, "description": OWN["descriptions"][code["code"]]}
            for code in codes
        ]
        for subject, codes in OWN["subjects"].items()
    },
    "titles": OWN["titles"],
}


def essay_cycle(classifier: Any, subject: str) -> dict[str, Any]:
    """Return a cycle of essays of one subject, with one essay in each set."""
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "essays",
            "name": {"ru": "Цикл", "en": "Cycle"},
            "track": "essay",
            "languages": {"all-of-it": [subject]},
            "classifier": classifier,
            "parameters": {"weights": [0, 2, 1, 1, 1, 1, 0]},
            "sets": {"train": {"kind": "training"}, "test": {"kind": "test"}},
        }
    }
    for folder in ("train", "test"):
        essay = {"meta": {"id": folder, "subject": subject}, "selections": [], "text": f"один {folder} два"}
        files |= {f"{folder}/{folder}.json": essay}
        files |= {f"{folder}/{folder}_exp0{number}.json": essay for number in (1, 2)}
    return files


def listed(stage: Stage) -> Any:
    answered = stage.request("GET", "/v1/classifier")
    assert answered.status == 200, answered.text
    assert answered.headers["cache-control"] == "public, max-age=60"
    return answered.json


@pytest.mark.clause("R 2.12")
def test_the_contests_own_codes_are_listed_with_flags_subtypes_and_descriptions(tmp_path: Path) -> None:
    with staged(tmp_path, cycle="essays") as stage:
        stage.load(essay_cycle("default", "hist"))
        body = listed(stage)
    assert [body[name] for name in ("cycle", "track", "parameters_version")] == ["essays", "essay", 1]
    assert body["classifier"] == Classifier.default().to_dict()
    actions = next(each for each in body["classifier"]["subjects"]["hist"] if each["code"] == "И.лдейств")
    assert (actions["subtypes"], actions["group"], actions["correction"]) == (["неконк", "неверн"], "error", True)
    described = [each["description"] for each in body["classifier"]["subjects"]["rus"]]
    assert all(each["ru"] and each["en"] for each in described)


@pytest.mark.clause("R 2.12", "MS §1.2 own")
def test_a_cycles_own_classifier_is_listed_instead_and_unknown_codes_lead_to_it(tmp_path: Path) -> None:
    with staged(tmp_path, cycle="essays") as stage:
        stage.load(essay_cycle(OWN, "uk"))
        assert listed(stage)["classifier"] == READ
        program = Program(stage, stage.team("red"))
        program.open(set="train")
        content = program.get("files/1").json["content"]
        wrong = {"id": 1, "startSelection": 0, "endSelection": 4}
        content["selections"] = [{**wrong, "type": "G/Cas"}, {**wrong, "id": 2, "type": "Щ"}]
        near, far = program.answer(1, content).json["error"]["details"]
    assert (near["code"], near["fragment"], near["suggestion"]) == ("unknown_code", 1, "G/Case")
    assert "did you mean G/Case?" in near["message"]
    listed_ru = " (список: markup-core codes uk); коды цикла: GET /v1/classifier"
    assert near["message_ru"].endswith(f"; возможно, имелся в виду G/Case{listed_ru}")
    assert "suggestion" not in far
    assert far["message"].endswith("the cycle's codes: GET /v1/classifier")
    assert far["message_ru"].endswith(f'кода "Щ" у предмета uk нет{listed_ru}')


def test_another_track_answers_with_what_it_has(stage: Stage) -> None:
    about = {"cycle": "toy-1", "track": "toy", "parameters_version": 1}
    assert listed(stage) == {**about, "classifier": {"letters": list("abcd")}}
