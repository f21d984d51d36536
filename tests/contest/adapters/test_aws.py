"""Clients of AWS: their common data is read once, and every request has the same user agent."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import botocore.loaders
import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ReadTimeoutError

from contest.adapters import aws
from contest.channel import store as channel_store

ENDPOINT = "https://socket.invalid/live"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each test without any client of the process."""
    for name, value in (("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b"), ("DEFAULT_REGION", "eu-central-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    session = aws.session.__wrapped__()
    monkeypatch.setattr(aws, "session", lambda: session)
    monkeypatch.setattr(aws, "client", aws.client.__wrapped__)


def test_no_file_of_the_sdk_is_read_twice_by_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    load = botocore.loaders.JSONFileLoader.load_file

    def counted(self: Any, path: str) -> Any:
        description = load(self, path)
        read[path] += description is not None
        return description

    monkeypatch.setattr(botocore.loaders.JSONFileLoader, "load_file", counted)
    for service in ("dynamodb", "s3", "sqs", "secretsmanager"):
        aws.client(service)
    channel_store.client(ENDPOINT)
    assert any("endpoints" in path for path in read)
    assert any("dynamodb" in path for path in read)
    assert {path: times for path, times in read.items() if times > 1} == {}


@pytest.mark.parametrize("service", ["dynamodb", "sqs", "sockets"])
def test_every_request_says_the_same_of_who_asks(service: str) -> None:
    client = channel_store.client(ENDPOINT) if service == "sockets" else aws.client(service)
    user_agents: list[str] = []

    def answered(request: Any, **_: Any) -> AWSResponse:
        user_agents.append(request.headers["User-Agent"].decode())
        return AWSResponse(request.url, 200, {}, Body())

    client.meta.events.register_first("before-send", answered)
    for _ in range(2):
        if service == "sockets":
            client.post_to_connection(ConnectionId="a", Data=b"")
        else:
            client.list_tables() if service == "dynamodb" else client.list_queues()
    first, second = user_agents
    assert first == second
    assert first.partition(" ")[0] == "hurdle"  # Powertools, where it is loaded, adds itself
    assert "ua/" not in first  # the SDK's own


@pytest.mark.parametrize(
    ("timeout_s", "read_s", "tries"), [(10, 3, 2), (20, 3, 3), (29, 3, 4), (55, 3, 4), (120, 15, 4), (None, 15, 4)]
)
def test_a_silent_service_is_given_up_within_the_functions_timeout(
    timeout_s: int | None, read_s: int, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws, "_timeout_s", [timeout_s])
    paused: list[float] = []
    monkeypatch.setattr(time, "sleep", paused.append)
    for service in ("dynamodb", "s3", "sqs", "secretsmanager"):
        client, addresses = aws.client(service), []
        assert (client.meta.config.connect_timeout, client.meta.config.read_timeout) == (1, read_s)

        def silent(request: Any, addresses: list[str] = addresses, **_: Any) -> AWSResponse:
            addresses.append(request.url)
            raise ReadTimeoutError(endpoint_url=request.url)

        client.meta.events.register_first("before-send", silent)
        paused.clear()
        with pytest.raises(ReadTimeoutError):
            ASKED[service](client)
        assert len(addresses) == tries
        longest = len(addresses) * (1 + read_s) + sum(paused)
        assert longest <= aws.request_bounds(timeout_s).longest_s <= (timeout_s or 120)


def test_clients_of_processes_restored_from_one_snapshot_pause_differently() -> None:
    """The module's state is the snapshot's; a session is made after it."""
    drawn = []
    for _ in range(2):
        random.setstate(STATE)
        REAL_SESSION()
        drawn.append(random.random())
    assert drawn[0] != drawn[1]


def test_our_own_pauses_do_not_follow_the_modules_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[float] = []
    monkeypatch.setattr(time, "sleep", paused.append)
    for _ in range(2):
        random.setstate(STATE)
        aws.back_off(1)
    assert paused[0] != paused[1]
    assert all(0.02 <= pause <= 0.06 for pause in paused)


STATE = random.Random(7).getstate()
REAL_SESSION = aws.session.__wrapped__
ASKED: dict[str, Callable[[Any], Any]] = {
    "dynamodb": lambda client: client.list_tables(),
    "s3": lambda client: client.list_buckets(),
    "sqs": lambda client: client.list_queues(),
    "secretsmanager": lambda client: client.list_secrets(),
}


class Body:
    """An empty JSON answer as it comes over the wire."""

    def stream(self, **_: Any) -> list[bytes]:
        return [b"{}"]

    def read(self) -> bytes:
        return b"{}"
