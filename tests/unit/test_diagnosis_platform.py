"""The selection stage on the platform as it is: the real handlers, not one line of them for diagnoses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stage import Program, staged
from tracks.diagnosis.nosologies import NAMES

CODES = dict(zip(NAMES, ("A15.3", "C34.1", "J13", "J10.1", "J44.9", "I27.8"), strict=True))
XML = '<ClinicalDocument><value code="{}" codeSystem="1.2.643.5.1.13.13.11.1005"/></ClinicalDocument>'


def selection_cycle() -> dict[str, Any]:
    """A cycle of six epicrises, one of each nosology, for training and for testing."""
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "toy-1",
            "name": {"ru": "Отборочный этап", "en": "Selection"},
            "track": "diagnosis",
            "languages": {"rus": list(NAMES)},
            "parameters": {"stage": "selection"},
            "sets": {name: {"folder": name, "kind": kind} for name, kind in (("train", "training"), ("test", "test"))},
        }
    }
    for folder in ("train", "test"):
        for nosology, code in CODES.items():
            name = f"{folder}-{nosology}"
            files[f"{folder}/{name}.json"] = {"id": name, "nosology": nosology, "versions": {"v1": XML.format(code)}}
            files[f"{folder}/{name}_exp01.json"] = {"code": code}
    return files


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    with staged(tmp_path) as stage:
        stage.load(selection_cycle())
        yield Program(stage, stage.team("red"))


def answer(name: str) -> list[dict[str, str]]:
    return [{"xPath": "", "start": "", "end": "", "name": name, "decorCode": "diagnosisMain", "code": ""}]


def test_a_program_that_finds_the_code_in_the_epicrisis_passes(program: Program) -> None:
    assert program.open(set="test", files=1).status == 201
    handed = program.get("files/1").json
    assert handed["content"]["version"] == "v1"
    code = next(code for code in CODES.values() if code in handed["content"]["xml"])
    assert program.answer(1, answer(code)).status == 200
    program.get("next")
    program.stage.score_all()
    report = program.get("report").json
    assert (report["result"]["right"], report["result"]["passed"]) == (1, True)


def test_an_invalid_answer_is_refused_with_its_reasons_in_both_languages(program: Program) -> None:
    program.open(set="test", files=1)
    program.get("files/1")
    refused = program.answer(1, [{"decorCode": "diagnosisMain", "code": "C34"}])
    assert refused.status == 422
    details = refused.json["error"]["details"]
    assert {each["code"] for each in details} >= {"missing_field"}
    assert all(each["message"] and each["message_ru"] for each in details)
