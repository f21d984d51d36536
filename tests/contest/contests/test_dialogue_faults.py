"""Dialogues on a platform that fails: a death at any write costs nobody anything and no study twice, and one that
scores other turns is found (T2, T3, T4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contest.adapters.aws import S3Blobs
from contest.exchange.store import DynamoDeliveries
from contest.people.rules import Role
from contest.results import reporting, scoring
from contest.session.rules import delivery as delivery_rules
from tests.contest.contests.epicrises import STUDY, Trial, diagnosis, in_hand
from tests.contest.contests.played import DeathError, plant
from tests.stage import Answered, Stage
from tests.stage_kept import Setting, played_once

pytestmark = [pytest.mark.integration, pytest.mark.slow]
WRITES = ((S3Blobs, "put_if_absent"), (DynamoDeliveries, "arrive"), (DynamoDeliveries, "send"))

STAGE = Setting("contest-1")


def at_the_first_epicrisis(stage: Stage) -> Trial:
    """Play a final of one team up to its first epicrisis in hand."""
    return in_hand(stage, "diagnosis-final")[0]


def dies_once(monkeypatch: pytest.MonkeyPatch, port: type, write: str, *, done: bool) -> None:
    """Let the next call of a write kill its process, before it is done or after."""
    really, calls = getattr(port, write), []

    def dying(self: Any, *told: Any, **more: Any) -> Any:
        calls.append(write)
        if len(calls) > 1:
            return really(self, *told, **more)
        if done:
            really(self, *told, **more)
        raise DeathError

    monkeypatch.setattr(port, write, dying)


@pytest.mark.clause("TS T3")
@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize(("port", "write"), WRITES)
def test_t3_a_death_at_any_write_of_a_turn_costs_nothing_and_no_study_twice(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, port: type, write: str, done: bool, key: str | None
) -> None:
    trial = played_once(stage, at_the_first_epicrisis)
    program = trial.programs["red"]
    keyed = {"key": key} if key else {}
    dies_once(monkeypatch, port, write, done=done)
    assert program.answer(1, STUDY, **keyed).status == 500
    trial.at(1, 59_000)
    again = program.answer(1, STUDY, **keyed)
    assert again.json["receipt"]["status"] == "accepted"
    assert [each["kind"] for each in again.json["dialogue"]["turns"]] == ["study"]
    assert again.json["dialogue"]["turns"][0]["response"]["found"]
    trial.at(1, 60_001)
    stage.tick()
    stage.score_all()
    delivery = stage.platform.deliveries.get(program.session_id, 1)
    assert delivery is not None
    assert (delivery.sends, len(delivery.turns)) == (1, 1)


@pytest.mark.clause("TS T3")
def test_t3_a_turn_that_was_lost_takes_the_epicrisis_away(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = played_once(stage, at_the_first_epicrisis)
    program = trial.programs["red"]
    assert program.answer(1, STUDY).status == 200
    dies_once(monkeypatch, DynamoDeliveries, "send", done=False)
    assert program.answer(1, diagnosis(trial.right(1))).status == 500  # and the program never tries again
    trial.at(12, 60_001)
    trial.end()
    row = trial.published()["red"]
    assert (row["result"]["files"], row["result"]["answered"]) == (11, 0)


def of_finished(jobs: Any, *arguments: Any) -> Any:
    """Leave out the jobs of epicrises without a final diagnosis."""
    over = {delivery.number for delivery in arguments[-1].deliveries if delivery.answer is not None}
    return tuple(job for job in jobs if job.number in over)


BUGS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "a_turn_is_left_out": (delivery_rules, "counting_answers", lambda turns, *_: (*turns[:1], *turns[2:])),
    "studies_count_twice": (scoring, "answer_of", lambda turns, *_: [*turns[:2], *turns[1:]]),
    "unfinished_ones_are_left_out": (reporting, "called_for", of_finished),
    "time_runs_from_nowhere": (delivery_rules, "noted_fields", lambda turn, *_: {**turn, "after_ms": 0}),
}
"""Bugs by their names: the function that has one, and what it makes of the function's result."""
IN_THE_GATE = ("none", "a_turn_is_left_out")


