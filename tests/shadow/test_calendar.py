"""The second reading of a run's times: by hand, and beside the platform's under any decisions."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings

from contest.run.rules.amending import Wish
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.values import Millis
from shadow.fates import Calendar
from tests.contest.run.test_amendments_properties import BEGIN, STEPS, courses
from tests.examples import examples

MINUTE = 60_000
LIMITS = {"request": 10_000, "answer": 50_000, "total": 60_000, "join": 0}
RUN: dict[str, Any] = {"starts_at": 0, "interval": MINUTE, "files": 3, "limits": LIMITS}


def decided(number: int, kind: str, effective_at: int, /, **details: Any) -> dict[str, Any]:
    return {"number": number, "kind": kind, "effective_at": effective_at, "details": details}


def test_without_decisions_a_file_opens_every_interval() -> None:
    found = Calendar.of(RUN, [])
    assert (found.opens, found.request_by(2), found.last_moment(2)) == ((0, 60_000, 120_000), 70_000, 120_000)
    assert (found.stopped_at, found.taken_away, found.rulings) == (None, frozenset(), {})


@pytest.mark.parametrize(
    ("answer", "asked", "handed_out", "deadline"),
    [
        (50_000, 60_000, 60_000, 110_000),
        # What the platform took to hand a file out is the team's again.
        (50_000, 69_000, 69_500, 119_500),
        (50_000, 69_000, 75_000, 125_000),
        (50_000, 59_000, 61_000, 111_000),
        # A file that was asked for late is due by its opening.
        (55_000, 69_000, 69_000, 120_000),
    ],
)
def test_a_deadline_counts_from_hand_out_and_opening(answer: int, asked: int, handed_out: int, deadline: int) -> None:
    run = {**RUN, "limits": {**LIMITS, "answer": answer}}
    assert Calendar.of(run, []).answer_by(2, asked, handed_out) == deadline


def test_pauses_move_what_has_not_opened_and_last_two_hours_at_most() -> None:
    pause, on = decided(1, "pause", 60_000), decided(2, "resume", 90_000)
    assert Calendar.of(RUN, [pause, on]).opens == (0, 90_000, 150_000)
    assert Calendar.of(RUN, [decided(1, "pause", 60_001), on]).opens == (0, 60_000, 149_999)
    hours = 120 * MINUTE
    assert Calendar.of(RUN, [pause]).opens == (0, 60_000 + hours, 120_000 + hours)
    third = decided(3, "pause", 120_000)
    assert Calendar.of(RUN, [pause, on, third]).opens == (0, 90_000, 150_000 + hours - 30_000)
    assert Calendar.of(RUN, [pause, on, decided(3, "undo", 0, amendment=1)]).opens == (0, 60_000, 120_000)


def test_replacements_are_appended_and_stay_numbered_when_taken_back() -> None:
    first = decided(1, "replace", 0, numbers=[2], slot=5, root="")
    second = decided(2, "replace", 0, numbers=[1, 3], slot=7, root="")
    found = Calendar.of(RUN, [first, second])
    assert found.opens[3:] == (300_000, 420_000, 480_000)
    assert found.taken_away == {1, 2, 3}
    undone = Calendar.of(RUN, [first, second, decided(3, "undo", 0, amendment=2)])
    assert (undone.opens, undone.taken_away) == (found.opens, {2, 5, 6})


def test_the_earliest_stop_and_the_last_ruling_count() -> None:
    rulings = [
        decided(1, "rule", 0, team_id="red", number=2, cause="network"),
        decided(2, "rule", 0, team_id="red", number=2, cause="platform"),
        decided(3, "stop", 900),
        decided(4, "stop", 800),
    ]
    found = Calendar.of(RUN, rulings)
    assert (found.stopped_at, found.rulings) == (800, {("red", 2): "platform"})
    assert Calendar.of(RUN, [*rulings, decided(5, "undo", 0, amendment=2)]).rulings == {("red", 2): "network"}


def stored(run: Run) -> Any:
    """Return a run as its item holds it."""
    amendments = [{**vars_of(each), "details": dict(each.details)} for each in run.amendments]
    return json.loads(json.dumps({**vars_of(run), "limits": asdict(run.limits), "amendments": amendments}))


def vars_of(value: Any) -> dict[str, Any]:
    return {each: getattr(value, each) for each in value.__dataclass_fields__}


@pytest.mark.property
@settings(max_examples=examples(25))
@given(STEPS)
def test_both_readings_agree_under_any_decisions(steps: list[tuple[Millis, Wish]]) -> None:
    for run in (BEGIN, *(after for _, after, _ in courses(steps))):
        ours, theirs = Schedule.of(run), stored(run)
        found = Calendar.of(theirs, theirs["amendments"])
        assert found.opens == ours.openings
        assert found.stopped_at == ours.stopped_at
        assert found.taken_away == set(ours.voided_for_all)
        rulings = {number: cause for (_, number), cause in found.rulings.items()}
        assert rulings == {number: cause.value for number, (cause, _) in ours.rulings("red").items()}
        for number, opening in enumerate(found.opens, start=1):
            window = ours.window(number)
            assert (found.request_by(number), found.last_moment(number)) == (window.request_by, window.answer_by)
            at = opening + 7_000
            assert found.answer_by(number, at, at + 300) == ours.answer_by(number, at, at + 300)
