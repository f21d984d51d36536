"""What a program leaves unsaid when it opens a session is the cycle's, then the track's, never a number in the code."""

from __future__ import annotations

from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.errors import InvalidRequestError
from contest.people.rules import Identity, Role
from contest.session.access import Request
from contest.session.opening import open_wished
from contest.session.rules.session import OpeningWish, Session
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, ToyTrack, toy_cycle
from tracks.protocol import Policies

ME = Identity(Role.PROGRAM, "red", "k")


class PatientToy(ToyTrack):
    """Letters with limits of its own."""

    def __init__(self, *limits: int) -> None:
        self._shortest, self._longest, self._usual = limits

    def policies(self, mode: str) -> Policies:
        return Policies(answer_limit_s=(self._shortest, self._longest, self._usual))


def opened(files: dict[str, Any], time_limit_s: int | None = None, track: ToyTrack | None = None) -> Session:
    platform = FakePlatform({"toy": track or ToyTrack()}.__getitem__)
    load_cycle(platform, "tests", "toy-1", FolderInMemory(files), lambda _: None)
    wish = OpeningWish("algorithmic", set_name="train", time_limit_s=time_limit_s)
    return open_wished(platform, Request(ME, platform.clock.now()), wish)


@pytest.mark.parametrize("limits", [(10, 60, 60), (10, 30, 20), (1800, 1800, 1800)])
def test_a_session_opened_without_a_limit_takes_the_tracks_usual_one(limits: tuple[int, int, int]) -> None:
    assert opened(toy_cycle(), track=PatientToy(*limits)).order.time_limit_s == limits[2]


def test_the_cycles_usual_limit_comes_before_the_tracks() -> None:
    files = toy_cycle(time_limit_s={"min": 7, "max": 3000, "default": 2999})
    assert opened(files, track=PatientToy(10, 30, 20)).order.time_limit_s == 2999


def test_a_limit_that_is_named_holds_within_the_cycles_bounds() -> None:
    files = toy_cycle(time_limit_s={"min": 10, "max": 30, "default": 20})
    assert [opened(files, limit).order.time_limit_s for limit in (None, 10, 30)] == [20, 10, 30]
    for limit in (9, 31, 60):
        with pytest.raises(InvalidRequestError):
            opened(files, limit)
