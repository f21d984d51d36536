"""Figures that the platform counts of its promises: lines of the log in CloudWatch's embedded metric format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.adapters.system import LoggedFigures
from contest.channel import connections, events
from contest.stored_names import MILLISECONDS, OF_TROUBLE, SECONDS, Figure
from contest.values import MINUTE
from tests.fakes_channel import ChannelPlatform
from tests.stage import Context, Program, Stage
from tests.toys import toy_cycle


def noted(capsys: pytest.CaptureFixture[str]) -> dict[str, list[float]]:
    """Return the values of figures since the last look, each line checked for its dimensions and units."""
    by_figure: dict[str, list[float]] = {}
    for line in capsys.readouterr().err.splitlines():
        if line.startswith('{"_aws"'):
            record = json.loads(line)
            (metrics,) = record["_aws"]["CloudWatchMetrics"]
            assert (metrics["Namespace"], sorted(metrics["Dimensions"][0])) == ("Hurdle", ["cycle", "service"])
            assert (record["cycle"], record["service"]) == ("toy-1", "hurdle")
            for metric in metrics["Metrics"]:
                assert metric["Unit"] == unit(Figure(metric["Name"]))
                by_figure.setdefault(metric["Name"], []).extend(record[metric["Name"]])
    return by_figure


def unit(figure: Figure) -> str:
    return "Seconds" if figure in SECONDS else "Milliseconds" if figure in MILLISECONDS else "Count"


def test_hours_without_trouble_write_no_figure_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """CloudWatch bills a figure by the hour in which it is written."""
    figures = LoggedFigures("toy-1")
    figures.note(dict.fromkeys(Figure, 0.0))
    (line,) = capsys.readouterr().out.splitlines()
    assert {figure for figure in Figure if figure.value in json.loads(line)} == {*Figure} - OF_TROUBLE
    figures.note({Figure.MASS_FAILURES: 0})
    assert capsys.readouterr().out == ""
    figures.note({Figure.MASS_FAILURES: 2})
    assert json.loads(capsys.readouterr().out)["MassFailures"] == [2]


@pytest.fixture
def joined(stage: Stage, red: Program) -> Program:
    stage.load(toy_cycle(final=3))
    stage.restart()
    run = stage.plan()
    assert red.join().status == 201
    stage.set_clock(run.starts_at)
    return red


@pytest.mark.clause("R-App2 §2 final")
def test_the_lateness_of_an_opening_counts_from_the_opening(
    stage: Stage, joined: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a request that waited, the time between the opening and the hand-out counts as the platform's."""
    opening = stage.now

    def slow(moment: int) -> int:
        stage.set_clock(max(stage.now, moment + (150 if moment >= opening else 0)))
        return stage.now

    stage.set_clock(opening - 1_500)
    monkeypatch.setattr(stage.platform.clock, "wait_until", slow)
    assert joined.get("files/1").status == 200
    assert noted(capsys) == {Figure.OPENING_LATENESS: [150]}


def test_the_lateness_of_a_hand_out_counts_from_the_request(
    stage: Stage, joined: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.advance(3)
    ask = stage.platform.deliveries.ask

    def slow(*arguments: Any) -> int:
        stage.advance(7)
        return ask(*arguments)

    monkeypatch.setattr(stage.platform.deliveries, "ask", slow)
    for _ in range(2):
        assert joined.get("files/1").status == 200
    assert noted(capsys) == {Figure.HAND_OUT_LATENESS: [7_000]}, "what is shown again is not late"


def test_answers_are_counted_by_their_fate(stage: Stage, joined: Program, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        joined.get(f"files/{number}")
        stage.advance(60)
    noted(capsys)
    assert joined.answer(1, {"letters": "abcd"}).json["receipt"]["status"] == "late"
    stage.set_clock(stage.now - 59_000)
    for _ in range(2):
        assert joined.answer(2, {"letters": "abcd"}).json["receipt"]["status"] == "accepted"
    assert joined.answer(2, {"figures": 1}).status == 422
    assert noted(capsys) == {
        Figure.ANSWERS_LATE: [1],
        Figure.ANSWERS_ACCEPTED: [1],
        Figure.ANSWERS_REFUSED: [1],
    }, "a repetition is no other answer"


@pytest.mark.clause("platform §4 scoring")
def test_the_oldest_answers_wait_is_told(stage: Stage, joined: Program, capsys: pytest.CaptureFixture[str]) -> None:
    stage.tick()
    joined.get("files/1")
    joined.answer(1, {"letters": "abcd"})
    for _ in range(3):
        stage.advance(MINUTE / 1000)
        stage.tick()
    assert noted(capsys)[Figure.UNSCORED_AGE] == [0, 60, 120, 180], "queued again, it has still waited"
    assert stage.work() == []
    stage.tick()
    assert noted(capsys)[Figure.UNSCORED_AGE] == [0]


def test_an_event_of_the_channel_that_fails_is_counted_and_its_client_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway hears 200, so that the connection stays: no count of the gateway's shows the fault."""
    platform = ChannelPlatform()
    monkeypatch.setattr(events, "platform", lambda: platform)
    failures = []

    def breaks(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(connections, "hear", breaks)
    monkeypatch.setattr(connections, "tell_failure", lambda *_: failures.append(True))
    request = {"routeKey": "$default", "connectionId": "c", "requestId": "r", "requestTimeEpoch": 1}
    event = {"requestContext": request, "body": '42/pku,["session-start",{}]'}
    assert events.serve(event, Context()) == {"statusCode": 200}
    assert (failures, platform.figures.noted) == ([True], {Figure.CHANNEL_FAULTS: [1]})
