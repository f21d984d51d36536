"""What is played step by step: requests at one moment, what failed once more, and waiting for what comes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from local.rehearsal.moments import MINUTE
from local.rehearsal.play.script import STEP, Script, is_over, is_settled, is_there, wish
from local.rehearsal.play.wire import Ask, Reply


class Pace:
    """A clock that is moved."""

    driven = True

    def __init__(self) -> None:
        self.at = 0

    def now(self) -> int:
        return self.at

    def reach(self, moment: int, begun: Callable[[], int]) -> None:
        assert moment >= self.at
        self.at = moment


class Actor:
    """Answers with these statuses, one after the other, the last one for good."""

    def __init__(self, pace: Pace, *statuses: int) -> None:
        self.pace = pace
        self.statuses = list(statuses)
        self.asked: list[tuple[int, str, str]] = []

    def ask(self, ask: Ask) -> Reply:
        self.asked.append((self.pace.at, ask.method, ask.path))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        return Reply(self.pace.at, status, {"status": status})


@pytest.fixture
def pace() -> Pace:
    return Pace()


def test_requests_that_are_made_together_have_one_moment_and_their_places(pace: Pace) -> None:
    actors = [Actor(pace, 200), Actor(pace, 404), Actor(pace, 201)]
    replies = Script(pace).together([wish(each, "x", "GET /y") for each in actors])
    assert [each.status for each in replies] == [200, 404, 201]
    assert [each.asked for each in actors] == [[(STEP, "GET", "/y")]] * 3
    assert Script(pace).together([]) == []
    assert pace.at == STEP, "nothing takes no time"


def test_what_the_platform_failed_is_asked_again_alone(pace: Pace) -> None:
    well, failed = Actor(pace, 200), Actor(pace, 503, 429, 200)
    replies = Script(pace).together([wish(well, "x", "GET /y"), wish(failed, "x", "PUT /z")])
    assert [each.status for each in replies] == [200, 200]
    assert len(well.asked) == 1
    assert [at for at, *_ in failed.asked] == [STEP, 2 * STEP, 3 * STEP]


def test_somebody_looks_once_a_minute_until_it_is_so(pace: Pace) -> None:
    actor = Actor(pace, 404, 404, 200)
    Script(pace).look_until(actor, "x", "/y", is_there, 10 * MINUTE)
    assert [at for at, *_ in actor.asked] == [number * (MINUTE + STEP) for number in (1, 2, 3)]


def test_nobody_looks_for_ever(pace: Pace) -> None:
    actor = Actor(pace, 404)
    Script(pace).look_until(actor, "x", "/y", is_there, 5 * MINUTE // 2)
    assert len(actor.asked) == 3
    assert pace.at == 5 * MINUTE // 2 + STEP


def test_what_is_waited_for() -> None:
    assert is_settled(Reply(0, 200, {"settlement": {"state": "ready"}}))
    assert not is_settled(Reply(0, 200, {"settlement": {"state": "under_way"}}))
    assert not is_settled(Reply(0, 404, {}))
    assert is_over(Reply(0, 200, {"state": "finished"}))
    assert not is_over(Reply(0, 200, {"state": "open"}))
    assert not is_over(Reply(0, 503, {}))
