"""Where teams look in a rehearsal that must not look there: who, when, and behind which doors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from local.rehearsal.moments import SECOND
from local.rehearsal.play import prying
from local.rehearsal.play.driver import News, Play, Timing
from local.rehearsal.play.teams import Team

TIMING = Timing("r", "final", 1_000_000, 60_000, 10_000, 50_000, 60_000, 120_000, 8)


def teams(count: int) -> list[Team]:
    found = [Team(index, f"team-{index}", "token", None) for index in range(count)]  # type: ignore[arg-type]
    for team in found:
        team.session_id = f"session-{team.index}"
    return found


def moments(play: Play) -> list[tuple[int, Sequence[Any]]]:
    found: list[tuple[int, Sequence[Any]]] = []
    try:
        step = next(play)
        while True:
            found.append((step.at, step.asks))
            step = play.send(step.asks)  # type: ignore[arg-type]  # as many replies as asks
    except StopIteration:
        return found


def test_every_team_looks_before_some_opening_and_every_opening_is_looked_before() -> None:
    found = list(prying.looks(teams(6), TIMING))
    assert {number for _, number, _ in found} == set(range(1, 9))
    assert {team.name for team, _, _ in found} == {f"team-{index}" for index in range(6)}
    assert {before for _, _, before in found} == set(prying.BEFORE), "from a minute before to a millisecond"


def test_a_look_falls_before_the_opening_as_it_is_known_shortly_before() -> None:
    (team,) = teams(1)
    moved = replace(TIMING, news=News(pauses=[(TIMING.opens_at(2), TIMING.opens_at(2) + 55_000)]))
    play = prying.look(team, moved, 2, 2_001)
    assert not next(play).asks, "it waits until it is near"
    step = play.send(())
    assert (step.at, step.asks[0].number) == (TIMING.opens_at(2) + 55_000 - 2_001, 2)


def test_one_team_alone_looks_into_files_and_into_nobodys_session() -> None:
    assert len(list(prying.looks(teams(1), TIMING))) == 8
    assert prying.others(teams(1), TIMING) == []
    assert list(prying.results(teams(1))) == []


def test_who_has_not_joined_yet_looks_nowhere() -> None:
    (team,) = teams(1)
    look = prying.early(team, 2)
    assert [ask.path for ask in look()] == ["/v1/sessions/session-0/files/2"]
    team.session_id = ""
    assert moments(prying.peep(5, look)) == [(5, ())]
    assert moments(prying.again(team, 5, b"{}")) == [(5, ())]


def test_each_team_looks_into_the_next_ones_session_a_second_apart() -> None:
    found = prying.others(teams(3), TIMING)
    mine = [(moment, asks()[0]) for team, moment, asks in found if team.index == 0]
    assert all(ask.path.startswith("/v1/sessions/session-1") for _, ask in mine)
    assert {ask.method for _, ask in mine} == {"GET", "PUT", "POST"}
    assert {after - before for (before, _), (after, _) in pairwise(mine)} == {SECOND}
    assert min(moment for moment, _ in mine) > TIMING.starts_at + TIMING.join, "everybody has joined by then"


def test_staffs_doors_are_those_that_no_program_may_use() -> None:
    document = {
        "paths": {
            "/v1/open": {"get": {}},
            "/v1/own": {"get": {"security": [{"program": []}]}},
            "/v1/both": {"get": {"security": [{"program": []}, {"person": []}]}},
            "/v1/runs/{run_id}/mark/{other}": {"post": {"security": [{"person": []}]}, "parameters": []},
        }
    }
    (ask,) = prying.staff(document, {"run_id": "r"}, reading=True)
    assert (ask.method, ask.path, ask.body) == ("POST", "/v1/runs/r/mark/000000000000000", b"{}")


def test_a_latecomer_comes_a_millisecond_after_the_last_moment() -> None:
    ((moment, _),) = moments(prying.late(TIMING, b"{}"))
    assert moment == TIMING.starts_at + TIMING.join + 1
