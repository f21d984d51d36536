"""A semifinal of the regulation's size from its last deadline to its recomputation (tracks-sessions D-2)."""

from __future__ import annotations

import json

import pytest

from contest.results import settling
from contest.results.reporting import called_for
from contest.results.scoring import score_answer
from contest.run import under_way
from contest.session import following
from contest.session.following import known_of
from contest.session.rules.session import IN_FLIGHT
from tests.contest.contests.semifinals import semifinal
from tests.fakes import FakeShadows


@pytest.mark.clause("TS D-2", "TS T4")
@pytest.mark.parametrize(("teams", "epicrises"), [(3, 40), pytest.param(20, 500, marks=pytest.mark.long)])
def test_d_2_every_epicrisis_is_scored_once_by_both_its_answers_and_recomputed(teams: int, epicrises: int) -> None:
    played = semifinal(teams, epicrises)
    platform = played.platform
    assert played.schedule.opens_at(2 * epicrises) - played.schedule.opens_at(1) == (2 * epicrises - 1) * 30_000
    played.at(under_way.over_at(played.schedule) + IN_FLIGHT)
    for team in played.sessions:
        following.by_time(platform, played.session(team), platform.clock.now(), unseen=IN_FLIGHT)
    over = [played.session(team) for team in played.sessions]
    jobs = [job for each in over for job in called_for(platform, each, known_of(platform, each))]
    assert len(set(jobs)) == len(jobs) == teams * epicrises
    for job in jobs:
        score_answer(platform, job)
    for _ in ("record", "entries"):
        settling.send(platform, played.run_id)
        while platform.settling.jobs:
            settling.settle(platform, platform.settling.jobs.pop(0))
    FakeShadows(platform).send(platform.shadows.jobs)
    found = settling.look(platform, played.run)
    assert found.is_clean
    assert found.result is not None
    checked = json.loads(json.dumps(found.result))["checked"]
    assert checked == {
        "files": 2 * teams * epicrises,
        "receipts": 2 * teams * epicrises,
        "scores": teams * epicrises,
        "sessions": teams,
    }
