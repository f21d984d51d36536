"""The port of replays, held to its promises on DynamoDB."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.experts.rules.assignment import Replay, Review, closed, with_round
from contest.people.rules import Change
from contest.platform import Platform
from tests.losing import loses

pytestmark = pytest.mark.parametrize("platform", ["real"], indirect=True)
"""No fake stands for these ports."""
REPLAY = Replay("r" * 20, "toy-1", (3, 1), 7, (("red", "С1"),), (("anna", "КС1"), ("olga", "КС2")), 600_000, 5)
CHANGE = Change(1, "tests", "replay", "r", None, None)
REVIEW = Review("r" * 20, 1, "anna", version=1)


def test_a_replay_is_written_once_a_version_and_read_as_it_was(platform: Platform) -> None:
    port = platform.replays
    assert port.of_run("toy-1", "r" * 20) is None
    port.put(REPLAY, CHANGE)
    assert port.of_run("toy-1", "r" * 20) == REPLAY
    loses(lambda: port.put(REPLAY, CHANGE))
    opened = with_round(REPLAY, 9)
    port.put(opened, CHANGE)
    loses(lambda: port.put(with_round(REPLAY, 10), CHANGE))
    done = closed(opened, {"red": {"reviews": 2}})
    port.put(done, CHANGE)
    assert list(port.all("toy-1")) == [done]
    assert list(port.all("toy-2")) == []


def test_a_review_is_written_once_a_version(platform: Platform) -> None:
    port = platform.replays
    assert port.review("r" * 20, 1, "anna") is None
    port.save(REVIEW)
    loses(lambda: port.save(REVIEW))
    later = replace(REVIEW, answers={"final": True}, comment="ясно", saved_at=4, version=2)
    port.save(later)
    loses(lambda: port.save(replace(REVIEW, version=2)))
    port.save(replace(REVIEW, round=2))
    assert port.review("r" * 20, 1, "anna") == later
    assert [each.round for each in port.reviews("r" * 20)] == [1, 2]
