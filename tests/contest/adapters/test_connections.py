"""Connections of the event channel: one set of promises, kept by the adapter on an emulated table and by the fake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from contest.channel.ports import Connections
from contest.channel.rules import Attachment, Connection, attached, cut_off, lost
from tests.fakes_channel import FakeConnections
from tests.losing import loses
from tests.stage import staged

pytestmark = pytest.mark.integration

CONNECTION = Connection("connection-1=", 4, 1_000, 1_000, token_sha256="0" * 64)
SESSION = "1" * 15


@pytest.fixture(params=["fake", "real"])
def connections(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connections]:
    if request.param == "fake":
        yield FakeConnections()
        return
    with staged(tmp_path) as stage:
        yield stage.platform.connections


def test_a_connection_is_read_as_it_was_written_until_it_is_removed(connections: Connections) -> None:
    connections.add(CONNECTION)
    assert connections.get(CONNECTION.connection_id) == CONNECTION
    assert list(connections.all()) == [CONNECTION]
    for _ in range(2):
        connections.remove(CONNECTION.connection_id)
    assert connections.get(CONNECTION.connection_id) is None
    assert list(connections.all()) == []


def test_many_connections_are_removed_at_once_and_the_others_stay(connections: Connections) -> None:
    """More than one batch of the storage's; some are gone already."""
    for number in range(32):
        connections.add(replace(CONNECTION, connection_id=f"c{number}"))
    connections.remove_all([f"c{number}" for number in range(2, 40)])
    assert {each.connection_id for each in connections.all()} == {"c0", "c1"}
    connections.remove_all([])


def test_what_two_events_note_at_the_same_time_is_both_kept(connections: Connections) -> None:
    """The timer's sign of life must not take back the session that the client's event has just begun."""
    connections.add(CONNECTION)
    connections.note(replace(CONNECTION, session_id=SESSION, namespace="/pku"), "session_id", "namespace")
    connections.note(replace(CONNECTION, pinged_at=9_000), "pinged_at")
    known = connections.get(CONNECTION.connection_id)
    assert known == replace(CONNECTION, session_id=SESSION, namespace="/pku", pinged_at=9_000)


def test_a_connection_that_is_gone_stays_so(connections: Connections) -> None:
    connections.note(replace(CONNECTION, pinged_at=9_000), "pinged_at")
    assert connections.get(CONNECTION.connection_id) is None


def test_of_two_attachments_in_the_same_instant_one_is_written(connections: Connections) -> None:
    first = attached(Attachment(SESSION), "c1", 1_000)
    connections.attach(None, first)
    loses(lambda: connections.attach(None, attached(Attachment(SESSION), "c2", 1_000)))
    away = lost(first, "c1", 2_000)
    connections.attach(first, away)
    loses(lambda: connections.attach(first, attached(first, "c2", 2_000)))
    assert connections.attachment(SESSION) == away
    connections.attach(away, cut_off(away))
    assert connections.attachment(SESSION) == cut_off(away)


def test_a_push_is_claimed_once_for_each_opening_and_connection(connections: Connections) -> None:
    claims = [(1, 1_000, "c1"), (1, 1_000, "c1"), (1, 2_000, "c1"), (2, 1_000, "c1"), (1, 1_000, "c2")]
    assert [connections.claim(SESSION, *each) for each in claims] == [True, False, True, True, True]


def test_where_a_file_was_pushed_last_is_known(connections: Connections) -> None:
    assert connections.pushed_to(SESSION, 1) is None
    connections.mark_pushed(SESSION, 1, "c1")
    connections.mark_pushed(SESSION, 1, "c2")
    assert connections.pushed_to(SESSION, 1) == "c2"
    assert connections.pushed_to(SESSION, 2) is None
