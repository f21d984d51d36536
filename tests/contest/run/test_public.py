"""Test the public pages of a run and the cycle, and the warning of a short notice for organizers."""

from __future__ import annotations

from typing import Any

import pytest

from contest.cycle.rules.cycle import Mode
from contest.run import planning
from contest.run.rules.run import Run
from contest.values import DAY, iso
from tests.stage import Stage
from tests.stage_kept import Setting
from tests.toys import toy_cycle


def loaded(stage: Stage) -> None:
    stage.load(toy_cycle(final=3, reserve=2))


STAGE = Setting(play=loaded)


@pytest.fixture
def run(stage: Stage) -> Run:
    return stage.plan(interval_s=90)


def shown(stage: Stage, run: Run) -> Any:
    answered = stage.request("GET", f"/v1/runs/{run.run_id}")
    assert answered.status == 200, answered.text
    return answered.json


def test_a_planned_run_says_its_times_its_next_opening_and_is_listed_with_its_promises(stage: Stage, run: Run) -> None:
    body = shown(stage, run)
    starts, last = run.starts_at, run.starts_at + 180_000
    assert (body["starts_at"], body["ends_at"]) == (iso(starts), iso(last + 60_000))
    assert (body["join_from"], body["join_until"]) == (iso(run.created_at), iso(starts + 120_000))
    assert (body["files"], body["interval_s"], body["set"], body["language"]) == (3, 90.0, "final", "all")
    assert body["limits"] == {"request_s": 10.0, "answer_s": 50.0, "total_s": 60.0}
    assert (body["mode"], body["trial"], body["restarts"]) == ("final", False, None)
    assert (body["pauses"], body["paused_until"], body["amendments"]) == ([], None, [])
    assert body["server_time"] == iso(stage.now)
    said = []
    for moment in (-1, 0, 89_999, 90_000, 180_000, 300_000):
        stage.set_clock(run.starts_at + moment)
        coming = shown(stage, run)["next_opening"]
        said.append(coming and (coming["number"], coming["opens_at"]))
    first, second, third = ((number, iso(run.starts_at + (number - 1) * 90_000)) for number in (1, 2, 3))
    assert said == [first, second, second, third, None, None]
    other = stage.plan(in_s=7200, mode=Mode.TECHNICAL, set_name="train")

    def listed(query: str) -> list[str]:
        return [each["run_id"] for each in stage.request("GET", f"/v1/runs?{query}").json["runs"]]

    assert listed("") == [other.run_id, run.run_id]
    assert listed("limit=1") == [other.run_id]
    assert listed("mode=final") == [run.run_id]
    for each in stage.request("GET", "/v1/runs").json["runs"]:
        assert each["commitment"]["statement"]["run_id"] == each["run_id"]
        assert each["commitment"] == shown(stage, run if each["run_id"] == run.run_id else other)["commitment"]


def test_the_cycle_says_its_open_sets_and_bounds(stage: Stage) -> None:
    body = stage.request("GET", "/v1/cycle").json
    assert body["sets"] == {
        "train": {"kind": "training", "files": 4, "by_language": {"eng": 2, "rus": 2}},
        "test": {"kind": "test", "files": 5, "by_language": {"eng": 2, "rus": 3}},
    }
    assert (body["cycle"], body["track"], body["time_zone"]) == ("toy-1", "toy", "Europe/Moscow")
    assert body["languages"] == {"rus": ["letters"], "eng": ["letters"]}
    assert body["limits"]["files_per_session"] == 1000
    assert body["limits"]["log_bytes"] == 1024 * 1024


@pytest.mark.parametrize(("days", "short"), [(9.5, True), (10, False)])
def test_a_final_at_less_than_ten_days_notice_is_told_of(stage: Stage, days: float, short: bool) -> None:
    actual = {
        notice.code: notice.where for notice in planning.notices(stage.platform, stage.plan(in_s=days * DAY / 1000))
    }
    assert ("short_notice" in actual) is short
    assert not short or actual["short_notice"]["days"] == days
