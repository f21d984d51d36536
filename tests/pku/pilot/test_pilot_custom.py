"""The pilot of a declared measure plays the example, and the kit takes any answer of the declared form and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pku.pilot.custom import answer
from pku.solvers import InvalidAnswerError, contest_of
from tests.tracks.samples import ENTITIES

TRAINING = Path(__file__).resolve().parents[3] / "docs/examples/entities/train"
CYCLE = {"track": "custom", "parameters": {"track": {"measure": ENTITIES}}}


def test_the_pilot_finds_names_that_people_found_and_its_answers_are_of_the_form() -> None:
    contest, right = contest_of(CYCLE), 0
    for place in TRAINING.glob("*_exp01.json"):
        item = json.loads(place.with_name(place.name.replace("_exp01", "")).read_text("utf-8"))
        entities = answer({"id": "17", "content": item["content"]})
        assert json.loads(contest.checked(entities, {})) == entities
        right += sum(entity in entities for entity in json.loads(place.read_text("utf-8"))["answer"])
    assert right == 8, "of nine"


def test_an_answer_of_another_form_is_refused_before_it_is_sent() -> None:
    contest = contest_of(CYCLE)
    wrong = contest.read(b'[{"start": 0, "end": 1, "label": "CAT"}]', {})
    with pytest.raises(InvalidAnswerError) as refused:
        contest.checked(wrong, {})
    assert [code for code, _ in refused.value.faults] == ["not_of_the_form"]
