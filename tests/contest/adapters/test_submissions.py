"""Submissions: promises kept by the adapter on emulated services."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.cycle.rules.cycle import SetKind
from contest.people.rules import Change
from contest.platform import Platform
from contest.session.rules.session import Key
from contest.submissions.rules import (
    Declaration,
    FailureCause,
    Lane,
    Order,
    Program,
    Submission,
    SubmissionKind,
    SubmissionState,
)
from contest.values import Upload
from tests.losing import loses

pytestmark = [
    pytest.mark.integration,
    pytest.mark.parametrize("platform", ["real"], indirect=True),  # no fake stands for these ports
]

ORDER = Order(SubmissionKind.PROGRAM, Upload(10, "a" * 64, ("a" * 64,)), "public", SetKind.TEST, "m" * 64, ("HTR",))
MADE = Submission("294017735586120", "red", "toy-1", "fusion", ORDER, "token", 1_000)
KEY = Key("k" * 64, "q" * 64)


def test_a_submission_is_written_once_with_its_key(platform: Platform) -> None:
    port = platform.submissions
    assert port.get(MADE.submission_id) is None
    port.add(MADE, KEY)
    loses(lambda: port.add(MADE, None))
    loses(lambda: port.add(replace(MADE, submission_id="294017735586121"), KEY))
    assert port.get(MADE.submission_id) == MADE
    assert port.get("294017735586121") is None
    assert port.begun_with("red", KEY.key_sha256) == (KEY.asked_sha256, MADE.submission_id)
    assert port.begun_with("blue", KEY.key_sha256) is None
    assert [list(each) for each in (port.of_team("red"), port.of_team("blue"), port.listed())] == [[MADE], [], [MADE]]
    assert list(port.unfinished()) == [MADE.submission_id]


def test_a_change_holds_only_on_what_was_read_and_takes_the_teams_place_with_it(platform: Platform) -> None:
    port = platform.submissions
    other = replace(MADE, submission_id="294017735586121")
    port.add(MADE, None)
    port.add(other, None)
    free = port.lane("red")
    assert free == Lane()
    taken = replace(MADE.at(SubmissionState.CHECKING, 2_000), completed_at=1_900, day="2026-01-01", receipt="{}")
    port.change(MADE, taken, free)
    loses(lambda: port.change(MADE, taken, port.lane("red")))
    loses(lambda: port.change(other, other.at(SubmissionState.CHECKING, 2_000), free))
    assert port.get(other.submission_id) == other
    assert port.lane("red") == Lane(MADE.submission_id, 1)
    queued = replace(taken.at(SubmissionState.QUEUED, 2_500), program=Program("image", "run"), attempt=1)
    port.change(taken, queued)
    change = Change(3_000, "me", "something", "x", None, {"a": 1})
    failed = replace(
        queued.at(SubmissionState.FAILED, 3_000), cause=FailureCause.TIMEOUT, declaration=Declaration(9, 3, 2_900)
    )
    port.change(queued, failed, port.lane("red"), change)
    assert port.get(MADE.submission_id) == failed
    assert port.lane("red") == Lane("", 2)
    assert list(port.unfinished()) == [other.submission_id]
    assert list(platform.audit_log.on("1970-01-01")) == [change]
    again = replace(failed.at(SubmissionState.QUEUED, 4_000), attempt=2)
    port.change(failed, again, port.lane("red"))
    assert sorted(port.unfinished()) == sorted([MADE.submission_id, other.submission_id])


def test_a_private_run_has_keys_of_its_own(platform: Platform) -> None:
    port = platform.submissions
    port.add(MADE, KEY)
    private = replace(MADE, submission_id="294017735586122", of=MADE.submission_id)
    port.add(private, KEY)
    loses(lambda: port.add(replace(private, submission_id="294017735586123"), KEY))
    assert (port.get(private.submission_id), port.get("294017735586123")) == (private, None)
