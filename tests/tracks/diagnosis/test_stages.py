"""The stages: steps of an epicrisis, rules of each kind of session (D 7.7–7.13, D-App3, D 9.10)."""

from __future__ import annotations

import pytest

from tracks.diagnosis.stages import MODES, STEPS, policies
from tracks.protocol import Missed, step_after
from tracks.rules import LateJoin


@pytest.mark.clause("D 4.1", "D 7.12")
def test_the_selection_stage_has_one_step_of_a_minute() -> None:
    (step,) = STEPS["selection"]
    assert (step.limit_s, step_after(STEPS["selection"], "v1", "diagnosis")) == (60, None)


@pytest.mark.clause("D-App3", "D 4.1")
def test_in_the_semifinal_v2_follows_v3_whether_or_not_v3_was_answered() -> None:
    v3, v2 = STEPS["semifinal"]
    assert (v3.name, v3.unanswered, v2.name, v2.unanswered) == ("v3", "v2", "v2", None)
    assert v3.scheduled
    assert v2.scheduled
    assert step_after(STEPS["semifinal"], "v3", "diagnosis") == "v2"
    assert step_after(STEPS["semifinal"], "v2", "diagnosis") is None


@pytest.mark.clause("D 9.10.1", "D 9.10.1.2", "D 9.10.1.3.1", "D 9.10.1.4", "D 4.1")
def test_the_finals_dialogue_loops_over_studies_until_a_diagnosis_or_a_refusal() -> None:
    steps = STEPS["final"]
    assert (steps[0].limit_s, steps[1].limit_s, steps[1].scheduled) == (60, None, False)
    assert step_after(steps, "preliminary", "preliminary") == step_after(steps, "studies", "study") == "studies"
    for step in ("preliminary", "studies"):
        assert step_after(steps, step, "diagnosis") is step_after(steps, step, "refusal") is None


@pytest.mark.clause("D 8.11", "TS D-3")
@pytest.mark.parametrize("mode", ["training", "algorithmic", "estimated-training", "final"])
def test_missed_and_late_joiners_files_are_wrong_in_every_mode(mode: str) -> None:
    rules = policies(mode)
    assert rules.missed is Missed.WRONG
    assert (rules.run.join_s, rules.run.late_join) == (0, LateJoin.BY_DECISION)
    assert rules.sessions_per_day == 10


def test_only_training_chooses_its_interval() -> None:
    assert policies("training").answer_limit_s == policies("estimated-training").answer_limit_s == (10, 30, 30)
    assert policies("final").answer_limit_s == (30, 30, 30)
    assert policies("algorithmic").answer_limit_s == (60, 60, 60)


@pytest.mark.clause("D-App3 training count", "D-App3 training timeout", "D-App3 estimated", "D-App3 challenge")
def test_the_semifinals_sessions_have_the_numbers_of_the_appendix() -> None:
    modes = {each.name: each for each in MODES}
    assert (modes["training"].counts, modes["training"].most, modes["training"].usual) == ("files", 2000, 100)
    estimated = modes["estimated-training"]
    assert (estimated.counts, estimated.most, estimated.usual, estimated.per_group) == ("nosologies", 6, None, 70)
    assert policies("estimated-training").sessions_per_day == 10
    assert modes["final"].in_run
