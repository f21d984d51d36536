"""Rescorings, and sessions scored anew: promises kept by the adapters on emulated services."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.people.rules import Change
from contest.platform import Platform
from contest.results.rules.rescoring import Conditions, Decided, Rescoring, Selection, as_rescored, run_rescored
from contest.session.rules.session import DayQuota, State
from tests.contest.adapters.test_adapters import SESSION
from tests.contest.adapters.test_runs import RUN
from tests.losing import loses

pytestmark = [
    pytest.mark.integration,
    pytest.mark.parametrize("platform", ["real"], indirect=True),  # no fake stands for these ports
]

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
    taken = Conditions("before", (("m1", "m2"),), "r" * 64)
    anew = run_rescored(closed, rescoring, taken)
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
