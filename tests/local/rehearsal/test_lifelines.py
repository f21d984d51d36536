"""Clients of the channel that play nothing, and when a token was used last: what the checks find."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import pytest

from local.rehearsal.history import History
from local.rehearsal.moments import MINUTE, SECOND, to_text
from local.rehearsal.play.channel import ENTERED, FILE, HEARD, IDLE, LET_GO, ChannelTeam, ChannelTeams, Lifelines
from local.rehearsal.play.driver import Timing
from local.rehearsal.play.wire import Ask, Reply, Wire
from tests.local.rehearsal.spoiling import faults_of
from tests.local.rehearsal.story import fresh_pen
from tests.local.rehearsal.test_qualifying import ask

Json = Any
BEGAN = 1_800_000_000_000


def told(
    *,
    entered: bool = True,
    let_go: bool = True,
    signs: int = 1,
    after: int = 5 * MINUTE,
    driven: bool = False,
    away: Mapping[int, str] = MappingProxyType({}),
) -> list[str]:
    """List findings about clients that came at one moment, five minutes later or more; ``away`` names
    the change of the timer by minute of a driven clock."""
    pen = fresh_pen()
    of = {ENTERED: {"entered": entered}, IDLE: {"opened": True}, LET_GO: {"let_go": let_go}, HEARD: {"signs": signs}}
    for n, (what, said) in enumerate(of.items(), start=90_001):
        at = BEGAN + (0 if what in {ENTERED, IDLE} else after)
        pen.lines += [
            {"kind": "request", "n": n, "at": at, "team": "eve", "what": what, "path": ""},
            {"kind": "response", "n": n, "at": at, "status": 200, "said": said},
        ]
    if driven:
        pen.find("header")["timer_from"] = BEGAN
    for minute, what in away.items():
        due = BEGAN + minute * MINUTE
        pen.add("injected", what=what, at=to_text(due), comes=to_text(due + 5 * SECOND))
    return faults_of(pen, "channel_alive")


def test_who_listens_is_kept_and_who_enters_nothing_is_not() -> None:
    assert told() == []
    assert told(entered=False) == ["eve, call 90001: is not let in"]
    assert told(let_go=False) == ["eve, call 90003: is kept though it has entered nothing"]


@pytest.mark.parametrize("signs", [0, 2])
def test_signs_of_life_come_every_three_minutes(signs: int) -> None:
    assert told(signs=signs) == [f"eve, call 90004: has heard {signs} signs of life, by the rules 1 to 1"]


@pytest.mark.parametrize("signs", [2, 5])
def test_signs_of_life_go_on(signs: int) -> None:
    """Three or four in thirteen minutes."""
    wrong = f"eve, call 90004: has heard {signs} signs of life, by the rules 3 to 4"
    assert told(signs=signs, after=13 * MINUTE) == [wrong]
    assert told(signs=min(max(signs, 3), 4), after=13 * MINUTE) == []


@pytest.mark.parametrize(
    ("away", "signs"),
    [
        ({}, 4),
        ({3: "tick_missed"}, 4),
        ({3: "tick_missed", 7: "tick_late"}, 3),
        ({3: "tick_doubled"}, 4),
        ({4: "tick_missed", 5: "tick_late"}, 4),
        (dict.fromkeys(range(1, 14), "tick_missed"), 0),
    ],
)
def test_on_a_driven_clock_each_sign_of_life_is_known(away: dict[int, str], signs: int) -> None:
    """Of thirteen minutes, one at the first visit three minutes after the one before: a late one is not the
    channel's."""

    def found(heard: int) -> list[str]:
        return told(signs=heard, after=13 * MINUTE, driven=True, away=away)

    assert found(signs) == []
    for wrong in (signs - 1, signs + 1):
        assert found(wrong) == [f"eve, call 90004: has heard {wrong} signs of life, by the rules {signs} to {signs}"]


def test_a_timer_that_does_not_come_is_nobodys_fault() -> None:
    away = dict.fromkeys(range(1, 6), "tick_missed")
    assert told(signs=0, let_go=False, driven=True, away=away) == []
    del away[5]
    kept = "eve, call 90003: is kept though it has entered nothing"
    assert kept in told(signs=1, let_go=False, driven=True, away=away)


def test_a_token_is_told_to_have_been_used_when_it_was_to_ten_minutes() -> None:
    def found(seconds: float | None) -> list[str]:
        pen = fresh_pen()
        ask(pen, "session", "qualify-ready")
        used = None if seconds is None else to_text(pen.lines[-1]["at"] + round(seconds * SECOND))
        ask(pen, "tokens", "organizer", said={"tokens": [{"used_at": None}, {"used_at": used}]}, whose="qualify-ready")
        return [each for each in faults_of(pen, "admitted_by_steps") if "token" in each]

    assert not found(0)
    assert not found(-600)
    for wrong in (0.001, -600.001, None):
        assert len(found(wrong)) == 1


def test_a_connection_that_the_platform_failed_is_made_again() -> None:
    """Processes of the channel die on purpose while the clients come."""
    timing = Timing("r", "final", BEGAN, MINUTE, 10_000, 50_000, 60_000, 120_000, 8)
    play, asked = Lifelines.play(cast(Lifelines, None), timing), list[tuple[int, str]]()
    step = next(play)
    for status in (None, 200, 503, *(200,) * 6):
        asked.append((step.at, step.asks[0].what))
        step = play.send([Reply(step.at, status, {})])
    asked.append((step.at, step.asks[0].what))
    assert [what for _, what in asked] == [ENTERED, ENTERED, IDLE, IDLE, HEARD, HEARD, HEARD, HEARD, LET_GO, HEARD]
    assert asked[-2][0] - asked[3][0] == 5 * MINUTE, "from when the last one was there"


def test_a_push_is_looked_for_every_four_seconds_and_in_the_last_moment() -> None:
    """The second push comes three seconds after the opening; then the file cannot be asked for any more."""
    timing = Timing("r", "final", BEGAN, MINUTE, 10_000, 50_000, 60_000, 120_000, 8)
    teams = ChannelTeams(timing, 1, 0.0, cast(Any, None), lambda *_, **__: None)
    play = teams._received(BEGAN, 1)
    looks = [next(play).at]
    for _ in range(3):
        looks.append(play.send([Reply(looks[-1], None, {})]).at)
    assert [at - BEGAN for at in looks] == [0, 4_000, 8_000, 10_000]
    with pytest.raises(StopIteration):
        play.send([Reply(looks[-1], None, {})])


def test_a_push_is_waited_for_once_the_platform_is_at_rest() -> None:
    """However long the machine takes for it: what comes while the platform works is there afterwards."""
    said: list[str] = []
    wire = Wire("http://local", lambda: BEGAN, History(), lambda _: ())
    team = ChannelTeam(0, "t", "token", wire, lambda: said.append("at rest"))

    def until(*_: str, within_s: float) -> None:
        assert said == ["at rest"], within_s
        team._came({"fileId": "7", "content": {}})

    team.client.until = until  # type: ignore[assignment, method-assign]  # no connection
    assert team.ask(Ask(FILE, "WS", "", 1)).body == {"file_id": "7", "content": {}}
    assert said == ["at rest"]
