"""The selection stage from the hand-out to the result, step by step as whoever plays it would ask the track."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.diagnosis.classifier import NAMES
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import Outcome, Verdict

TRACK = DiagnosisTrack()
FILE_ID = "100000000000001"
PARAMETERS = TRACK.read_parameters({"stage": "selection"})[0]
CODES = dict(zip(NAMES, ("A15.3", "C34.1", "J13", "J10.1", "J44.9", "I27.8"), strict=True))
XML = '<ClinicalDocument><value code="{}" codeSystem="1.2.643.5.1.13.13.11.1005"/></ClinicalDocument>'


def epicrisis(nosology: str) -> dict[str, Any]:
    return {"id": f"epicrisis-{nosology}", "nosology": nosology, "versions": {"v1": XML.format(CODES[nosology])}}


def answer(name: str) -> list[dict[str, str]]:
    return [{"xPath": "", "start": "", "end": "", "name": name, "decorCode": "diagnosisMain", "code": ""}]


def judged(item: dict[str, Any], given: Any) -> Verdict:
    (step,) = TRACK.steps(PARAMETERS)
    return TRACK.validate(item, FILE_ID, step.name, json.dumps(given).encode(), PARAMETERS)


def result(item: dict[str, Any], given: Any) -> Any:
    facts, reasons = TRACK.read_item(item, PARAMETERS)
    assert facts is not None, reasons
    record = TRACK.score(item, judged(item, given).canonical, [{"code": CODES[facts.group]}], PARAMETERS)
    return TRACK.aggregate([Outcome(facts, True, record)], PARAMETERS, 1)


@pytest.mark.clause("D 7.8")
@pytest.mark.parametrize("nosology", NAMES)
def test_a_program_that_finds_the_code_in_the_epicrisis_passes(nosology: str) -> None:
    item = epicrisis(nosology)
    handed = TRACK.hand_out(item, FILE_ID, "v1")
    assert handed["version"] == "v1"
    code = next(code for code in CODES.values() if code in handed["xml"])
    found = result(item, answer(code))
    assert (found["right"], found["passed"]) == (1, True)
    other = result(item, answer("Z00"))
    assert (other["right"], other["passed"]) == (0, False)


def test_an_invalid_answer_is_refused_with_its_reasons_in_both_languages() -> None:
    refused = judged(epicrisis("copd"), [{"decorCode": "diagnosisMain", "code": "C34"}])
    assert "missing_field" in {each.code for each in refused.reasons}
    assert all(each.message.en and each.message.ru for each in refused.reasons)
