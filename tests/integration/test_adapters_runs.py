"""What the store of runs promises, by the adapter on emulated services and by the fake that stands for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from contest.domain import delivery as way
from contest.domain.cycle import Mode
from contest.domain.receipts import Receipt
from contest.domain.release import ArmedBy, Proposal, Release
from contest.domain.run import Amendment, Kind
from contest.ports import LostRaceError, Sent
from contest.services.platform import Platform
from tests import samples
from tests.fakes import FakePlatform
from tests.stage import staged

RUN = replace(samples.RUN, admitted=("blue", "red"))
PAUSE = Amendment(1, Kind.PAUSE, 5, 6, "tests", "a reason", {"so": [1, 2]})
SESSION = samples.RUN_SESSION
RELEASE = Release(2, 60_000, 70_000, 5, ArmedBy.TIMER, "f" * 16, "0" * 64)


@pytest.fixture(params=["fake", "real"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Platform]:
    if request.param == "fake":
        yield FakePlatform()
        return
    with staged(tmp_path) as stage:
        yield stage.platform


def loses(write: Callable[[], object]) -> None:
    with pytest.raises(LostRaceError):
        write()


def test_a_run_reads_back_with_its_amendments_and_changes_only_from_what_was_read(platform: Platform) -> None:
    platform.runs.add(RUN)
    assert platform.runs.get(RUN.run_id) == RUN
    loses(lambda: platform.runs.add(RUN))
    after = replace(RUN, amendments=(PAUSE,), version=1)
    platform.runs.change(RUN, after)
    assert platform.runs.get(RUN.run_id) == after
    loses(lambda: platform.runs.change(RUN, after))
    assert platform.runs.get("x" * 20) is None


def test_a_closed_run_is_no_longer_active(platform: Platform) -> None:
    platform.runs.add(RUN)
    assert platform.runs.active_ids() == [RUN.run_id]
    loses(lambda: platform.runs.close(replace(RUN, version=7), RUN))
    assert platform.runs.active_ids() == [RUN.run_id]
    platform.runs.close(RUN, replace(RUN, closed_at=9, version=1))
    assert platform.runs.active_ids() == []


def test_runs_of_a_mode_are_listed_by_their_start(platform: Platform) -> None:
    for letter, start, mode in (
        ("a", 1, Mode.FINAL),
        ("b", 3, Mode.FINAL),
        ("c", 2, Mode.FINAL),
        ("d", 4, Mode.TECHNICAL),
    ):
        platform.runs.add(replace(RUN, run_id=letter * 20, starts_at=start, mode=mode))
    assert [each[0] for each in platform.runs.of_mode(Mode.FINAL, 10)] == ["b", "c", "a"]
    assert [each[0] for each in platform.runs.of_mode(Mode.FINAL, 1, 3)] == ["c"]


def test_a_team_joins_a_final_once_and_is_named_by_the_run(platform: Platform) -> None:
    platform.sessions.join(SESSION, "key")
    assert platform.sessions.get(SESSION.session_id) == SESSION
    assert platform.sessions.opened_with("red", "key") == SESSION.session_id
    assert platform.sessions.participation("red", RUN.run_id) == SESSION.session_id
    assert platform.sessions.participation("blue", RUN.run_id) is None
    assert platform.runs.sessions_of(RUN.run_id) == [("red", SESSION.session_id)]
    platform.sessions.close(SESSION, replace(SESSION, closed_at=5, version=1))
    loses(lambda: platform.sessions.join(replace(SESSION, session_id="t" * 20), None))


def test_a_team_may_join_a_technical_run_again(platform: Platform) -> None:
    first = replace(SESSION, order=replace(SESSION.order, mode="technical"))
    second = replace(first, session_id="t" * 20)
    platform.sessions.join(first, None)
    loses(lambda: platform.sessions.join(second, None))
    platform.sessions.close(first, replace(first, closed_at=5, version=1))
    platform.sessions.join(second, None)
    assert len(platform.runs.sessions_of(RUN.run_id)) == 2


def test_a_release_is_written_from_what_was_read(platform: Platform) -> None:
    assert platform.runs.release(RUN.run_id, 2) is None
    platform.runs.arm(RUN.run_id, RELEASE, None)
    loses(lambda: platform.runs.arm(RUN.run_id, RELEASE, None))
    moved = replace(RELEASE, opens_at=80_000, armed_by=ArmedBy.REQUEST, version=2)
    platform.runs.arm(RUN.run_id, moved, RELEASE)
    loses(lambda: platform.runs.arm(RUN.run_id, moved, RELEASE))
    assert platform.runs.release(RUN.run_id, 2) == moved
    assert platform.runs.releases(RUN.run_id) == [moved]


def test_a_proposal_follows_the_one_before(platform: Platform) -> None:
    assert platform.runs.proposal(RUN.run_id) is None
    platform.runs.propose(RUN.run_id, Proposal({"files": [1]}, 1))
    loses(lambda: platform.runs.propose(RUN.run_id, Proposal({"files": [2]}, 1)))
    platform.runs.propose(RUN.run_id, Proposal({"files": [1, 2]}, 2))
    assert platform.runs.proposal(RUN.run_id) == Proposal({"files": [1, 2]}, 2)


def test_the_first_request_counts_whichever_was_noted_first(platform: Platform) -> None:
    facts = platform.deliveries
    assert facts.asked_at(SESSION.session_id, 1) is None
    assert [facts.ask(SESSION.session_id, 1, at) for at in (7, 9, 5)] == [7, 7, 5]
    assert facts.asked_at(SESSION.session_id, 1) == 5
    assert facts.asked(SESSION.session_id) == {1: 5}


def test_an_answers_first_arrival_counts_until_it_is_judged(platform: Platform) -> None:
    platform.sessions.join(SESSION, None)
    facts, name, handed_out = platform.deliveries, SESSION.session_id, way.release(1, 1, 60_000)
    facts.hand_out(name, handed_out)
    assert [facts.arrive(name, 1, letter * 64, at) for letter, at in (("a", 9), ("b", 8), ("a", 10))] == [9, 8, 9]
    assert facts.arrived(name) == {1: [8, 9]}
    refused = way.refuse(handed_out, "wrong_text")
    facts.refuse(name, handed_out, refused, "a" * 64)
    assert facts.arrived(name) == {1: [8]}
    assert facts.arrive(name, 1, "a" * 64, 11) == 11
    decision = way.accept(refused, "c", 8, sends_per_file=10, session_open=True, keyed=False)
    receipt = Receipt(1, 1, "accepted", "c", "{}")
    facts.send(Sent(SESSION, refused, decision.after, receipt, None, None, 12, body_sha256="b" * 64))
    assert facts.arrived(name) == {1: [11]}
