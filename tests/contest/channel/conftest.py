"""A contest with one team, and a client of the event channel that speaks for it."""

from __future__ import annotations

import pytest

from contest.cycle.loading import load_cycle
from contest.people.teams import add_team, issue_token
from tests.fakes_channel import ChannelPlatform, SocketClient
from tests.toys import FolderInMemory, toy_cycle


@pytest.fixture
def platform() -> ChannelPlatform:
    made = ChannelPlatform()
    load_cycle(made, "tests", "toy-1", FolderInMemory(toy_cycle()), lambda _: None)
    add_team(made, "tests", "red", "Red")
    return made


@pytest.fixture
def token(platform: ChannelPlatform) -> str:
    return issue_token(platform, "tests", "red")[0]


@pytest.fixture
def client(platform: ChannelPlatform, token: str) -> SocketClient:
    return SocketClient(platform, token)
