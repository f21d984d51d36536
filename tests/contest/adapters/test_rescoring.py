"""Rescorings, and sessions scored anew: promises kept by the adapters on emulated services and by the fakes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.domain.people.teams import Change
from contest.domain.results.rescoring import Decided, Rescoring, Selection, as_rescored
from contest.domain.session.session import State
from contest.services.platform import Platform
from tests.contest.adapters.test_adapters import SESSION
from tests.losing import loses

pytestmark = pytest.mark.integration

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


def test_a_session_is_scored_anew_if_it_is_as_it_was_read(platform: Platform) -> None:
    session = replace(SESSION, state=State.OPEN, closed_at=None)
    platform.sessions.open(session, (), None, 20)
    closed = replace(session, state=State.FINISHED, closed_at=7, version=session.version + 1)
    platform.sessions.close(session, closed)
    anew = as_rescored(closed, RESCORING, "m" * 64)
    assert (anew.parameters_version, anew.manifest, anew.rescored) == (2, "m" * 64, "r1")
    platform.sessions.rescore(closed, anew)
    loses(lambda: platform.sessions.rescore(closed, anew))
    assert platform.sessions.get(session.session_id) == anew
