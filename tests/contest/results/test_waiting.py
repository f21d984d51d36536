"""What waits for a score is seen and put to work again, of open sessions and of ended ones."""

from __future__ import annotations

from contest.cycle.loading import load_cycle
from contest.results import reporting
from contest.session.rules import session as session_rules
from contest.session.rules.session import State
from tests.contest.run.played_runs import Played, planned
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle


def sessions(played: Played) -> list[str]:
    return sorted(played.sessions.values())


def test_without_answers_nothing_waits() -> None:
    platform = FakePlatform()
    load_cycle(platform, "tests", "toy-1", FolderInMemory(toy_cycle()), lambda _: None)
    assert list(reporting.waiting(platform)) == []
    assert (reporting.redrive(platform), platform.queue.jobs) == (0, [])


def test_sessions_say_how_many_answers_wait_and_since_when() -> None:
    played = planned(files=2)
    played.open(1)
    first = played.platform.clock.now()
    played.open(2)
    found = list(reporting.waiting(played.platform))
    assert [(each.session_id, each.answers) for each in found] == [(each, 2) for each in sessions(played)]
    assert all(each.oldest <= first for each in found)


def test_what_waits_is_enqueued_again_at_once() -> None:
    played = planned(files=2)
    played.open(1)
    assert reporting.redrive(played.platform) == 3
    assert sorted(each.session_id for each in played.platform.queue.jobs) == sessions(played)


def test_an_ended_session_waits_until_its_report_is_made() -> None:
    played = planned(files=2)
    played.open(1)
    session, now = played.session("red"), played.platform.clock.now()
    played.platform.sessions.close(session, session_rules.close(session, State.ABORTED, now))
    assert session.session_id in {each.session_id for each in reporting.waiting(played.platform)}
    played.platform.sessions.mark_reported(session.session_id, 0)
    assert session.session_id not in {each.session_id for each in reporting.waiting(played.platform)}
