"""The participants' check and the platform's record agree: whatever was decided, a good run has no fault."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from contest.domain.moments import SECOND
from contest.domain.run.amending import Wish
from contest.domain.run.run import Kind
from contest.services.run import amendments, planning, records
from pku.checks.receipts import read_keys
from pku.checks.run_proof import Kept, RunVerdict, verify
from tests.contest.run.played_runs import ABSENT, Played, planned

PAUSE, RESUME = Wish(Kind.PAUSE, "a cable is cut"), Wish(Kind.RESUME, "mended")


def decide(played: Played, *wishes: Wish) -> None:
    for wish in wishes:
        amendments.decide(played.platform, "anna", played.run_id, wish)


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


@pytest.mark.parametrize("course", [nothing, paused_twice, replaced_and_taken_back, stopped])
def test_a_good_run_has_no_fault(course: Callable[[Played], None]) -> None:
    played = planned(files=4)
    course(played)
    played.finish()
    verdict = checked(played)
    assert verdict.faults == ()
    assert verdict.sessions == 3
    assert verdict.signatures == 2 + len(played.run.amendments)


def checked(played: Played) -> RunVerdict:
    """What the participants' program finds; it kept the commitment from before the run."""
    commitment = planning.commitment_of(played.platform, played.run_id)
    told = {"commitment": commitment, "amendments": planning.public_amendments(played.run)}
    now = played.platform.clock.now()
    answer: Any = json.loads(records.published(played.platform, played.run_id, now))
    known = played.platform.signer.public_keys().items()
    keys = [{"key_id": name, "public_key": base64.b64encode(key).decode()} for name, key in known]
    return verify(told, answer, read_keys({"keys": keys}), Kept(commitment=commitment))
