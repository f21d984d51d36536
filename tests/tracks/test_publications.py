"""Publications and dialogues of steps, on the diagnosis contest's own and on a mixture of both kinds (T2)."""

from __future__ import annotations

import pytest

from tracks.diagnosis.stages import STEPS
from tracks.protocol import Step, dialogue_steps, is_dialogue, limit_of, publications, step_now, taken_at

MIXED = (
    Step("ask", {"question": "ask", "guess": "show"}, limit_s=20),
    Step("show", {"word": None}, scheduled=True),
)
"""A dialogue that ends with the opening of something else."""


@pytest.mark.clause("TS T2")
@pytest.mark.parametrize(
    ("steps", "published", "dialogues"),
    [
        (STEPS["selection"], ("v1",), ()),
        (STEPS["semifinal"], ("v3", "v2"), ()),
        (STEPS["final"], ("preliminary",), ("preliminary",)),
        (MIXED, ("ask", "show"), ("ask",)),
    ],
)
def test_the_first_step_and_every_scheduled_one_is_a_publication(
    steps: tuple[Step, ...], published: tuple[str, ...], dialogues: tuple[str, ...]
) -> None:
    assert publications(steps) == published
    assert tuple(each for each in published if is_dialogue(steps, each)) == dialogues


@pytest.mark.clause("TS T2")
def test_a_dialogue_has_the_steps_up_to_the_next_publication() -> None:
    assert dialogue_steps(STEPS["final"], "preliminary") == ("preliminary", "studies")
    assert dialogue_steps(STEPS["semifinal"], "v3") == ("v3",)
    assert dialogue_steps(MIXED, "ask") == ("ask",)


@pytest.mark.clause("TS T2")
@pytest.mark.parametrize(
    ("steps", "publication", "kinds", "step"),
    [
        (STEPS["final"], "preliminary", [], "preliminary"),
        (STEPS["final"], "preliminary", ["preliminary", "study", "study"], "studies"),
        (STEPS["final"], "preliminary", ["study", "diagnosis"], None),
        (STEPS["final"], "preliminary", ["refusal"], None),
        (STEPS["semifinal"], "v3", ["diagnosis"], None),
        (MIXED, "ask", ["question", "question"], "ask"),
        (MIXED, "ask", ["question", "guess"], None),
    ],
)
def test_a_dialogue_stands_where_its_turns_have_led(
    steps: tuple[Step, ...], publication: str, kinds: list[str], step: str | None
) -> None:
    assert step_now(steps, publication, kinds) == step


def test_what_the_steps_do_not_take_leads_nowhere() -> None:
    for kinds in (["word"], ["guess", "question"]):
        with pytest.raises(LookupError):
            step_now(MIXED, "ask", kinds)


def test_what_a_step_takes_and_how_long_it_lasts() -> None:
    assert taken_at(STEPS["final"], "studies") == ("diagnosis", "refusal", "study")
    assert (taken_at(MIXED, None), taken_at(MIXED, "nothing")) == ((), ())
    assert (limit_of(MIXED, "ask"), limit_of(MIXED, "show"), limit_of(MIXED, None)) == (20, None, None)
