"""The same numbers twice: the platform's result of any session is the library's over the same answers (T5)."""

from __future__ import annotations

import json
import random

import pytest

from contest.values import canonical
from tests.contest.contests.played import GOOD, INVALID, KILLED, MISSED, POOR, Contest
from tests.stage import Program, Stage
from tests.stage_kept import Setting

STAGE = Setting("contest-1")

SEEDS = range(4)
"""The fates of four sessions; the gate plays the first of them alone."""


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.clause("TS T5", "TS T10")
@pytest.mark.parametrize("seeds", [SEEDS[:1], pytest.param(SEEDS[1:], marks=pytest.mark.long)], ids=len)
@pytest.mark.parametrize(
    ("name", "set_name", "mode"),
    [
        *((name, set_name, "algorithmic") for name in ("essay", "exam", "gec") for set_name in ("train", "test")),
        ("diagnosis-selection", "train", "training"),
        ("diagnosis-final", "train", "training"),
    ],
)
def test_t5_a_sessions_result_is_the_librarys(stage: Stage, name: str, set_name: str, mode: str, seeds: range) -> None:
    contest = Contest.named(name)
    stage.load(contest.folder(set_name))
    for seed in seeds:
        program = Program(stage, stage.team(f"team-{seed}"))
        assert program.open(set=set_name, mode=mode).status == 201
        chance = random.Random(f"{name} {set_name} {seed}")
        numbers = range(1, len(contest.items_of(program)) + 1)
        fates = {number: chance.choice([GOOD, POOR, INVALID, MISSED, KILLED]) for number in numbers}
        contest.play(program, fates)
        stage.tick(after=1000)
        stage.report_all()
        stage.score_all()
        answer = program.get("report")
        assert answer.status == 200, answer.text
        assert answer.json["result"] == json.loads(canonical(contest.by_the_library(program, fates)))
        assert answer.json["counts"]["answered"] == sum(fate in {GOOD, POOR, KILLED} for fate in fates.values())
