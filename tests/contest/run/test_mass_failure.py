"""Mass failure (D 1.7): what counts as one, and what becomes of the proposal."""

from __future__ import annotations

import pytest

from contest.refusals import RefusedError
from contest.run import watching
from contest.run.rules import fate
from contest.run.rules.conducting import Wish
from contest.run.rules.fate import Attendance, Standing
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Proposal, Schedule
from tests.contest.run.played_runs import ABSENT, SLOW, WRONG, Played, planned
from tests.contest.run.run_facts import RUN, START

WINDOWS = Schedule.of(RUN).windows


def attendance(*missed: int, opened_at: int = 0, closed_at: int | None = None) -> Attendance:
    return Attendance("s", opened_at, closed_at, frozenset(missed))


def missed(*sessions: Attendance, annulled: tuple[int, ...] = ()) -> tuple[int, ...]:
    return fate.missed_by_all(WINDOWS, sessions, annulled)


def test_a_file_is_missed_by_all_when_all_of_at_least_two_who_were_there_missed_it() -> None:
    assert missed(attendance(1, 2, 3), attendance(2, 3, 4)) == (2, 3)
    assert missed(attendance(1, 2, 3), attendance(2, 3, 4), attendance()) == ()
    assert missed(attendance(1, 2, 3), attendance(1, 2, 3), annulled=(2,)) == (1, 3)
    assert missed() == ()
    assert missed(attendance(1, 2, 3, 4)) == ()
    here = attendance(1, 2, 3, 4)
    late = attendance(2, 3, 4, opened_at=START + 1)
    gone = attendance(1, closed_at=WINDOWS[1].opens_at)
    assert missed(here, attendance(1, 2, 3, 4), late, gone) == (1, 2, 3, 4)
    assert missed(here, late, gone) == (1, 2, 3, 4)
    assert missed(here, gone) == (1,)


def numbers(proposal: Proposal | None) -> list[int] | None:
    return proposal.body["numbers"] if proposal else None


def test_three_files_make_a_proposal_that_grows_until_it_is_accepted_and_three_new_ones_another() -> None:
    assert fate.proposed(None, (1, 2), 2, START) is None
    first = fate.proposed(None, (1, 2, 4), 2, START)
    assert first is not None
    assert (numbers(first), first.version) == ([1, 2, 4], 1)
    assert fate.proposed(first, (1, 2, 4), 2, START) is None
    second = fate.proposed(first, (1, 2, 4, 5), 2, START + 60_000)
    assert second is not None
    assert (numbers(second), second.version) == ([1, 2, 4, 5], 2)
    assert second.body["found_at"] == first.body["found_at"]
    assert fate.standing(first, (1, 2)) is Standing.OPEN
    assert fate.standing(first, (1, 2, 4, 5)) is Standing.ACCEPTED
    first = fate.proposed(None, (1, 2, 3), 2, START)
    assert first is not None
    settled = fate.dismissed(first, "anna", "their own fault", START)
    assert fate.standing(settled, ()) is Standing.DISMISSED
    assert fate.proposed(settled, (1, 2, 3, 4, 5), 2, START) is None
    again = fate.proposed(settled, (1, 2, 3, 4, 5, 6), 2, START)
    assert numbers(again) == [4, 5, 6]
    assert fate.proposed(again, (1, 2, 3, 4, 5, 6), 2, START) is None


@pytest.fixture
def played() -> Played:
    """Nobody got three of five files through, each in another way."""
    five = planned(files=5)
    five.open(1)
    for number in (2, 3, 4):
        five.open(number, red=ABSENT, blue=SLOW, grey=WRONG)
    return five


def test_replacing_the_files_accepts_the_proposal(played: Played) -> None:
    played.notice()
    wish = Wish(Kind.REPLACE, "the platform failed", (2, 3, 4))
    watching.decide(played.platform, "anna", played.run_id, wish)
    assert watching.look(played.platform, played.run).standing is Standing.ACCEPTED
    assert played.notice().proposed == 0
    with pytest.raises(RefusedError, match="no proposal"):
        watching.dismiss(played.platform, "anna", played.run_id, "after all")


def test_a_proposal_is_dismissed_with_a_reason_and_logged(played: Played) -> None:
    with pytest.raises(RefusedError, match="no proposal"):
        watching.dismiss(played.platform, "anna", played.run_id, "nothing there")
    played.notice()
    with pytest.raises(RefusedError, match="reason"):
        watching.dismiss(played.platform, "anna", played.run_id, " ")
    watching.dismiss(played.platform, "anna", played.run_id, "a hard text")
    assert watching.look(played.platform, played.run).standing is Standing.DISMISSED
    assert played.platform.audit_log.changes[-1].what == "mass failure dismissed"
    assert played.notice().proposed == 0
