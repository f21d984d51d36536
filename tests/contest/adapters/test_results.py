"""Promises of the ports of boards, rescorings, replays and kept executions, kept on emulated services."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.adapters import aws
from contest.experts.rules.assignment import Replay, Review, closed_replay, with_round
from contest.people.rules import Change
from contest.platform import Platform
from contest.results.rules.leaderboard import BoardState, Placed, Point, Visibility
from contest.results.rules.rescoring import Conditions, Decided, Rescoring, Selection, as_rescored, run_rescored
from contest.run.rules.run import Action
from contest.session.rules.session import DayQuota, State
from contest.values import HOUR
from tests.contest.adapters.test_adapters import SESSION
from tests.contest.adapters.test_runs import RUN
from tests.losing import loses

pytestmark = [
    pytest.mark.integration,
    pytest.mark.parametrize("platform", ["real"], indirect=True),  # no fake stands for these ports
]
AT = 1_790_000_000_000
FROZEN = BoardState("qualification", Visibility.FROZEN, AT, "the last day", "reports/boards/x.json")
FIRST = Point(AT, (Placed("red", 1, 50.0), Placed("blue", 2, None)))
SECOND = Point(AT + 60_000, (Placed("blue", 1, 75.25), Placed("red", 2, 50.0)))


def changed_board(what: str) -> Change:
    return Change(AT, "person:olga", what, "qualification", None, None)


def test_a_board_is_decided_on_condition_that_nobody_has_meanwhile(platform: Platform) -> None:
    assert platform.boards.state("toy-1", "qualification") is None
    platform.boards.decide("toy-1", None, FROZEN, changed_board("frozen"))
    assert platform.boards.state("toy-1", "qualification") == FROZEN
    hidden = replace(FROZEN, visibility=Visibility.HIDDEN, frozen="", version=2)
    loses(lambda: platform.boards.decide("toy-1", None, hidden, changed_board("lost")))
    platform.boards.decide("toy-1", FROZEN, hidden, changed_board("hidden"))
    loses(lambda: platform.boards.decide("toy-1", FROZEN, FROZEN, changed_board("lost")))
    assert platform.boards.state("toy-1", "qualification") == hidden
    assert platform.boards.state("toy-2", "qualification") is None
    assert sorted(each.what for each in platform.audit_log.on("2026-09-21")) == ["frozen", "hidden"]


def test_a_history_grows_from_its_latest_point_alone(platform: Platform) -> None:
    def points(scope: str = "all", most: int = 9) -> list[Point]:
        return list(platform.boards.points("toy-1", "qualification", scope, most))

    platform.boards.add_point("toy-1", "qualification", "all", None, FIRST, None)
    loses(lambda: platform.boards.add_point("toy-1", "qualification", "all", None, SECOND, None))
    platform.boards.add_point("toy-1", "qualification", "all", FIRST, SECOND, None)
    assert (points(), points(most=1), points("rus")) == ([SECOND, FIRST], [SECOND], [])
    loses(
        lambda: platform.boards.add_point("toy-1", "qualification", "all", FIRST, replace(SECOND, at=AT + 1), FIRST.at)
    )
    third = replace(FIRST, at=AT + 120_000)
    platform.boards.add_point("toy-1", "qualification", "all", SECOND, third, SECOND.at)
    assert points() == [third, FIRST]
    platform.boards.add_point("toy-1", "r1", "rus", None, FIRST, None)
    parts = [("qualification", "all"), ("qualification", "rus"), ("r1", "rus")]
    assert platform.boards.latest_points("toy-1", parts) == {parts[0]: third, parts[2]: FIRST}


CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})
SELECTION = Selection(("294017735586120",), "red", "r", "test", "algorithmic", "2026-01-01", "2026-01-02")
RESCORING = Rescoring("r1", 5, "person:olga", "код", SELECTION, 2, ("294017735586120",))


def test_a_rescoring_is_written_once_and_changes_if_it_is_as_it_was_read(platform: Platform) -> None:
    port = platform.rescorings
    assert port.get("r1") is None
    port.add(RESCORING, CHANGE)
    loses(lambda: port.add(RESCORING, CHANGE))
    boards = ({"language": "all", "rows": [{"team_id": "red", "old": None, "new": {"place": 1}}]},)
    after = replace(RESCORING, state=Decided.ACCEPTED, decided_at=9, decided_by="b", boards=boards, version=2)
    port.change(RESCORING, after, CHANGE)
    loses(lambda: port.change(RESCORING, after, CHANGE))
    assert port.get("r1") == after
    port.add(replace(RESCORING, rescoring_id="r0", begun_at=6), CHANGE)
    assert [each.rescoring_id for each in port.all()] == ["r0", "r1"]
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE] * 3


def test_a_run_goes_by_a_rescoring_in_the_write_that_accepts_it_or_neither_changes(platform: Platform) -> None:
    closed = replace(RUN, closed_at=9, version=1)
    platform.runs.add(RUN, None)
    platform.runs.close(RUN, closed)
    platform.runs.settled(closed)
    rescoring = replace(RESCORING, final=RUN.run_id)
    platform.rescorings.add(rescoring, CHANGE)
    accepted = replace(rescoring, state=Decided.ACCEPTED, version=2)
    result = Conditions("before", (("m1", "m2"),), "r" * 64)
    anew = run_rescored(closed, rescoring, result)
    assert (anew.rescored, anew.started_with, anew.parameters_version, anew.markups, anew.ratings) == (
        "r1",
        RUN.parameters_version,
        2,
        (("m1", "m2"),),
        "r" * 64,
    )
    loses(lambda: platform.rescorings.change(rescoring, accepted, CHANGE, (replace(closed, version=5), anew)))
    assert platform.rescorings.get("r1") == rescoring
    loses(lambda: platform.rescorings.change(replace(rescoring, version=7), accepted, CHANGE, (closed, anew)))
    assert platform.runs.get(RUN.run_id) == closed
    platform.rescorings.change(rescoring, accepted, CHANGE, (closed, anew))
    assert (platform.rescorings.get("r1"), platform.runs.get(RUN.run_id)) == (accepted, anew)
    assert list(platform.runs.unsettled_ids()) == [RUN.run_id]


def test_a_session_is_scored_anew_if_it_is_as_it_was_read(platform: Platform) -> None:
    session = replace(SESSION, state=State.OPEN, closed_at=None)
    platform.sessions.open(session, (), None, DayQuota("algorithmic", 20))
    closed = replace(session, state=State.FINISHED, closed_at=7, version=session.version + 1)
    platform.sessions.close(session, closed)
    anew = as_rescored(closed, RESCORING, "m" * 64)
    assert (anew.parameters_version, anew.manifest, anew.rescored) == (2, "m" * 64, "r1")
    platform.sessions.rescore(closed, anew)
    loses(lambda: platform.sessions.rescore(closed, anew))
    assert platform.sessions.get(session.session_id) == anew


REPLAY = Replay("r" * 20, "toy-1", (3, 1), 7, (("red", "С1"),), (("anna", "КС1"), ("olga", "КС2")), 600_000, 5)
REPLAYED = Change(1, "tests", "replay", "r", None, None)
REVIEW = Review("r" * 20, 1, "anna", version=1)


def test_a_replay_and_a_review_are_written_once_a_version_and_read_as_they_were(platform: Platform) -> None:
    port = platform.replays
    assert port.of_run("toy-1", "r" * 20) is None
    port.put(REPLAY, REPLAYED)
    assert port.of_run("toy-1", "r" * 20) == REPLAY
    loses(lambda: port.put(REPLAY, REPLAYED))
    opened = with_round(REPLAY, 9)
    port.put(opened, REPLAYED)
    loses(lambda: port.put(with_round(REPLAY, 10), REPLAYED))
    done = closed_replay(opened, {"red": {"reviews": 2}})
    port.put(done, REPLAYED)
    assert list(port.all("toy-1")) == [done]
    assert list(port.all("toy-2")) == []
    assert port.review("r" * 20, 1, "anna") is None
    port.save(REVIEW)
    loses(lambda: port.save(REVIEW))
    later = replace(REVIEW, answers={"final": True}, comment="ясно", saved_at=4, version=2)
    port.save(later)
    loses(lambda: port.save(replace(REVIEW, version=2)))
    port.save(replace(REVIEW, round=2))
    assert port.review("r" * 20, 1, "anna") == later
    assert [each.round for each in port.reviews("r" * 20)] == [1, 2]


JANUARY = 1_798_761_600_000  # 1 January 2027, 00:00 UTC
CYCLE = "toy-1"
UP, DOWN = Action(JANUARY, "Dispatch", 50), Action(JANUARY + HOUR, "Dispatch", 0)


def test_actions_read_back_and_are_taken_back_and_others_actions_are_left_alone(platform: Platform) -> None:
    client = aws.client("application-autoscaling")
    for resource, name in ((f"hurdle-{CYCLE}-dispatch", "by-hand"), ("hurdle-other-dispatch", "hurdle-29979360")):
        client.put_scheduled_action(
            ServiceNamespace="lambda",
            ScalableDimension="lambda:function:ProvisionedConcurrency",
            ResourceId=f"function:{resource}:live",
            ScheduledActionName=name,
            Schedule="at(2027-01-01T00:00:00)",
            ScalableTargetAction={"MinCapacity": 1, "MaxCapacity": 1},
        )
    assert list(platform.arming.planned()) == [], "an operator's own and another cycle's"
    for action in (UP, DOWN, Action(JANUARY, "LegacyClients", 25)):
        platform.arming.put(action)
    platform.arming.put(UP)
    assert sorted(platform.arming.planned()) == sorted([UP, DOWN, Action(JANUARY, "LegacyClients", 25)])
    (described,) = client.describe_scheduled_actions(
        ServiceNamespace="lambda", ResourceId=f"function:hurdle-{CYCLE}-legacy-clients:live"
    )["ScheduledActions"]
    assert described["Schedule"] == "at(2027-01-01T00:00:00)"
    platform.arming.remove(UP)
    platform.arming.remove(UP)
    assert DOWN in platform.arming.planned()
    assert UP not in platform.arming.planned()


def test_what_is_kept_is_what_the_target_says(platform: Platform) -> None:
    aws.client("application-autoscaling").register_scalable_target(
        ServiceNamespace="lambda",
        ScalableDimension="lambda:function:ProvisionedConcurrency",
        ResourceId=f"function:hurdle-{CYCLE}-dispatch:live",
        MinCapacity=7,
        MaxCapacity=7,
    )
    assert platform.arming.kept() == {"Dispatch": 7}
