"""Announcements passed on to subscribers by the minute timer, once for every state they have been in publicly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest

from contest.adapters import aws
from contest.people.rules import Role
from tests.contest.cycle.test_announcements import post, words
from tests.stage import Stage
from tests.toys import toy_cycle


@pytest.fixture
def olga(stage: Stage) -> str:
    stage.load(toy_cycle(final=3, technical={"enabled": False}))
    stage.tick()  # tells of these parameters
    return stage.person(Role.ORGANIZER, "olga")


@pytest.fixture
def events(olga: str) -> Iterator[list[dict[str, Any]]]:
    """Collect the events sent to the bus from then on, in order."""
    assert olga
    entries, client = list[dict[str, Any]](), aws.client("events")
    really = client.put_events
    with patch.object(client, "put_events", lambda **request: entries.extend(request["Entries"]) or really(**request)):
        yield entries


def told(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    details = [json.loads(each["Detail"]) for each in events]
    return [(each["title"]["en"], each["state"]) for each in details]


@pytest.mark.clause("D 6.12")
def test_subscribers_are_told_once_of_each_public_state(stage: Stage, olga: str, events: list[dict[str, Any]]) -> None:
    post(stage, olga, as_draft=True, **words("snow"))
    first = post(stage, olga, **words("rain")).json["announcement_id"]
    assert stage.tick()["announced"] == 1
    assert stage.tick()["announced"] == 0
    assert told(events) == [("About rain", "published")]
    assert (events[0]["Source"], events[0]["DetailType"]) == ("hurdle.toy-1", "Announcement")
    assert json.loads(events[0]["Detail"])["text"] == {"en": "On rain", "ru": "Про rain"}
    post(stage, olga, f"/{first}/withdrawal", reason="sunshine")
    stage.tick()
    assert told(events)[1:] == [("About rain", "withdrawn")]
    assert json.loads(events[1]["Detail"])["reason"] == "sunshine"


def test_what_the_bus_does_not_take_is_sent_again(stage: Stage, olga: str, events: list[dict[str, Any]]) -> None:
    post(stage, olga, **words("rain"))
    post(stage, olga, **words("snow"))
    refused = {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException"}]}
    really = aws.client("events").put_events

    def once(**asked: Any) -> Any:
        return refused if "rain" in asked["Entries"][0]["Detail"] else really(**asked)

    with patch.object(aws.client("events"), "put_events", once), pytest.raises(RuntimeError, match="1 failures"):
        stage.tick()
    assert told(events) == [("About snow", "published")]
    stage.tick()
    assert told(events) == [("About snow", "published"), ("About rain", "published")]