@pytest.mark.clause("TS T4")
@pytest.mark.parametrize(
    "bug", [bug if bug in IN_THE_GATE else pytest.param(bug, marks=pytest.mark.long) for bug in ("none", *BUGS)]
)
def test_t4_a_platform_that_scores_other_turns_is_found_and_publishes_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, bug: str
) -> None:
    trial = Trial.of(stage, "diagnosis-final", ("red", "blue"))
    for number in range(1, 4):
        trial.at(number, 4_000)
        for program in trial.programs.values():
            assert program.get(f"files/{number}").status == 200
            trial.stage.advance(2)
            assert program.answer(number, STUDY).status == 200
            assert program.answer(number, {"study": "B03.016.003"}).status == 200
            if number > 1:
                assert program.answer(number, diagnosis(trial.right(number))).status == 200
    if bug in BUGS:
        plant(monkeypatch, *BUGS[bug])
    trial.at(12, 60_001)
    trial.end()
    assert shadow(trial).json["state"] == ("different" if bug in BUGS else "clean")


def shadow(trial: Trial) -> Answered:
    token = trial.stage.person(Role.COMMISSION)
    found = trial.stage.request("GET", f"/v1/conduct/runs/{trial.run.run_id}/shadow", token=token)
    assert found.status == 200, found.text
    return found


def scored(trial: Trial, team: str) -> set[int]:
    """Return the numbers of the files with a stored score in a team's session."""
    return {each.number for each in trial.stage.platform.scores.of_session(trial.programs[team].session_id)}


def swept(trial: Trial) -> None:
    trial.stage.tick()
    trial.stage.score_all()


@pytest.mark.clause("TS T4", "TS T5")
def test_t4_an_item_of_a_dialogue_is_scored_by_the_minute_timer_once_it_is_settled(stage: Stage) -> None:
    trial = Trial.of(stage, "diagnosis-final", ("red", "blue"))
    red, blue = trial.programs["red"], trial.programs["blue"]
    trial.at(1)
    for program in (red, blue):
        assert program.get("files/1").status == 200
        assert program.answer(1, STUDY).status == 200
    assert red.answer(1, diagnosis(trial.right(1))).status == 200
    trial.at(1, 5_000)
    swept(trial)
    assert (scored(trial, "red"), scored(trial, "blue")) == ({1}, set()), "red has ended its dialogue"
    trial.at(1, 60_000 + 30_000)
    swept(trial)
    assert scored(trial, "blue") == set(), "an answer may be under way"
    trial.at(1, 60_000 + 30_001)
    swept(trial)
    assert (scored(trial, "red"), scored(trial, "blue")) == ({1}, {1})
    trial.at(2, 60_000 + 30_001)
    swept(trial)
    assert (scored(trial, "red"), scored(trial, "blue")) == ({1, 2}, {1, 2}), "a missed one is settled, too"
    before = dict(stage.platform.scores.of_session(red.session_id))
    swept(trial)
    assert stage.platform.scores.of_session(red.session_id) == before
    trial.at(12, 60_001)
    trial.end()
    assert shadow(trial).json["state"] == "clean"
    assert scored(trial, "red") == set(range(1, 13))


@pytest.mark.clause("TS T4", "TS D-4")
def test_t4_a_pair_is_scored_when_both_of_its_files_are_settled(stage: Stage) -> None:
    trial = Trial.of(stage, "diagnosis-semifinal", ("red",), files=4)
    red = trial.programs["red"]
    for number in (1, 2):
        trial.at(number)
        assert red.get(f"files/{number}").status == 200
        assert red.answer(number, diagnosis(trial.right(number))).status == 200
    trial.at(2, 30_000)
    swept(trial)
    assert scored(trial, "red") == set(), "a better answer to v2 may still come"
    trial.at(2, 30_000 + 30_001)
    swept(trial)
    assert scored(trial, "red") == {2}, "an item's score stands under its last file"
    (record,) = stage.platform.scores.of_session(red.session_id).values()
    assert json.loads(record)["row"] in {1, 10}, "both right"
