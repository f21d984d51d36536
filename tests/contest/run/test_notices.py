"""What the organizers are told when a final is planned at short notice."""

from __future__ import annotations

import pytest

from contest.run import planning
from contest.values import DAY
from tests.stage import Stage
from tests.toys import toy_cycle


@pytest.mark.parametrize(("days", "short"), [(9.5, True), (10, False)])
def test_a_final_is_announced_ten_days_ahead_and_the_days_there_are_are_told(
    stage: Stage, days: float, short: bool
) -> None:
    stage.load(toy_cycle(final=3))
    stage.restart()
    run = stage.plan(in_s=days * DAY / 1000)
    told = {each.code: each.where for each in planning.notices(stage.platform, run)}
    assert ("short_notice" in told) is short
    if short:
        assert told["short_notice"]["days"] == days
