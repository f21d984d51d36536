"""The participants' check and the platform's record agree: whatever was decided, a good run has no fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contest.platform import signing_keys
from contest.results.wire import keys_body
from contest.run import planning, recording, under_way, watching
from contest.run.rules import commitment
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from contest.values import SECOND
from pku.proof import LocalData, RunVerdict, read_keys, verify
from tests.contest.run.played_runs import ABSENT, SILENT, SLOW, WRONG, Played, planned

PAUSE, RESUME = Wish(Kind.PAUSE, "a cable is cut"), Wish(Kind.RESUME, "mended")


def decide(played: Played, *wishes: Wish) -> None:
    for wish in wishes:
        watching.decide(played.platform, "anna", played.run_id, wish)


def nothing(played: Played) -> None:
    played.play()


def paused_twice(played: Played) -> None:
    for number in (1, 2):
        played.open(number)
        decide(played, PAUSE)
        played.platform.clock.advance(200)
        decide(played, RESUME)
        played.platform.clock.advance(35)
    for number in (3, 4):
        played.open(number)


def replaced_and_taken_back(played: Played) -> None:
    played.open(1, red=ABSENT)
    decide(played, Wish(Kind.REPLACE, "unreadable", (1,)), Wish(Kind.REPLACE, "unreadable", (2,)))
    decide(played, Wish(Kind.UNDO, "readable after all", amendment=1))
    for number in range(3, 7):
        played.at(played.schedule.opens_at(number) + 30 * SECOND)


def stopped(played: Played) -> None:
    played.open(1)
    decide(played, Wish(Kind.STOP, "called off"))


def ruled_and_taken_back(played: Played) -> None:
    """Rule on missed files, on one of them twice, on one that is then void for everybody; take one ruling back."""

    def rule(number: int, team_id: str, cause: Cause) -> None:
        decide(played, Wish(Kind.RULE, "the logs show it", (number,), team_id, cause))

    played.open(1, red=ABSENT)
    rule(1, "red", Cause.NETWORK)
    rule(1, "red", Cause.PLATFORM)
    played.open(2, blue=SLOW, red=SILENT)
    rule(2, "blue", Cause.ORGANIZER_DECISION)
    decide(played, Wish(Kind.UNDO, "it was theirs", amendment=1), Wish(Kind.VOID, "unreadable", (2,)))
    rule(2, "red", Cause.NETWORK)
    decide(played, Wish(Kind.UNDO, "it was readable", amendment=5))
    for number in (3, 4):
        played.open(number, grey=WRONG)
    rule(4, "grey", Cause.TEAM_LATE)


@pytest.mark.parametrize("course", [nothing, paused_twice, replaced_and_taken_back, stopped, ruled_and_taken_back])
def test_a_good_run_has_no_fault(course: Callable[[Played], None]) -> None:
    played = planned(files=4)
    course(played)
    played.finish()
    verdict = checked(played)
    assert verdict.faults == ()
    assert verdict.sessions == 3
    assert verdict.signatures == 2 + len(played.run.amendments)


def checked(played: Played) -> RunVerdict:
    """Return the verdict of the participants' program, which kept the commitment from before the run."""
    promised = planning.commitment_of(played.platform, played.run_id)
    public = {"commitment": promised, "amendments": planning.public_amendments(played.run)}
    public["rulings"] = commitment.published_rulings(played.run)
    public["roster"] = under_way.roster_of(played.platform, played.schedule)
    now = played.platform.clock.now()
    answer: Any = json.loads(recording.published(played.platform, played.run_id, now))
    keys = keys_body(signing_keys(played.platform)).model_dump(mode="json")
    return verify(public, answer, read_keys(keys), LocalData(commitment=promised))


def test_a_ruling_from_after_the_record_is_no_fault_and_is_told() -> None:
    played = planned(files=4).play({2: {"red": ABSENT}}).finish()
    decide(played, Wish(Kind.RULE, "the logs show it", (2,), "red", Cause.PLATFORM))
    verdict = checked(played)
    assert verdict.faults == ()
    assert [link["details"] for link in verdict.later] == [{"team_id": "red", "number": 2, "cause": "platform"}]


class DiedError(Exception):
    """End of the process."""


RULING = Wish(Kind.RULE, "the logs show it", (1,), "red", Cause.PLATFORM)


@pytest.mark.clause("platform §3 rulings")
@pytest.mark.parametrize("is_written", [False, True])
def test_a_ruling_has_its_seal_wherever_a_process_dies(is_written: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one write; nothing is between the ruling and its seal that would have to heal."""
    played = planned(files=4)
    played.open(1, red=ABSENT)
    change = played.platform.runs.change

    def dies(*args: Any) -> None:
        if is_written:
            change(*args)
        raise DiedError

    monkeypatch.setattr(played.platform.runs, "change", dies)
    with pytest.raises(DiedError):
        decide(played, RULING)
    monkeypatch.undo()
    sealed = [link["amendment"]["amendment"] for link in planning.public_amendments(played.run)]
    assert (sealed, len(played.run.amendments)) == (["sealed"] * is_written, int(is_written))
    if not is_written:
        decide(played, RULING)
    for number in range(2, 5):
        played.open(number)
    played.finish()
    verdict = checked(played)
    assert (verdict.faults, verdict.rulings) == ((), 1)


@pytest.mark.clause("platform §3 rulings")
@pytest.mark.parametrize(("port", "write"), [("blobs", "publish"), ("runs", "close")])
def test_a_ruling_after_the_record_is_opened_beside_it(port: str, write: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process closing the run dies when the record is stored; the ruling comes; another process closes the run."""
    played = planned(files=4).play({1: {"red": ABSENT}})

    def dies(*_: Any) -> None:
        raise DiedError

    monkeypatch.setattr(getattr(played.platform, port), write, dies)
    with pytest.raises(DiedError):
        played.finish()
    monkeypatch.undo()
    assert commitment.published_rulings(played.run) == []
    decide(played, RULING)
    played.finish()
    verdict = checked(played)
    assert (verdict.faults, [link["number"] for link in verdict.later]) == ((), [1])
