"""What simulated teams answer."""

from __future__ import annotations

import pytest

from local import demonstration
from local.rehearsal.play.material import Material

MATERIAL = Material(demonstration.FOLDER, 2, 20)
SUBJECTS = {"eng", "eng-free", "hist", "lit", "rus", "rus-free", "social"}


@pytest.mark.parametrize("subject", sorted(SUBJECTS))
@pytest.mark.parametrize("text", ["{} ", "я"])
def test_a_text_that_nobody_knows_is_answered_validly_whatever_its_subject(subject: str, text: str) -> None:
    essay = next(each for each, _ in MATERIAL.own() if each["meta"]["subject"] == subject)
    strange = {**essay, "text": text.format(essay["text"])}
    first, second = (MATERIAL.answer(strange, 0.9, variant) for variant in range(2))
    assert MATERIAL.digest(strange, first) != MATERIAL.digest(strange, second)


def test_nothing_is_marked_in_an_empty_text() -> None:
    essay, _ = next(iter(MATERIAL.own()))
    assert MATERIAL.answer({**essay, "text": ""}, 0.9)["selections"] == []
